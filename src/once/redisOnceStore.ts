/**
 * A store on Redis, for several processes. Every step is one script, which Redis runs atomically.
 * Scripts use the time of the Redis server, so the clocks of the processes do not matter.
 *
 * A call is a hash that expires. Its key is the prefix and the id:
 *
 * ```
 * owner       the owner of the claim
 * heldUntil   the end of the lease, in milliseconds; absent once the call is done
 * result      the recorded result, if any
 * ```
 *
 * A reply is an array of strings that starts with a status word. An unexpected reply ends the call,
 * because a client that loses or mixes up replies must not look like a successful claim.
 */
import { errorOf, messageOf } from '../errors.js';
import { checkLogger, Warnings } from '../log.js';
import type { Logger } from '../log.js';
import { assertKnownOptions, OnceStoreFullError } from './onceStore.js';
import type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './onceStore.js';

/** Sends one command to Redis and returns the reply, with strings as strings or bytes. */
export type RedisCommandSender = (command: readonly string[]) => Promise<unknown>;

/** A node-redis client or client pool. */
export interface NodeRedisClient {
  sendCommand(command: string[]): Promise<unknown>;
}

/** An ioredis client or cluster. */
export interface IoredisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A client that {@link redisOnceStore} accepts. */
export type RedisOnceClient = NodeRedisClient | IoredisClient | RedisCommandSender;

/** The options of {@link redisOnceStore}. */
export interface RedisOnceStoreOptions {
  /** The prefix of its keys. Default: `mcp-resolve:once:`. */
  readonly prefix?: string;
  /** Receives a warning if Redis may drop records. Default: standard error. */
  readonly logger?: Logger;
}

/**
 * Creates a store on Redis, for processes that share it. The application owns the client. It
 * connects and closes it and sets timeouts and retries.
 *
 * Redis must not evict records: set `maxmemory-policy noeviction`, which is its default. A replica
 * that takes over may lack the latest records, and a server without persistence loses all of them
 * on a restart. A call whose record is lost can run again.
 *
 * @example
 *
 * ```ts
 * const redis = await createClient({ url: 'redis://127.0.0.1:6379' }).connect();
 * const payOnce = defineTool(
 *   'pay_once',
 *   { inputSchema: PayInput, resolve: { approval }, once: redisOnceStore(redis) },
 *   () => 'Paid.',
 * );
 * ```
 *
 * @param client A client of node-redis or ioredis, or a function that sends a command. The key of a
 *   command is its fourth element. With a node-redis cluster, pass `(command) =>
 *   cluster.sendCommand(command[3], false, [...command])`.
 * @throws {TypeError} If the client is not supported or an option is invalid.
 */
export function redisOnceStore(
  client: RedisOnceClient,
  options: RedisOnceStoreOptions = {},
): OnceStore {
  const { prefix, logger } = checkOptions(options);
  const redis = new Redis(senderOf(client), logger);
  return {
    read: async (id) => entryOf(await redis.run(READ, prefix + id), 'unknown'),
    claim: async (id, lease) => {
      const answer = await redis.run(CLAIM, prefix + id, leaseArgs(lease));
      return entryOf(answer, 'claimed');
    },
    renew: async (id, lease) => {
      const answer = await redis.runWhenFull(RENEW, prefix + id, leaseArgs(lease));
      return yesOrNo(answer);
    },
    finish: async (id, end) => {
      const answer = await redis.runWhenFull(FINISH, prefix + id, endArgs(end));
      return yesOrNo(answer);
    },
    onlyThisProcess: false,
  };
}

function checkOptions(options: RedisOnceStoreOptions): Required<RedisOnceStoreOptions> {
  assertKnownOptions(options, ['prefix', 'logger'], 'redisOnceStore');
  const { prefix = 'mcp-resolve:once:', logger } = options;
  if (typeof prefix !== 'string' || prefix === '') {
    throw new TypeError('redisOnceStore(): `prefix` must be a non-empty string.');
  }
  return { prefix, logger: checkLogger(logger, 'redisOnceStore(): `logger`') };
}

/**
 * Returns the function that sends commands. ioredis has an unrelated `sendCommand`, so `call` wins.
 */
function senderOf(client: RedisOnceClient): RedisCommandSender {
  if (typeof client === 'function') return client;
  const { call, sendCommand } = Object(client) as Partial<IoredisClient & NodeRedisClient>;
  if (typeof call === 'function') {
    return ([name = '', ...args]) => call.call(client, name, ...args);
  }
  if (typeof sendCommand !== 'function') {
    throw new TypeError(
      'redisOnceStore(): `client` must be a node-redis or ioredis client, or a function that sends a command.',
    );
  }
  // The clusters and sentinels of node-redis take more parameters, such as the key.
  if (sendCommand.length > 2) {
    throw new TypeError(
      'redisOnceStore(): `client` is a node-redis cluster or sentinel, which needs more than the command to route it. Pass a function instead, such as (command) => cluster.sendCommand(command[3], false, [...command]).',
    );
  }
  return (command) => sendCommand.call(client, [...command]);
}

