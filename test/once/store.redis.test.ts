/**
 * The store on Redis, against a real one: the contract through every form of client, and what is
 * its own: keys, memory, eviction, and a Redis that goes away.
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

/** What a test opened. */
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function ownRedis(setup?: RedisSetup): Promise<RedisServer> {
  const server = await startRedis(setup);
  open.push(server.stop);
  return server;
}

/** Connects with node-redis; what goes wrong on the connection is for the commands to tell. */
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

/** Listens to what a store has to say. */
function listening() {
  const said: string[] = [];
  return { said, logger: { warn: (message: string) => said.push(message) } };
}

const lease = (owner: string, ttlMs = 60_000) => ({ owner, leaseMs: 30_000, ttlMs });
const end = (owner: string, result: string) => ({ owner, result, ttlMs: 60_000 });

describe('the contract of a store, on Redis', () => {
  /** One connection for all checks of a form. */
  const FORMS: Readonly<Record<string, () => Promise<[RedisOnceClient, close: () => unknown]>>> = {
    'node-redis': async () => {
      const client = await createClient({ url: redis.url }).connect();
      return [client, () => client.destroy()];
    },
    'node-redis, RESP 2': async () => {
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
    'a function that gives bytes': async () => {
      const client = await createClient({ url: redis.url }).connect();
      const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer };
      const send: RedisCommandSender = (command) => client.sendCommand(command, { typeMapping });
      return [send, () => client.destroy()];
    },
  };

  for (const [form, connect] of Object.entries(FORMS)) {
    describe.concurrent(form, () => {
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

      for (const { name, run } of onceStoreContract(() => store)) test(name, run);
    });
  }
});

