/**
 * The store on Redis, with a real server: the contract of stores through every kind of client,
 * keys, memory, eviction, and a server that goes down.
 */
import { Cluster, Redis as Ioredis } from 'ioredis';
import { onceStoreContract, OnceStoreFullError, redisOnceStore } from 'mcp-resolve/once';
import type { OnceStore, RedisCommandSender, RedisOnceClient } from 'mcp-resolve/once';
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { freePort, type RedisServer, type RedisSetup, startRedis } from '../support/redis.js';

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

const lease = (owner: string, ttlMs = 60_000) => ({ owner, leaseMs: 30_000, ttlMs });
const end = (owner: string, result: string) => ({ owner, result, ttlMs: 60_000 });

describe('the store on Redis follows the contract with', () => {
  /** The kinds of clients. Each has one connection for all checks. */
  const CLIENTS: Readonly<Record<string, () => Promise<[RedisOnceClient, close: () => unknown]>>> =
    {
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
      let store: OnceStore;
      let close: () => unknown;

      beforeAll(async () => {
        let client: RedisOnceClient;
        [client, close] = await connect();
        store = redisOnceStore(client);
      });

      afterAll(async () => {
        await close();
      });

      for (const check of onceStoreContract(() => store)) test(check.name, check.run);
    });
  }
});

describe('processes that share a Redis', () => {
  test('share claims and results through different clients', async () => {
    const one = redisOnceStore(await nodeRedis(redis));
    const other = redisOnceStore(ioredis(redis));
    expect(await one.claim('shared', lease('one'))).toBeUndefined();
    expect(await other.claim('shared', lease('other'))).toEqual({ state: 'running' });
    expect(await one.finish('shared', end('one', '"é😀"'))).toBe(true);
    expect(await other.read('shared')).toEqual({ state: 'done', result: '"é😀"' });
    expect(one.onlyThisProcess).toBe(false);
  });

  test('claim a call once if eight try at the same time', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => nodeRedis(redis)));
    const stores = clients.map((client) => redisOnceStore(client));
    for (let call = 0; call < 25; call += 1) {
      const claims = stores.map((store, owner) =>
        store.claim(`contended ${call}`, lease(`owner ${owner}`)),
      );
      const held = (await Promise.all(claims)).filter((known) => known === undefined);
      expect(held).toHaveLength(1);
    }
  });

  test('do not share records with another prefix', async () => {
    const client = await nodeRedis(redis);
    const one = redisOnceStore(client, { prefix: 'one:' });
    const other = redisOnceStore(client, { prefix: 'other:' });
    await one.claim('call', lease('owner'));
    expect(await other.read('call')).toBeUndefined();
  });
});

describe('a cluster', () => {
  /** Starts a cluster of one node that has all slots. */
  async function startCluster(): Promise<RedisServer> {
    const bus = String(await freePort());
    const server = await ownRedis({
      settings: {
        'cluster-enabled': 'yes',
        'cluster-port': bus,
        'cluster-announce-ip': '127.0.0.1',
      },
    });
    const client = await nodeRedis(server);
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
    const state = (): Promise<string> => client.sendCommand(['CLUSTER', 'INFO']);
    await expect.poll(state, { timeout: 10_000 }).toContain('cluster_state:ok');
    return server;
  }

  async function runCall(store: OnceStore): Promise<void> {
    for (const id of ['one', 'two', 'three']) {
      expect(await store.claim(id, lease('owner'))).toBeUndefined();
      expect(await store.renew(id, lease('owner'))).toBe(true);
      expect(await store.finish(id, end('owner', id))).toBe(true);
      expect(await store.read(id)).toEqual({ state: 'done', result: id });
    }
  }

  test('works with the cluster client of ioredis', async () => {
    const { port } = await startCluster();
    const cluster = new Cluster([{ host: '127.0.0.1', port }]);
    open.push(() => cluster.disconnect());
    await runCall(redisOnceStore(cluster));
  });

  test('works with the cluster client of node-redis through a function', async () => {
    const { url } = await startCluster();
    const cluster = createCluster({ rootNodes: [{ url }] });
    await cluster.connect();
    open.push(() => cluster.destroy());
    await runCall(
      redisOnceStore((command) => cluster.sendCommand(command[3], false, [...command])),
    );
  });
});