const KNOWN = `
local owner, heldUntil, result =
  unpack(redis.call('HMGET', KEYS[1], 'owner', 'heldUntil', 'result'))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function entry()
  if heldUntil then return { tonumber(heldUntil) > now and 'running' or 'lapsed' } end
  return { 'done', result or nil }
end
local function hold()
  local leaseEnd = string.format('%.0f', now + ARGV[2])
  redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'heldUntil', leaseEnd)
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
`;

const READ = `${KNOWN}
if not owner then return { 'unknown' } end
return entry()`;

const CLAIM = `${KNOWN}
if owner and not (heldUntil and owner == ARGV[1]) then return entry() end
hold()
return { 'claimed' }`;

const RENEW = `${KNOWN}
if not heldUntil or owner ~= ARGV[1] then return { 'no' } end
hold()
return { 'yes' }`;

const FINISH = `${KNOWN}
if owner and owner ~= ARGV[1] then return { 'no' } end
if owner and not heldUntil then return { 'yes' } end
if not owner and beyondLimit then return { 'full' } end
redis.call('HSET', KEYS[1], 'owner', ARGV[1])
if ARGV[3] then redis.call('HSET', KEYS[1], 'result', ARGV[3]) end
redis.call('HDEL', KEYS[1], 'heldUntil')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 'yes' }`;

/** The first line of a script. From Redis 7 on, a flag allows writes beyond the memory limit. */
const WITHIN_LIMIT = `local beyondLimit = false`;
const BEYOND_LIMIT = `#!lua flags=allow-oom
local beyondLimit = true`;

function leaseArgs({ owner, leaseMs, ttlMs }: OnceLease): string[] {
  return [owner, String(Math.ceil(leaseMs)), String(Math.ceil(ttlMs))];
}

function endArgs({ owner, result, ttlMs }: OnceEnd): string[] {
  return [owner, String(Math.ceil(ttlMs)), ...(result === undefined ? [] : [result])];
}

/** The reply of a script. */
type RedisAnswer = readonly string[];

/** Runs scripts, and checks the eviction policy of Redis once. */
class Redis {
  private readonly warnings: Warnings;
  private askedForPolicy = false;

  constructor(
    private readonly send: RedisCommandSender,
    logger: Logger,
  ) {
    this.warnings = Warnings.of(logger);
  }

  /**
   * Runs a script.
   *
   * @throws {@link OnceStoreFullError} If Redis has reached its memory limit.
   */
  async run(script: string, key: string, args: readonly string[] = []): Promise<RedisAnswer> {
    const answer = await this.answerTo(['EVAL', WITHIN_LIMIT + script, '1', key, ...args]);
    if (!this.askedForPolicy) await this.askForPolicy();
    return answer;
  }

  /**
   * Runs a script even if Redis is full, so that known calls can go on. New records are refused.
   */
  async runWhenFull(script: string, key: string, args: readonly string[]): Promise<RedisAnswer> {
    try {
      return await this.run(script, key, args);
    } catch (error) {
      if (!(error instanceof OnceStoreFullError)) throw error;
      const answer = await this.answerTo(['EVAL', BEYOND_LIMIT + script, '1', key, ...args]);
      if (answer[0] === 'full') throw error;
      return answer;
    }
  }

  private async answerTo(command: readonly string[]): Promise<RedisAnswer> {
    try {
      return wordsOf(await this.send(command));
    } catch (error) {
      if (!messageOf(error).includes('OOM command not allowed')) throw errorOf(error);
      throw new OnceStoreFullError(`Redis is full: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Checks the eviction policy after the first successful step, when Redis can be reached. */
  private async askForPolicy(): Promise<void> {
    this.askedForPolicy = true;
    const policy = await this.findPolicy().catch(messageOf);
    if (policy === 'noeviction') return;
    this.warnings.once(
      `A call of a tool with \`once\` can run again if Redis drops its record. Set \`maxmemory-policy\` to \`noeviction\` (found: ${policy}).`,
    );
  }

  private async findPolicy(): Promise<string> {
    const info = textOf(await this.send(['INFO', 'memory']));
    return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'not reported';
  }
}

/** Reads the reply of a step. `none` is the word with which that step returns no entry. */
function entryOf(
  [word = '', result]: RedisAnswer,
  none: 'unknown' | 'claimed',
): OnceEntry | undefined {
  switch (word) {
    case none:
      return undefined;
    case 'running':
    case 'lapsed':
      return { state: word };
    case 'done':
      return { state: word, ...(result !== undefined && { result }) };
    default:
      throw notUnderstood(word);
  }
}

function yesOrNo([word = '']: RedisAnswer): boolean {
  if (word !== 'yes' && word !== 'no') throw notUnderstood(word);
  return word === 'yes';
}

function wordsOf(reply: unknown): RedisAnswer {
  if (!Array.isArray(reply)) throw notUnderstood(typeof reply);
  return reply.map(textOf);
}

// Keeps a leading byte order mark, because a result may start with one.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(part: unknown): string {
  if (part instanceof Uint8Array) return decoder.decode(part);
  if (typeof part !== 'string') throw notUnderstood(typeof part);
  return part;
}

function notUnderstood(shown: string): Error {
  return new Error(`Redis or its client returned an unexpected reply: ${shown}`);
}