describe('processes that share a Redis', () => {
  test('share what runs, through different clients', async () => {
    const one = redisOnceStore(await nodeRedis(redis));
    const other = redisOnceStore(ioredis(redis));
    expect(await one.claim('shared', lease('one'))).toBeUndefined();
    expect(await other.claim('shared', lease('other'))).toEqual({ state: 'running' });
    expect(await one.finish('shared', end('one', '"é😀"'))).toBe(true);
    expect(await other.read('shared')).toEqual({ state: 'done', result: '"é😀"' });
    expect(one.onlyThisProcess).toBe(false);
  });

  test('claim a call once, however many they are', async () => {
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

  test('do not share what has another prefix', async () => {
    const client = await nodeRedis(redis);
    const one = redisOnceStore(client, { prefix: 'one:' });
    const other = redisOnceStore(client, { prefix: 'other:' });
    await one.claim('call', lease('owner'));
    expect(await other.read('call')).toBeUndefined();
  });
});

describe('a cluster', () => {
  /** One node that has all slots, and is a cluster to its clients. */
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

  test('of ioredis finds the node by the key', async () => {
    const { port } = await startCluster();
    const cluster = new Cluster([{ host: '127.0.0.1', port }]);
    open.push(() => cluster.disconnect());
    await runCall(redisOnceStore(cluster));
  });

  test('of node-redis is reached through a function', async () => {
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
  test('are the prefix and the id, and hold what the store says they hold', async () => {
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

  test('expire by themselves after every step', async () => {
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

describe('the eviction policy', () => {
  const warning = (found: string): string =>
    `a call of a tool with 'once' can run again if Redis drops its record: set maxmemory-policy to noeviction (found: ${found})`;

  test('is fine by default, and nothing is said', async () => {
    for (const client of [await nodeRedis(redis), ioredis(redis)]) {
      const { said, logger } = listening();
      await redisOnceStore(client, { logger }).read('call');
      expect(said).toEqual([]);
    }
  });

  test('is warned of once if it drops records', async () => {
    const server = await ownRedis({ settings: { 'maxmemory-policy': 'volatile-lru' } });
    for (const client of [await nodeRedis(server), ioredis(server)]) {
      const { said, logger } = listening();
      const store = redisOnceStore(client, { logger });
      await Promise.all([store.read('call'), store.read('call')]);
      await store.read('call');
      await redisOnceStore(client, { logger }).read('call');
      expect(said).toEqual([warning('volatile-lru')]);
    }
  });

  test('is warned of if it cannot be found out, and the call goes on', async () => {
    const client = await nodeRedis(redis);
    for (const [info, found] of [
      [Promise.reject(new Error('NOPERM')), 'NOPERM'],
      [Promise.resolve('# Memory\r\nused_memory:1\r\n'), 'nothing about it'],
      [
        Promise.resolve(undefined),
        'Redis, or the client in front of it, gave an answer of another kind: undefined',
      ],
    ] as const) {
      info.catch(() => undefined);
      const { said, logger } = listening();
      const send: RedisCommandSender = (command) =>
        command[0] === 'INFO' ? info : client.sendCommand(command);
      const id = `unknown policy: ${found}`;
      expect(await redisOnceStore(send, { logger }).claim(id, lease('owner'))).toBeUndefined();
      expect(said).toEqual([warning(found)]);
    }
  });

  test('is looked up when Redis has answered, not while it is away', async () => {
    let away = true;
    const client = await nodeRedis(redis);
    const { said, logger } = listening();
    const store = redisOnceStore(
      (command) => (away ? Promise.reject(new Error('away')) : client.sendCommand(command)),
      { logger },
    );
    await expect(store.read('call')).rejects.toThrow('away');
    away = false;
    expect(await store.read('call')).toBeUndefined();
    expect(said).toEqual([]);
  });
});

describe('a Redis that has reached its limit', () => {
  /** Claims two calls, and then sets the limit below what is used. */
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

  test('refuses the end of a call that it does not know', async () => {
    const { store } = await full();
    await expect(store.finish('new', end('owner', 'x'))).rejects.toThrow(OnceStoreFullError);
    expect(await store.read('new')).toBeUndefined();
  });

  test('lets the calls that it knows be claimed again, renewed and finished', async () => {
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

describe('a Redis that goes away', () => {
  const steps = (store: OnceStore): (() => Promise<unknown>)[] => [
    () => store.read('call'),
    () => store.claim('call', lease('owner')),
    () => store.renew('call', lease('owner')),
    () => store.finish('call', end('owner', 'x')),
  ];

  test.each([
    ['node-redis', nodeRedis],
    ['ioredis', async (server: RedisServer) => ioredis(server)],
  ] as const)('fails every step ($0)', async (_, connect) => {
    const server = await ownRedis();
    const store = redisOnceStore(await connect(server));
    await store.claim('call', lease('owner'));
    await server.kill();
    for (const step of steps(store)) await expect(step()).rejects.toThrow(Error);
  });

  test('answers again when it is back, without what it knew', async () => {
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

  test('refuses what is no record', async () => {
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

describe('a client', () => {
  test.each([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'object'],
    ['a word', 'QUEUED', 'string'],
    ['a list of something else', [1], 'number'],
    ['a word that no script says', ['OK'], 'OK'],
    ['an empty list', [], ''],
  ])('that gives %s for an answer has not claimed anything', async (_, answer, shown) => {
    const store = redisOnceStore(async () => answer, { logger: listening().logger });
    const sentence = `Redis, or the client in front of it, gave an answer of another kind: ${shown}`;
    await expect(store.read('call')).rejects.toThrow(sentence);
    await expect(store.claim('call', lease('owner'))).rejects.toThrow(sentence);
    await expect(store.renew('call', lease('owner'))).rejects.toThrow(sentence);
    await expect(store.finish('call', end('owner', 'x'))).rejects.toThrow(sentence);
  });

  test('of another kind is refused', () => {
    for (const client of [undefined, null, {}, 'redis://127.0.0.1']) {
      expect(() => redisOnceStore(client as never)).toThrow(
        new TypeError(
          'redisOnceStore takes a client of node-redis or ioredis, or a function that sends a command',
        ),
      );
    }
  });

  test('that has to be told the key is refused, with the remedy', () => {
    const root = { host: '127.0.0.1', port: 1 };
    for (const client of [
      createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] }),
      createSentinel({ name: 'any', sentinelRootNodes: [root] }),
    ]) {
      expect(() => redisOnceStore(client as never)).toThrow(
        'give it a function, such as (command) => cluster.sendCommand(command[3], false, [...command])',
      );
    }
  });

  test('that is a function finds the key where the docs say', async () => {
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
  [{ prefx: 'a' }, "redisOnceStore has no option 'prefx' (known: prefix, logger)"],
  [{ prefix: '' }, "'prefix' is a text that is not empty"],
  [{ prefix: 5 }, "'prefix' is a text that is not empty"],
  [{ logger: {} }, "'logger' is an object with warn(text)"],
  [{ logger: null }, "'logger' is an object with warn(text)"],
  [null, 'the options of redisOnceStore are an object'],
])('options are refused where they make no sense: %j', (options, sentence) => {
  const send = () => Promise.resolve();
  expect(() => redisOnceStore(send, options as object)).toThrow(new TypeError(sentence));
});
