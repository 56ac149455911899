/**
 * A store on Redis, for several processes. A record is a string that expires. Each step is one
 * command with one key: `GET`, or a script that compares and writes atomically.
 *
 * The reply of the script repeats a random id, because a client or proxy that mixes up replies must
 * not look like a successful write. Any other reply is an error.
 */
import type { Sentences } from '../author/sentences.js';
import { messageOf } from '../errors.js';
import { checkLogger, Warnings } from '../log.js';
import type { Logger } from '../log.js';
import { rejectUnknownOptions } from '../options.js';
import { randomId } from '../platform.js';
import { checkedStore, StoreFullError } from './recordStore.js';
import type { PutOptions, RecordStore } from './recordStore.js';

/**
 * Sends one command to Redis and returns the reply, with strings as strings or bytes. `key` is the
 * key of the command, for a cluster.
 */
export type RedisCommandSender = (command: readonly string[], key: string) => Promise<unknown>;

/** A node-redis client or client pool. */
export interface NodeRedisClient {
  sendCommand(command: string[]): Promise<unknown>;
}

/** An ioredis client or cluster. */
export interface IoredisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A client that {@link redisStore} accepts. */
export type RedisClient = NodeRedisClient | IoredisClient | RedisCommandSender;

/** The options of {@link redisStore}. */
export interface RedisStoreOptions {
  /** The prefix of its keys. Default: `mcp-resolve:`. */
  readonly prefix?: string;
  /** Receives a warning if Redis may drop records. Default: standard error. */
  readonly logger?: Logger;
}

/**
 * Creates a store on Redis, for processes that share it. The application owns the client. It
 * connects and closes it and sets timeouts and retries. The store has no limits of its own: Redis
 * has `maxmemory`, which all users share.
 *
 * Redis must not evict records: set `maxmemory-policy noeviction`, which is its default. A replica
 * that takes over may lack the latest records, and a server without persistence loses all of them
 * on a restart. A call whose record is lost can run again.
 *
 * @example
 *
 * ```ts
 * const redis = createClient({
 *   url: 'redis://127.0.0.1:6379',
 *   socket: { reconnectStrategy: false },
 * });
 * const store = redisStore(async (command) => {
 *   if (!redis.isOpen) await redis.connect();
 *   return redis.sendCommand([...command]);
 * });
 * ```
 *
 * @param client A client of node-redis or ioredis, or a function that sends a command. With a
 *   node-redis cluster, pass `(command, key) => cluster.sendCommand(key, false, [...command])`.
 * @throws {TypeError} If the client is not supported or an option is invalid.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- its constraint has the sentence
export function redisStore<C extends RedisClient | Sentences['redis']>(
  client: C,
  options?: RedisStoreOptions,
): RecordStore;
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): RecordStore {
  const { prefix, logger } = checkOptions(options);
  const redis = new Redis(senderOf(client), logger);
  return checkedStore({
    get: (key) => redis.get(prefix + key),
    put: (key, value, how) => redis.put(prefix + key, value, how),
  });
}

function checkOptions(options: RedisStoreOptions): Required<RedisStoreOptions> {
  rejectUnknownOptions(options, ['prefix', 'logger'], 'redisStore()');
  const { prefix = 'mcp-resolve:', logger } = options;
  if (typeof prefix !== 'string' || prefix === '')
    throw new TypeError('redisStore(): `prefix` must be a non-empty string.');
  return { prefix, logger: checkLogger(logger, 'redisStore(): `logger`') };
}

/**
 * Returns the function that sends commands. ioredis has an unrelated `sendCommand`, so `call` wins.
 */