describe('the keys in Redis', () => {
  test('consist of prefix and id, and hold the documented fields', async () => {
    const client = await nodeRedis(await ownRedis());
    const store = redisOnceStore(client);
    await store.claim('a', lease('owner'));
    await redisOnceStore(client, { prefix: 'p:' }).finish('{b}', end('owner', 'kept'));
    expect((await client.keys('*')).sort()).toEqual(['mcp-resolve:once:a', 'p:{b}']);
    const claimed = await client.hGetAll('mcp-resolve:once:a');
    expect(Object.keys(claimed).sort()).toEqual(['heldUntil', 'owner']);
    expect(claimed.heldUntil).toMatch(/^\d{13}$/);
    expect({ ...(await client.hGetAll('p:{b}')) }).toEqual({ owner: 'owner', result: 'kept' });
  });

  test('have a new expiry after every step', async () => {
    const client = await nodeRedis(await ownRedis());
    const store = redisOnceStore(client);
    const left = () => client.pTTL('mcp-resolve:once:a');
    await store.claim('a', lease('owner', 1_000_000));
    expect(await left()).toSatisfy((ms: number) => ms > 900_000 && ms <= 1_000_000);
    await store.renew('a', lease('owner', 2_000_000.5));
    expect(await left()).toSatisfy((ms: number) => ms > 1_900_000 && ms <= 2_000_001);
    await store.finish('a', { ...end('owner', 'x'), ttlMs: 3_000_000 });
    expect(await left()).toSatisfy((ms: number) => ms > 2_900_000 && ms <= 3_000_000);
  });
});

describe('the store on Redis', () => {
  test('refuses a key that holds something else than a record', async () => {
    const client = await nodeRedis(redis);
    await client.set('mcp-resolve:once:foreign', 'something else');
    for (const step of [
      () => redisOnceStore(client).read('foreign'),
      () => redisOnceStore(client).claim('foreign', lease('owner')),
    ]) {
      await expect(step()).rejects.toThrow('WRONGTYPE');
    }
  });
});

describe('the eviction policy', () => {
  const warning = (found: string): string =>
    `A call of a tool with \`once\` can run again if Redis drops its record. Set \`maxmemory-policy\` to \`noeviction\` (found: ${found}).`;

  test('causes no warning by default', async () => {
    for (const client of [await nodeRedis(redis), ioredis(redis)]) {
      const { logged, logger } = collectLogged();
      await redisOnceStore(client, { logger }).read('call');
      expect(logged).toEqual([]);
    }
  });

  test('causes one warning per client if it drops records', async () => {
    const server = await ownRedis({ settings: { 'maxmemory-policy': 'volatile-lru' } });
    for (const client of [await nodeRedis(server), ioredis(server)]) {
      const { logged, logger } = collectLogged();
      const store = redisOnceStore(client, { logger });
      await Promise.all([store.read('call'), store.read('call')]);
      await store.read('call');
      await redisOnceStore(client, { logger }).read('call');
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
      expect(await redisOnceStore(send, { logger }).claim(id, lease('owner'))).toBeUndefined();
      expect(logged).toEqual([warning(found)]);
    }
  });

  test('is read only after Redis has answered', async () => {
    let away = true;
    const client = await nodeRedis(redis);
    const { logged, logger } = collectLogged();
    const store = redisOnceStore(
      (command) => (away ? Promise.reject(new Error('away')) : client.sendCommand(command)),
      { logger },
    );
    await expect(store.read('call')).rejects.toThrow('away');
    away = false;
    expect(await store.read('call')).toBeUndefined();
    expect(logged).toEqual([]);
  });
});

describe('a Redis without free memory', () => {
  /** Claims two calls, then sets the memory limit below the used memory. */
  async function full(): Promise<{ store: OnceStore; client: RedisOnceClient }> {
    const client = await nodeRedis(await ownRedis());
    const store = redisOnceStore(client);
    await store.claim('claimed', lease('owner'));
    await store.claim('finished', lease('owner'));
    await store.finish('finished', end('owner', 'kept'));
    await client.configSet('maxmemory', '1');
    return { store, client };
  }

  test('refuses a new call', async () => {
    const { store, client } = await full();
    for (const refused of [store, redisOnceStore(client, { prefix: 'p:' })]) {
      const error: unknown = await refused.claim('new', lease('owner')).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(OnceStoreFullError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^Redis is full: OOM command not allowed/) as string,
        cause: expect.any(Error) as Error,
      });
      expect(await refused.read('new')).toBeUndefined();
    }
  });

  test('refuses to finish an unknown call', async () => {
    const { store } = await full();
    await expect(store.finish('new', end('owner', 'x'))).rejects.toThrow(OnceStoreFullError);
    expect(await store.read('new')).toBeUndefined();
  });

  test('claims, renews and finishes known calls', async () => {
    const { store } = await full();
    expect(await store.claim('claimed', lease('other'))).toEqual({ state: 'running' });
    expect(await store.claim('finished', lease('other'))).toEqual({
      state: 'done',
      result: 'kept',
    });
    expect(await store.renew('claimed', lease('other'))).toBe(false);
    expect(await store.renew('claimed', lease('owner'))).toBe(true);
    expect(await store.finish('claimed', end('other', 'x'))).toBe(false);
    expect(await store.finish('claimed', end('owner', 'é'.repeat(20_000)))).toBe(true);
    expect(await store.read('claimed')).toEqual({ state: 'done', result: 'é'.repeat(20_000) });
  });
});

