/**
 * The store on Redis, with a real server: the contract of stores and the model through every kind
 * of client, keys, memory, eviction, and a server that goes down.
 */
import fc from 'fast-check';
import { Cluster, Redis as Ioredis } from 'ioredis';
import { redisStore, StoreFullError } from 'mcp-resolve/store';
import type { RecordStore, RedisClient, RedisCommandSender } from 'mcp-resolve/store';
import { storeContract } from 'mcp-resolve/testing';
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { freePort, type RedisServer, type RedisSetup, startRedis } from '../support/redis.js';
import { runOnModel, storeCommandsInRealTime } from './storeModel.js';

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
});

afterAll(async () => {
  await redis.stop();
});

/** The functions that close what a test opened. */
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function ownRedis(setup?: RedisSetup): Promise<RedisServer> {
  const server = await startRedis(setup);
  open.push(server.stop);
  return server;
}

/** Connects with node-redis. Errors of the connection appear in the commands. */
async function nodeRedis({ url }: RedisServer) {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  open.push(() => {
    if (client.isOpen) client.destroy();
  });
  return client;
}

function ioredis({ port }: RedisServer): Ioredis {
  const client = new Ioredis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  open.push(() => client.disconnect());
  return client;
}

/** Creates a logger that collects warnings. */
function collectLogged() {
  const logged: string[] = [];
  return { logged, logger: { warn: (message: string) => logged.push(message) } };
}

const MINUTE = 60_000;

interface Write {
  readonly was?: string;
  readonly ttlMs?: number;
}

const put = (
  store: RecordStore,
  key: string,
  value = 'value',
  { was, ttlMs = MINUTE }: Write = {},
) => store.put(key, value, { was, ttlMs });

describe('the store on Redis follows the contract with', () => {
  /** The kinds of clients. Each has one connection for all checks. */
  const CLIENTS: Readonly<Record<string, () => Promise<[RedisClient, close: () => unknown]>>> = {
    'node-redis': async () => {
      const client = await createClient({ url: redis.url }).connect();
      return [client, () => client.destroy()];
    },
    'node-redis and RESP 2': async () => {
      const client = await createClient({ url: redis.url, RESP: 2 }).connect();
      return [client, () => client.destroy()];
    },
    'a pool of node-redis': async () => {
      const pool = createClientPool({ url: redis.url });
      await pool.connect();
      return [pool, () => pool.destroy()];
    },
    ioredis: async () => {
      const client = new Ioredis(redis.url);
      return [client, () => client.disconnect()];
    },
    'a function that returns bytes': async () => {
      const client = await createClient({ url: redis.url }).connect();
      const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer };
      const send: RedisCommandSender = (command) => client.sendCommand(command, { typeMapping });
      return [send, () => client.destroy()];
    },
  };

  for (const [name, connect] of Object.entries(CLIENTS)) {
    describe.concurrent(name, () => {
      let store: RecordStore;
      let close: () => unknown;

      beforeAll(async () => {
        let client: RedisClient;
        [client, close] = await connect();
        store = redisStore(client);
      });

      afterAll(async () => {
        await close();
      });

      for (const check of storeContract(() => store)) test(check.name, check.run);
    });
  }
});

test('the store on Redis behaves like the model', async () => {
  const client = await nodeRedis(await ownRedis());
  const commands = storeCommandsInRealTime;
  await fc.assert(
    fc.asyncProperty(commands, async (run) => {
      await client.flushAll();
      await runOnModel(run, { store: redisStore(client), wait: () => undefined });
    }),
    { seed: 20_260_728, numRuns: 300 },
  );
});

describe('a client that connects with the first command', () => {
  /** The clients of the page about stores. */
  const CLIENTS: Readonly<Record<string, (url: string) => RedisClient>> = {
    'node-redis': (url) => {
      const socket = { connectTimeout: 2000, reconnectStrategy: false } as const;
      const client = createClient({ url, socket });
      client.on('error', () => undefined);
      open.push(() => {
        if (client.isOpen) client.destroy();
      });
      return async (command) => {
        if (!client.isOpen) await client.connect();
        return client.sendCommand([...command]);
      };
    },
    ioredis: (url) => {
      const options = { lazyConnect: true, connectTimeout: 2000, maxRetriesPerRequest: 0 };
      const client = new Ioredis(url, options);
      client.on('error', () => undefined);
      open.push(() => client.disconnect());
      return client;
    },
  };

  test.each(Object.entries(CLIENTS))('fails until Redis is there: %s', async (_, connect) => {
    const port = await freePort();
    const store = redisStore(connect(`redis://127.0.0.1:${port}`));
    const readMany = () => Promise.all(Array.from({ length: 20 }, () => store.get('key')));
    await expect(readMany()).rejects.toThrow();

    for (let start = 1; start <= 2; start += 1) {
      const server = await ownRedis({ port });
      await expect.poll(() => readMany().catch(() => 'failed')).not.toBe('failed');
      await server.kill();
      await expect(readMany()).rejects.toThrow();
    }
  });
});

