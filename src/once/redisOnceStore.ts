/**
 * The store of a fleet, on Redis. Every step is one script, which Redis runs as a whole, and time
 * is that of the Redis server, so the clocks of the processes do not matter.
 *
 * A call is a hash under the prefix and its id, which expires by itself:
 *
 * ```
 * owner       who claimed it
 * heldUntil   when the lease ends, in milliseconds; absent when the call is over
 * result      the text that was recorded, if any
 * ```
 *
 * Each answer is a list of texts that begins with a word. One that is not understood ends the call:
 * a client that loses answers must not look like one that has claimed.
 */
import { errorOf, messageOf } from '../errors.js';
import { STANDARD_ERROR, Warnings } from '../state/warnings.js';
import type { SealLogger } from '../state/warnings.js';
import { assertOptions, OnceStoreFullError } from './onceStore.js';
import type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './onceStore.js';

/** Sends one command to Redis and gives the answer, texts as strings or bytes. */
export type RedisCommandSender = (command: readonly string[]) => Promise<unknown>;

/** A client of node-redis, or a pool of them. */
export interface NodeRedisClient {
  sendCommand(command: string[]): Promise<unknown>;
}

/** A client of ioredis, also of a cluster. */
export interface IoredisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** What {@link redisOnceStore} can talk through. */
export type RedisOnceClient = NodeRedisClient | IoredisClient | RedisCommandSender;

/** What {@link redisOnceStore} can be told. */
export interface RedisOnceStoreOptions {
  /** What its keys begin with. Default: `mcp-resolve:once:`. */
  readonly prefix?: string;
  /** Told when Redis may drop records. Default: standard error. */
  readonly logger?: SealLogger;
}

/**
 * Creates a store on Redis, for processes that share it. The client is the application's: connected
 * and closed by it, with its own timeouts and retries.
 *
 * Redis has to keep what it was told: `maxmemory-policy noeviction`, which is its default. A
 * replica that takes over may not have the last records yet, and a server without persistence has
 * none after a restart; a call of such a record can then run again.
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
 * @param client A client of node-redis or ioredis; for anything else, a function that sends a
 *   command. The key of a command is its fourth word: with a cluster of node-redis, `(command) =>
 *   cluster.sendCommand(command[3], false, [...command])`.
 * @throws {TypeError} If it cannot talk through the client, or the options make no sense.
 */
export function redisOnceStore(
  client: RedisOnceClient,
  options: RedisOnceStoreOptions = {},
): OnceStore {
  const { prefix, logger } = checkOptions(options);
  const redis = new Redis(senderOf(client), logger);
  return {
    read: async (id) => entryOf(await redis.run(READ, prefix + id)),
    claim: async (id, lease) => entryOf(await redis.run(CLAIM, prefix + id, leaseArgs(lease))),
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
  assertOptions(options, ['prefix', 'logger'], 'redisOnceStore');
  const { prefix = 'mcp-resolve:once:', logger = STANDARD_ERROR } = options;
  if (typeof prefix !== 'string' || prefix === '') {
    throw new TypeError("'prefix' is a text that is not empty");
  }
  if (typeof (logger as Partial<SealLogger> | null)?.warn !== 'function') {
    throw new TypeError("'logger' is an object with warn(text)");
  }
  return { prefix, logger };
}

/** Finds out how to send a command. ioredis has a `sendCommand` too, which takes something else. */
function senderOf(client: RedisOnceClient): RedisCommandSender {
  if (typeof client === 'function') return client;
  const { call, sendCommand } = Object(client) as Partial<IoredisClient & NodeRedisClient>;
  if (typeof call === 'function') {
    return ([name = '', ...args]) => call.call(client, name, ...args);
  }
  if (typeof sendCommand !== 'function') {
    throw new TypeError(
      'redisOnceStore takes a client of node-redis or ioredis, or a function that sends a command',
    );
  }
  // The clusters and sentinels of node-redis want to know the key or the kind of a command first.
  if (sendCommand.length > 2) {
    throw new TypeError(
      'redisOnceStore cannot tell a cluster or sentinel of node-redis where a command goes: give it a function, such as (command) => cluster.sendCommand(command[3], false, [...command])',
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

/** What a script begins with: some may write though Redis has reached its limit, from Redis 7 on. */
const WITHIN_LIMIT = `local beyondLimit = false`;
const BEYOND_LIMIT = `#!lua flags=allow-oom
local beyondLimit = true`;

function leaseArgs({ owner, leaseMs, ttlMs }: OnceLease): string[] {
  return [owner, String(Math.ceil(leaseMs)), String(Math.ceil(ttlMs))];
}

function endArgs({ owner, result, ttlMs }: OnceEnd): string[] {
  return [owner, String(Math.ceil(ttlMs)), ...(result === undefined ? [] : [result])];
}

/** The answer of a script. */
type Answer = readonly string[];

/** A Redis that is asked once whether it drops records. */
class Redis {
  private readonly warnings: Warnings;
  private askedForPolicy = false;

  constructor(
    private readonly send: RedisCommandSender,
    logger: SealLogger,
  ) {
    this.warnings = Warnings.of(logger);
  }

  /** @throws {@link OnceStoreFullError} If Redis has reached its limit. */
  async run(script: string, key: string, args: readonly string[] = []): Promise<Answer> {
    const answer = await this.answerTo(['EVAL', WITHIN_LIMIT + script, '1', key, ...args]);
    if (!this.askedForPolicy) await this.askForPolicy();
    return answer;
  }

  /** Calls that are known can go on in a Redis that has reached its limit: it refuses new ones. */
  async runWhenFull(script: string, key: string, args: readonly string[]): Promise<Answer> {
    try {
      return await this.run(script, key, args);
    } catch (error) {
      if (!(error instanceof OnceStoreFullError)) throw error;
      const answer = await this.answerTo(['EVAL', BEYOND_LIMIT + script, '1', key, ...args]);
      if (answer[0] === 'full') throw error;
      return answer;
    }
  }

  private async answerTo(command: readonly string[]): Promise<Answer> {
    try {
      return wordsOf(await this.send(command));
    } catch (error) {
      if (!messageOf(error).includes('OOM command not allowed')) throw errorOf(error);
      throw new OnceStoreFullError(`Redis is full: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Asks when a step has gone well, and not while there is nobody to ask. */
  private async askForPolicy(): Promise<void> {
    this.askedForPolicy = true;
    const policy = await this.findPolicy().catch(messageOf);
    if (policy === 'noeviction') return;
    this.warnings.once(
      `a call of a tool with 'once' can run again if Redis drops its record: set maxmemory-policy to noeviction (found: ${policy})`,
    );
  }

  private async findPolicy(): Promise<string> {
    const info = textOf(await this.send(['INFO', 'memory']));
    return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'nothing about it';
  }
}

function entryOf([word = '', result]: Answer): OnceEntry | undefined {
  switch (word) {
    case 'unknown':
    case 'claimed':
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

function yesOrNo([word = '']: Answer): boolean {
  if (word !== 'yes' && word !== 'no') throw notUnderstood(word);
  return word === 'yes';
}

function wordsOf(reply: unknown): Answer {
  if (!Array.isArray(reply)) throw notUnderstood(typeof reply);
  return reply.map(textOf);
}

// A text may begin with the mark that decoders leave out.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(part: unknown): string {
  if (part instanceof Uint8Array) return decoder.decode(part);
  if (typeof part !== 'string') throw notUnderstood(typeof part);
  return part;
}

function notUnderstood(shown: string): Error {
  return new Error(`Redis, or the client in front of it, gave an answer of another kind: ${shown}`);
}
