/**
 * The entry `mcp-resolve/once`: the stores that know which calls have run, and the contract that
 * every such store keeps. A line here is a promise.
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

// A store of one's own.
export { OnceStoreFullError } from './once/onceStore.js';
export type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './once/onceStore.js';
export { onceStoreContract } from './once/onceStoreContract.js';
export type { OnceStoreCheck } from './once/onceStoreContract.js';
export type { SealLogger } from './state/warnings.js';