function senderOf(client: RedisClient): RedisCommandSender {
  if (typeof client === 'function') return client;
  const { call, sendCommand } = Object(client) as Partial<IoredisClient & NodeRedisClient>;
  if (typeof call === 'function') return ([name = '', ...args]) => call.call(client, name, ...args);
  if (typeof sendCommand !== 'function')
    throw new TypeError(
      'redisStore(): `client` must be a node-redis or ioredis client, or a function that sends a command. Write redisStore(createClient({ url })) with a client that connects.',
    );
  // The clusters and sentinels of node-redis take more parameters, such as the key.
  if (sendCommand.length > 2)
    throw new TypeError(
      'redisStore(): `client` is a node-redis cluster or sentinel, which needs more than the command to route it. Pass a function instead, such as (command, key) => cluster.sendCommand(key, false, [...command]).',
    );
  return (command) => sendCommand.call(client, [...command]);
}

/** Compares and writes. The arguments are the value, its lifetime, the id of the reply, and `was`. */
const PUT = `
local known = redis.call('GET', KEYS[1])
if known ~= ARGV[1] and known ~= (ARGV[4] or false) then return 'refused ' .. ARGV[3] end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'written ' .. ARGV[3]`;

/** Lets a script write beyond the memory limit, from Redis 7 on. */
const BEYOND_LIMIT = '#!lua flags=allow-oom';

/** Sends the two commands, and checks the eviction policy of Redis once. */
class Redis {
  private readonly warnings: Warnings;
  private askedForPolicy = false;

  constructor(
    private readonly send: RedisCommandSender,
    logger: Logger,
  ) {
    this.warnings = Warnings.of(logger);
  }

  async get(key: string): Promise<string | undefined> {
    const reply = await this.replyTo(['GET', key], key);
    return reply === null ? undefined : partText(reply);
  }

  /**
   * Compares and writes. If Redis is full, a known record can still change, so that a call that has
   * begun can end.
   *
   * @throws {@link StoreFullError} If Redis is full and the record is new.
   */
  async put(key: string, value: string, { was, ttlMs }: PutOptions): Promise<boolean> {
    const id = randomId();
    const lifetime = String(Math.max(1, Math.ceil(ttlMs)));
    const args = [value, lifetime, id, ...(was === undefined ? [] : [was])];
    const run = async (script: string): Promise<boolean> =>
      readAnswer(await this.replyTo(['EVAL', script, '1', key, ...args], key), id);
    try {
      return await run(PUT);
    } catch (error) {
      if (!messageOf(error).includes('OOM command not allowed')) throw error;
      if (was !== undefined) return run(BEYOND_LIMIT + PUT);
      throw new StoreFullError(`Redis is full: ${messageOf(error)}`, { cause: error });
    }
  }

  private async replyTo(command: readonly string[], key: string): Promise<unknown> {
    const reply = await this.send(command, key);
    if (!this.askedForPolicy) await this.askForPolicy(key);
    return reply;
  }

  /** Checks the eviction policy after the first successful step, when Redis can be reached. */
  private async askForPolicy(key: string): Promise<void> {
    this.askedForPolicy = true;
    const policy = await this.findPolicy(key).catch(messageOf);
    if (policy === 'noeviction') return;
    this.warnings.once(
      `A call of a tool with \`once\` can run again if Redis drops its record. Set \`maxmemory-policy\` to \`noeviction\` (found: ${policy}).`,
    );
  }

  private async findPolicy(key: string): Promise<string> {
    const info = partText(await this.send(['INFO', 'memory'], key));
    return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'not reported';
  }
}

/** Reads the reply of the script. Another script call has another id. */
function readAnswer(reply: unknown, id: string): boolean {
  const [word = '', of] = partText(reply).split(' ');
  if (of !== id || (word !== 'written' && word !== 'refused')) throw notUnderstood(word);
  return word === 'written';
}

// Keeps a leading byte order mark, because a value may start with one.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function partText(part: unknown): string {
  if (part instanceof Uint8Array) return decoder.decode(part);
  if (typeof part !== 'string') throw notUnderstood(typeof part);
  return part;
}

function notUnderstood(shown: string): Error {
  return new Error(`Redis or its client returned an unexpected reply: ${shown}`);
}
