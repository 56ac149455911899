/** The option `once` of a tool, and the seals that its store can be combined with. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, memoryStore, resolver } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import type { PutOptions, RecordStore } from 'mcp-resolve/store';
import { describe, expect, test } from 'vitest';

import { ownSeal, payTool, sharedSeal } from './support.js';

const SHAPE =
  "Tool 'pay': `once` must be a store, or an object { store, waitMs, maxResultBytes }. Create a store with memoryStore(), redisStore(client) or postgresStore(client) from 'mcp-resolve/store'.";
const WAIT = "Tool 'pay': `once.waitMs` must be a non-negative, finite number of milliseconds.";
const SIZE = "Tool 'pay': `once.maxResultBytes` must be a positive number.";

describe('the option once', () => {
  const store = memoryStore();
  const incomplete = { get: (key: string) => store.get(key) };

  test.each([
    ['null', null, SHAPE],
    ['a string', 'memory', SHAPE],
    ['true', true, SHAPE],
    ['a function', () => store, SHAPE],
    ['memoryStore itself', memoryStore, SHAPE],
    ['an empty object', {}, SHAPE],
    ['settings without a store', { waitMs: 5 }, SHAPE],
    ['a store without put', incomplete, SHAPE],
    ['settings with an incomplete store', { store: incomplete }, SHAPE],
    ['settings with the misspelled name waitMS', { store, waitMS: 5 }, SHAPE],
    ['settings with the unknown name leaseMs', { store, leaseMs: 5 }, SHAPE],
    ['a waitMs of -1', { store, waitMs: -1 }, WAIT],
    ['a waitMs of NaN', { store, waitMs: NaN }, WAIT],
    ['a waitMs of Infinity', { store, waitMs: Infinity }, WAIT],
    ['a waitMs that is a string', { store, waitMs: '5s' }, WAIT],
    ['a waitMs of null', { store, waitMs: null }, WAIT],
    ['a maxResultBytes of 0', { store, maxResultBytes: 0 }, SIZE],
    ['a maxResultBytes of -1', { store, maxResultBytes: -1 }, SIZE],
    ['a maxResultBytes of NaN', { store, maxResultBytes: NaN }, SIZE],
    ['a maxResultBytes that is a string', { store, maxResultBytes: '1mb' }, SIZE],
  ])('refuses %s', (_, once, sentence) => {
    const define = () => defineTool('pay', { once: once as RecordStore }, () => 'paid');
    expect(define).toThrow(new TypeError(sentence));
  });

  test.each([
    ['a store', store],
    ['settings with only a store', { store }],
    ['all settings', { store, waitMs: 0, maxResultBytes: 1 }],
    ['settings that are undefined', { store, waitMs: undefined, maxResultBytes: undefined }],
    ['a maxResultBytes of Infinity', { store, maxResultBytes: Infinity }],
    ['undefined', undefined],
  ])('accepts %s', (_, once) => {
    expect(() => defineTool('pay', { once: once as RecordStore }, () => 'paid')).not.toThrow();
  });

  test('accepts an instance of a class', () => {
    class Store implements RecordStore {
      private readonly memory = memoryStore();
      get(key: string) {
        return this.memory.get(key);
      }
      put(key: string, value: string, how: PutOptions) {
        return this.memory.put(key, value, how);
      }
    }
    expect(() => defineTool('pay', { once: new Store() }, () => 'paid')).not.toThrow();
  });

  test('is suggested if its name is misspelled', () => {
    const config = { onec: store } as object;
    expect(() => defineTool('pay', config, () => 'paid')).toThrow(
      "Tool 'pay' has no option 'onec'. Did you mean 'once'?",
    );
  });
});

describe('a store that only this process sees', () => {
  const MISFIT =
    "Tool 'pay': the store of `once` or `approvals` is visible only to this process, but other processes may have the same keys, from MCP_RESOLVE_KEYS or from the seal. Use redisStore(client) or postgresStore(client), or memoryStore({ singleProcess: true }) if there is only one process.";

  const codec = { seal: () => 'token', unseal: () => new Uint8Array() };

  const makers = {
    McpServer: () => new McpServer({ name: 'bank', version: '1.0.0' }),
    Server: () => new Server({ name: 'bank', version: '1.0.0' }, { capabilities: { tools: {} } }),
  };

  describe.each(Object.entries(makers))('on a %s', (_, newServer) => {
    test('is refused with keys that other processes may share', () => {
      const { tool } = payTool(memoryStore());
      const run = () => install(newServer(), [tool], { seal: sharedSeal() });
      expect(run).toThrow(new TypeError(MISFIT));
    });

    test('is refused after protect() with shared keys', () => {
      const server = newServer();
      sharedSeal().protect(server);
      expect(() => install(server, [payTool(memoryStore()).tool])).toThrow(MISFIT);
    });

    test('makes a later seal with shared keys fail', () => {
      const { tool } = payTool(memoryStore());
      const [one, two] = [newServer(), newServer()];
      install(one, [tool]);
      expect(() => sharedSeal().protect(one)).toThrow(MISFIT);
      install(two, [tool]);
      expect(() => install(two, [], { seal: sharedSeal() })).toThrow(MISFIT);
    });

    test('is refused with shared keys if it is given in settings', () => {
      const { tool } = payTool({ store: memoryStore(), waitMs: 5 });
      expect(() => install(newServer(), [tool], { seal: sharedSeal() })).toThrow(MISFIT);
    });

    test('is refused with shared keys if only the second tool has it', () => {
      const approved = resolver({}, () => confirm('Go?'), { asks: 'form' });
      const other = defineTool('other', { resolve: { approved } }, () => 'went');
      const { tool } = payTool(memoryStore());
      const run = () => install(newServer(), [other, tool], { seal: sharedSeal() });
      expect(run).toThrow(MISFIT);
    });

    test.each<[string, RequestStateSeal | undefined]>([
      ['the default seal', undefined],
      ['an ephemeral seal', ownSeal()],
    ])('is accepted with %s', (_, seal) => {
      const { tool } = payTool(memoryStore());
      expect(() => install(newServer(), [tool], seal && { seal })).not.toThrow();
    });

    test('is accepted with shared keys if singleProcess is set', () => {
      const { tool } = payTool(memoryStore({ singleProcess: true }));
      expect(() => install(newServer(), [tool], { seal: sharedSeal() })).not.toThrow();
    });
  });

  test('is refused with a custom codec', () => {
    const { tool } = payTool(memoryStore());
    const seal = sharedSeal({ keys: undefined, codec } as object);
    expect(() => install(makers.McpServer(), [tool], { seal })).toThrow(MISFIT);
  });

  test('has onlyIn, and a store without it is accepted with shared keys', () => {
    const { onlyIn: __, ...store } = memoryStore();
    const { tool } = payTool(store);
    expect(() => install(makers.McpServer(), [tool], { seal: sharedSeal() })).not.toThrow();
  });
});