describe('a Redis that goes down', () => {
  const steps = (store: OnceStore): (() => Promise<unknown>)[] => [
    () => store.read('call'),
    () => store.claim('call', lease('owner')),
    () => store.renew('call', lease('owner')),
    () => store.finish('call', end('owner', 'x')),
  ];

  test.each([
    ['node-redis', nodeRedis],
    ['ioredis', async (server: RedisServer) => ioredis(server)],
  ] as const)('fails every step (%s)', async (_, connect) => {
    const server = await ownRedis();
    const store = redisOnceStore(await connect(server));
    await store.claim('call', lease('owner'));
    await server.kill();
    for (const step of steps(store)) await expect(step()).rejects.toThrow(Error);
  });

  test('answers again when it is back, without its records', async () => {
    const server = await ownRedis();
    const store = redisOnceStore(ioredis(server));
    await store.claim('call', lease('owner'));
    await server.kill();
    await expect(store.read('call')).rejects.toThrow(Error);
    await ownRedis({ port: server.port });
    await expect
      .poll(() => store.read('call').catch(() => 'away'), { timeout: 10_000 })
      .toBe(undefined);
  });
});

describe('a client', () => {
  test.each([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'object'],
    ['a string', 'QUEUED', 'string'],
    ['an array of numbers', [1], 'number'],
    ['an array with an unknown word', ['OK'], 'OK'],
    ['an empty array', [], ''],
  ])('that replies with %s fails every step', async (_, answer, shown) => {
    const store = redisOnceStore(async () => answer, { logger: collectLogged().logger });
    const sentence = `Redis or its client returned an unexpected reply: ${shown}`;
    await expect(store.read('call')).rejects.toThrow(sentence);
    await expect(store.claim('call', lease('owner'))).rejects.toThrow(sentence);
    await expect(store.renew('call', lease('owner'))).rejects.toThrow(sentence);
    await expect(store.finish('call', end('owner', 'x'))).rejects.toThrow(sentence);
  });

  test('is refused if it is not a client', () => {
    for (const client of [undefined, null, {}, 'redis://127.0.0.1']) {
      expect(() => redisOnceStore(client as never)).toThrow(
        new TypeError(
          'redisOnceStore(): `client` must be a node-redis or ioredis client, or a function that sends a command.',
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
      expect(() => redisOnceStore(client as never)).toThrow(
        'Pass a function instead, such as (command) => cluster.sendCommand(command[3], false, [...command]).',
      );
    }
  });

  test('that is a function receives the key as the fourth word', async () => {
    const commands: (readonly string[])[] = [];
    const client = await nodeRedis(redis);
    const store = redisOnceStore(
      (command) => {
        commands.push(command);
        return client.sendCommand(command);
      },
      { prefix: 'p:' },
    );
    await store.claim('id', lease('owner'));
    expect(commands.map((command) => [command[0], command[3]])).toEqual([
      ['EVAL', 'p:id'],
      ['INFO', undefined],
    ]);
  });
});

test.each([
  [{ prefx: 'a' }, "redisOnceStore() has no option 'prefx'. Known options: prefix, logger."],
  [{ prefix: '' }, 'redisOnceStore(): `prefix` must be a non-empty string.'],
  [{ prefix: 5 }, 'redisOnceStore(): `prefix` must be a non-empty string.'],
  [{ logger: {} }, 'redisOnceStore(): `logger` must be an object with a `warn(message)` method.'],
  [{ logger: null }, 'redisOnceStore(): `logger` must be an object with a `warn(message)` method.'],
  [null, 'redisOnceStore(): `options` must be an object.'],
])('redisOnceStore refuses the options %j', (options, sentence) => {
  const send = () => Promise.resolve();
  expect(() => redisOnceStore(send, options as object)).toThrow(new TypeError(sentence));
});
