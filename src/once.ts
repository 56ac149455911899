/**
 * The entry `mcp-resolve/once`: stores that record which calls have run, and the contract suite for
 * custom stores. Every export listed here is public API.
 *
 * @module mcp-resolve/once
 */
export { memoryOnceStore } from './once/memoryOnceStore.js';
export type { MemoryOnceStoreOptions } from './once/memoryOnceStore.js';
export { redisOnceStore } from './once/redisOnceStore.js';
export type {
  IoredisClient,
  NodeRedisClient,
  RedisCommandSender,
  RedisOnceClient,
  RedisOnceStoreOptions,
} from './once/redisOnceStore.js';

// Custom stores.
export { OnceStoreFullError } from './once/onceStore.js';
export type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './once/onceStore.js';
export { onceStoreContract } from './once/onceStoreContract.js';
export type { OnceStoreCheck } from './once/onceStoreContract.js';
export type { Logger } from './log.js';