describe('processes that share a Redis', () => {
  test('share records through different clients', async () => {
    const one = redisStore(await nodeRedis(redis));
    const other = redisStore(ioredis(redis));
    expect(await put(one, 'shared', '"é😀"')).toBe(true);
    expect(await put(other, 'shared', 'other')).toBe(false);
    expect(await other.get('shared')).toBe('"é😀"');
    expect(one.onlyIn).toBeUndefined();
  });

  test('write a key once if eight try at the same time', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => nodeRedis(redis)));
    const stores = clients.map((client) => redisStore(client));
    for (let call = 0; call < 25; call += 1) {
      const puts = stores.map((store, owner) => put(store, `contended ${call}`, `of ${owner}`));
      expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
    }
  });

  test('do not share records with another prefix', async () => {
    const client = await nodeRedis(redis);
    await put(redisStore(client, { prefix: 'one:' }), 'call');
    expect(await redisStore(client, { prefix: 'other:' }).get('call')).toBeUndefined();
  });
});

describe('a cluster', () => {
  /** Starts two nodes that have half of the slots each. */
  async function startCluster(): Promise<RedisServer> {
    const [first, second] = [await startNode('0', '8191'), await startNode('8192', '16383')];
    await first.client.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', second.port, second.bus]);
    for (const { client } of [first, second])
      await expect
        .poll(() => client.sendCommand(['CLUSTER', 'INFO']), { timeout: 15_000 })
        .toContain('cluster_state:ok');
    return first.server;
  }

  async function startNode(firstSlot: string, lastSlot: string) {
    const bus = String(await freePort());
    const settings = {
      'cluster-enabled': 'yes',
      'cluster-port': bus,
      'cluster-announce-ip': '127.0.0.1',
    };
    const server = await ownRedis({ settings });
    const client = await nodeRedis(server);
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', firstSlot, lastSlot]);
    return { server, client, port: String(server.port), bus };
  }

  async function useAllSlots(store: RecordStore): Promise<void> {
    for (let call = 0; call < 20; call += 1) {
      expect(await put(store, `call ${call}`)).toBe(true);
      expect(await put(store, `call ${call}`, 'next', { was: 'value' })).toBe(true);
      expect(await store.get(`call ${call}`)).toBe('next');
    }
  }

  test('works with the cluster client of ioredis', async () => {
    const { port } = await startCluster();
    const cluster = new Cluster([{ host: '127.0.0.1', port }]);
    open.push(() => cluster.disconnect());
    await useAllSlots(redisStore(cluster));
  });

  test('works with the cluster client of node-redis through a function', async () => {
    const { url } = await startCluster();
    const cluster = createCluster({ rootNodes: [{ url }] });
    await cluster.connect();
    open.push(() => cluster.destroy());
    await useAllSlots(redisStore((command, key) => cluster.sendCommand(key, false, [...command])));
  });
});

describe('the keys in Redis', () => {
  test('consist of prefix and key, and hold the value as a string', async () => {
    const client = await nodeRedis(await ownRedis());
    await put(redisStore(client), 'a', 'of a');
    await put(redisStore(client, { prefix: 'p:' }), '{b}', 'of b');
    expect((await client.keys('*')).sort()).toEqual(['mcp-resolve:a', 'p:{b}']);
    expect(await client.mGet(['mcp-resolve:a', 'p:{b}'])).toEqual(['of a', 'of b']);
  });

  test('expire when the last put says, rounded up to a millisecond', async () => {
    const client = await nodeRedis(await ownRedis());
    const store = redisStore(client);
    const left = () => client.pTTL('mcp-resolve:a');
    await put(store, 'a', 'value', { ttlMs: 1_000_000 });
    expect(await left()).toSatisfy((ms: number) => ms > 900_000 && ms <= 1_000_000);
    await put(store, 'a', 'value', { ttlMs: 2_000_000.5 });
    expect(await left()).toSatisfy((ms: number) => ms > 1_900_000 && ms <= 2_000_001);
    await put(store, 'a', 'value', { ttlMs: 0 });
    await expect.poll(() => store.get('a')).toBeUndefined();
    await expect(put(store, 'a', 'value', { ttlMs: Infinity })).rejects.toThrow('not an integer');
  });
});

