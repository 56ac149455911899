/**
 * The entry `mcp-resolve/store`: the stores of `once` and approvals, and what a custom store needs.
 * Every export listed here is public API.
 *
 * @module mcp-resolve/store
 */
export { memoryStore } from './store/memoryStore.js';
export type { MemoryStoreOptions } from './store/memoryStore.js';
export { postgresStore, postgresTableSql } from './store/postgresStore.js';
export type { PostgresClient, PostgresQuery, PostgresStoreOptions } from './store/postgresStore.js';
export { redisStore } from './store/redisStore.js';
export type { RedisClient, RedisCommandSender, RedisStoreOptions } from './store/redisStore.js';

// Custom stores.
export { StoreFullError } from './store/recordStore.js';
export type { PutOptions, RecordStore } from './store/recordStore.js';
