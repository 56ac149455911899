/**
 * The entry `mcp-resolve/once`: the stores that know which calls have run, and the contract that
 * every such store keeps. A line here is a promise.
 *
 * @module mcp-resolve/once
 */
export { memoryOnceStore } from './state/once/memory.js';
export type { MemoryOnceStoreOptions } from './state/once/memory.js';
export { redisOnceStore } from './state/once/redis.js';
export type {
  IoredisClient,
  NodeRedisClient,
  RedisCommandSender,
  RedisOnceClient,
  RedisOnceStoreOptions,
} from './state/once/redis.js';

// A store of one's own.
export { OnceStoreFullError } from './state/once/store.js';
export type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './state/once/store.js';
export { onceStoreContract } from './state/once/contract.js';
export type { OnceStoreCheck } from './state/once/contract.js';
export type { SealLogger } from './state/warnings.js';