describe('the store on Redis', () => {
  test('refuses a key that holds something else than a record', async () => {
    const client = await nodeRedis(redis);
    await client.hSet('mcp-resolve:foreign', 'something', 'else');
    await expect(redisStore(client).get('foreign')).rejects.toThrow('WRONGTYPE');
    await expect(put(redisStore(client), 'foreign')).rejects.toThrow('WRONGTYPE');
  });

  test.each(['\0', 'a\ud800', '\udc00b'])('refuses %j before it reaches Redis', async (text) => {
    const store = redisStore(() => Promise.reject(new Error('a command was sent')));
    const refused = new TypeError(
      'A store takes well-formed strings without NUL, and the key or value has a NUL or a lone surrogate.',
    );
    await expect(store.get(text)).rejects.toThrow(refused);
    await expect(put(store, text)).rejects.toThrow(refused);
    await expect(put(store, 'key', text)).rejects.toThrow(refused);
    await expect(put(store, 'key', 'value', { was: text })).rejects.toThrow(refused);
  });
});

describe('the eviction policy', () => {
  const warning = (found: string): string =>
    `A call of a tool with \`once\` can run again if Redis drops its record. Set \`maxmemory-policy\` to \`noeviction\` (found: ${found}).`;

  test('causes no warning by default', async () => {
    for (const client of [await nodeRedis(redis), ioredis(redis)]) {
      const { logged, logger } = collectLogged();
      await redisStore(client, { logger }).get('call');
      expect(logged).toEqual([]);
    }
  });

  test('causes one warning per client if it drops records', async () => {
    const server = await ownRedis({ settings: { 'maxmemory-policy': 'volatile-lru' } });
    for (const client of [await nodeRedis(server), ioredis(server)]) {
      const { logged, logger } = collectLogged();
      const store = redisStore(client, { logger });
      await Promise.all([store.get('call'), store.get('call')]);
      await store.get('call');
      await redisStore(client, { logger }).get('call');
      expect(logged).toEqual([warning('volatile-lru')]);
    }
  });

  test('causes a warning if it is unknown, and the call continues', async () => {
    const client = await nodeRedis(redis);
    for (const [info, found] of [
      [Promise.reject(new Error('NOPERM')), 'NOPERM'],
      [Promise.resolve('# Memory\r\nused_memory:1\r\n'), 'not reported'],
      [Promise.resolve(undefined), 'Redis or its client returned an unexpected reply: undefined'],
    ] as const) {
      info.catch(() => undefined);
      const { logged, logger } = collectLogged();
      const send: RedisCommandSender = (command) =>
        command[0] === 'INFO' ? info : client.sendCommand(command);
      const id = `unknown policy: ${found}`;
      expect(await put(redisStore(send, { logger }), id)).toBe(true);
      expect(logged).toEqual([warning(found)]);
    }
  });

  test('is read only after Redis has answered', async () => {
    let away = true;
    const client = await nodeRedis(redis);
    const { logged, logger } = collectLogged();
    const store = redisStore(
      (command) => (away ? Promise.reject(new Error('away')) : client.sendCommand(command)),
      { logger },
    );
    await expect(store.get('call')).rejects.toThrow('away');
    away = false;
    expect(await store.get('call')).toBeUndefined();
    expect(logged).toEqual([]);
  });
});

describe('a Redis without free memory', () => {
  /** Writes a record, then sets the memory limit below the used memory. */
  async function full(): Promise<{ store: RecordStore; client: RedisClient }> {
    const client = await nodeRedis(await ownRedis());
    const store = redisStore(client);
    await put(store, 'known');
    await client.configSet('maxmemory', '1');
    return { store, client };
  }

  test('refuses a new record', async () => {
    const { store, client } = await full();
    for (const refused of [store, redisStore(client, { prefix: 'p:' })]) {
      const error: unknown = await put(refused, 'new').catch((e: unknown) => e);
      expect(error).toBeInstanceOf(StoreFullError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^Redis is full: OOM command not allowed/) as string,
        cause: expect.any(Error) as Error,
      });
      expect(await refused.get('new')).toBeUndefined();
    }
  });

  test('refuses to replace a record that it does not have', async () => {
    const { store } = await full();
    expect(await put(store, 'new', 'value', { was: 'gone' })).toBe(false);
    expect(await store.get('new')).toBeUndefined();
  });

  test('lets known records change and grow', async () => {
    const { store } = await full();
    const grown = 'é'.repeat(20_000);
    expect(await put(store, 'known', 'next', { was: 'other' })).toBe(false);
    expect(await put(store, 'known', grown, { was: 'value' })).toBe(true);
    expect(await put(store, 'known', grown, { was: 'value' })).toBe(true);
    expect(await store.get('known')).toBe(grown);
  });
});

describe('a Redis that goes down', () => {
  test.each([
    ['node-redis', nodeRedis],
    ['ioredis', async (server: RedisServer) => ioredis(server)],
  ] as const)('fails every step (%s)', async (_, connect) => {
    const server = await ownRedis();
    const store = redisStore(await connect(server));
    await put(store, 'call');
    await server.kill();
    await expect(store.get('call')).rejects.toThrow(Error);
    await expect(put(store, 'call')).rejects.toThrow(Error);
  });

  test('answers again when it is back, without its records', async () => {
    const server = await ownRedis();
    const store = redisStore(ioredis(server));
    await put(store, 'call');
    await server.kill();
    await expect(store.get('call')).rejects.toThrow(Error);
    await ownRedis({ port: server.port });
    await expect
      .poll(() => store.get('call').catch(() => 'away'), { timeout: 10_000 })
      .toBe(undefined);
  });
});

describe('a client', () => {
  test('is not used until the first step', async () => {
    const client = createClient({ url: redis.url });
    const store = redisStore(client);
    await client.connect();
    open.push(() => client.destroy());
    expect(await put(store, 'lazy')).toBe(true);
  });

  test('is refused if it is not a client', () => {
    for (const client of [undefined, null, {}, 'redis://127.0.0.1']) {
      expect(() => redisStore(client as never)).toThrow(
        new TypeError(
          'redisStore(): `client` must be a node-redis or ioredis client, or a function that sends a command. Write redisStore(createClient({ url })) with a client that connects.',
        ),
      );
    }
  });

  test('of a cluster or a sentinel is refused, with the remedy', () => {
    const root = { host: '127.0.0.1', port: 1 };
    for (const client of [
      createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] }),
      createSentinel({ name: 'any', sentinelRootNodes: [root] }),
    ]) {
      expect(() => redisStore(client as never)).toThrow(
        'Pass a function instead, such as (command, key) => cluster.sendCommand(key, false, [...command]).',
      );
    }
  });

  test('that is a function receives each command and its key', async () => {
    const sent: (string | undefined)[][] = [];
    const client = await nodeRedis(redis);
    const store = redisStore(
      (command, key) => {
        sent.push([command[0], key]);
        return client.sendCommand([...command]);
      },
      { prefix: 'p:' },
    );
    await put(store, 'id');
    await store.get('id');
    expect(sent).toEqual([
      ['EVAL', 'p:id'],
      ['INFO', 'p:id'],
      ['GET', 'p:id'],
    ]);
  });
});

test.each([
  [{ prefx: 'a' }, "redisStore() has no option 'prefx'. Known options: prefix, logger."],
  [{ prefix: '' }, 'redisStore(): `prefix` must be a non-empty string.'],
  [{ prefix: 5 }, 'redisStore(): `prefix` must be a non-empty string.'],
  [{ logger: {} }, 'redisStore(): `logger` must be an object with a `warn(message)` method.'],
  [{ logger: null }, 'redisStore(): `logger` must be an object with a `warn(message)` method.'],
  [null, 'redisStore(): `options` must be an object. Known options: prefix, logger.'],
])('redisStore refuses the options %j', (options, sentence) => {
  const send = () => Promise.resolve();
  expect(() => redisStore(send, options as object)).toThrow(new TypeError(sentence));
});
