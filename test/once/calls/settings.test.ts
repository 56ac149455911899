/** The `once` of a tool, and the seal that its store has to fit. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, InvalidGraphError, resolver } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';

import { ownSeal, payTool, sharedSeal } from './support.js';

const SHAPE =
  "Tool 'pay': once is a store, or { store, waitMs, maxResultBytes }; make a store with memoryOnceStore() or redisOnceStore(client) of 'mcp-resolve/once'.";
const WAIT = "Tool 'pay': once has a waitMs that is not a number of milliseconds.";
const SIZE = "Tool 'pay': once has a maxResultBytes that is not a positive number.";

describe('the once of a tool', () => {
  const store = memoryOnceStore();
  const { finish: _, ...incomplete } = store;

  test.each([
    ['nothing', null, SHAPE],
    ['a word', 'memory', SHAPE],
    ['true', true, SHAPE],
    ['a function', () => store, SHAPE],
    ['the maker of a store', memoryOnceStore, SHAPE],
    ['no store', {}, SHAPE],
    ['settings without a store', { waitMs: 5 }, SHAPE],
    ['a store without finish', incomplete, SHAPE],
    ['a store without finish, in settings', { store: incomplete }, SHAPE],
    ['a misspelt setting', { store, waitMS: 5 }, SHAPE],
    ['a lease, which is not for the author to set', { store, leaseMs: 5 }, SHAPE],
    ['a wait of -1', { store, waitMs: -1 }, WAIT],
    ['a wait of NaN', { store, waitMs: NaN }, WAIT],
    ['a wait without end', { store, waitMs: Infinity }, WAIT],
    ['a wait in words', { store, waitMs: '5s' }, WAIT],
    ['a wait of null', { store, waitMs: null }, WAIT],
    ['a size of 0', { store, maxResultBytes: 0 }, SIZE],
    ['a size of -1', { store, maxResultBytes: -1 }, SIZE],
    ['a size of NaN', { store, maxResultBytes: NaN }, SIZE],
    ['a size in words', { store, maxResultBytes: '1mb' }, SIZE],
  ])('cannot be %s', (_, once, sentence) => {
    const define = () => defineTool('pay', { once: once as OnceStore }, () => 'paid');
    expect(define).toThrow(InvalidGraphError);
    expect(define).toThrow(sentence);
    expect(define).toThrow(expect.objectContaining({ code: 'ERR_DEFINITION', path: ['pay'] }));
  });

  test.each([
    ['a store', store],
    ['a store in settings', { store }],
    ['all settings', { store, waitMs: 0, maxResultBytes: 1 }],
    ['settings that are left out', { store, waitMs: undefined, maxResultBytes: undefined }],
    ['any size', { store, maxResultBytes: Infinity }],
    ['nothing at all', undefined],
  ])('can be %s', (_, once) => {
    expect(() => defineTool('pay', { once: once as OnceStore }, () => 'paid')).not.toThrow();
  });

  test('can be a store that is an object of a class', () => {
    class Store implements OnceStore {
      private readonly memory = memoryOnceStore();
      read = this.memory.read;
      claim = this.memory.claim;
      renew = this.memory.renew;
      finish = this.memory.finish;
    }
    expect(() => defineTool('pay', { once: new Store() }, () => 'paid')).not.toThrow();
  });

  test('that is misspelt is found', () => {
    const config = { onec: store } as object;
    expect(() => defineTool('pay', config, () => 'paid')).toThrow(
      "Tool 'pay' has no field 'onec': did you mean 'once'?",
    );
  });
});

describe('a store of this process alone', () => {
  const MISFIT =
    "install(): tool 'pay' remembers in this process alone that a call has run, but the seal has keys that other processes may share: use redisOnceStore(client), or memoryOnceStore({ singleProcess: true }) if there is only one process.";

  const codec = { seal: () => 'token', unseal: () => new Uint8Array() };

  const makers = {
    McpServer: () => new McpServer({ name: 'bank', version: '1.0.0' }),
    Server: () => new Server({ name: 'bank', version: '1.0.0' }, { capabilities: { tools: {} } }),
  };

  describe.each(Object.entries(makers))('on a %s', (_, newServer) => {
    test('does not go with keys that others may share', () => {
      const { tool } = payTool(memoryOnceStore());
      const run = () => install(newServer(), [tool], { seal: sharedSeal() });
      expect(run).toThrow(InvalidGraphError);
      expect(run).toThrow(MISFIT);
      expect(run).toThrow(expect.objectContaining({ code: 'ERR_DEFINITION', path: ['pay'] }));
    });

    test('does not go with them where they came first, with protect()', () => {
      const server = newServer();
      sharedSeal().protect(server);
      expect(() => install(server, [payTool(memoryOnceStore()).tool])).toThrow(MISFIT);
    });

    test('does not go with them where they come after it', () => {
      const { tool } = payTool(memoryOnceStore());
      const [one, two] = [newServer(), newServer()];
      install(one, [tool]);
      expect(() => sharedSeal().protect(one)).toThrow(MISFIT);
      install(two, [tool]);
      expect(() => install(two, [], { seal: sharedSeal() })).toThrow(MISFIT);
    });

    test('does not go with them where the tool is registered by itself', () => {
      const { tool } = payTool(memoryOnceStore());
      expect(() => tool.register(newServer(), { seal: sharedSeal() })).toThrow(MISFIT);
    });

    test('does not go with them in settings', () => {
      const { tool } = payTool({ store: memoryOnceStore(), waitMs: 5 });
      expect(() => install(newServer(), [tool], { seal: sharedSeal() })).toThrow(MISFIT);
    });

    test('is found among tools that have none', () => {
      const approved = resolver({}, () => confirm('Go?'));
      const other = defineTool('other', { resolve: { approved } }, () => 'went');
      const { tool } = payTool(memoryOnceStore());
      const run = () => install(newServer(), [other, tool], { seal: sharedSeal() });
      expect(run).toThrow(MISFIT);
    });

    test.each<[string, RequestStateSeal | undefined]>([
      ['the key of the process', undefined],
      ['a key of its own', ownSeal()],
    ])('goes with %s', (_, seal) => {
      const { tool } = payTool(memoryOnceStore());
      expect(() => install(newServer(), [tool], seal && { seal })).not.toThrow();
    });

    test('goes with shared keys where its author says that there is one process', () => {
      const { tool } = payTool(memoryOnceStore({ singleProcess: true }));
      expect(() => install(newServer(), [tool], { seal: sharedSeal() })).not.toThrow();
    });
  });

  test('does not go with a codec of the author either', () => {
    const { tool } = payTool(memoryOnceStore());
    const seal = sharedSeal({ keys: undefined, codec } as object);
    expect(() => install(makers.McpServer(), [tool], { seal })).toThrow(MISFIT);
  });

  test('is one that says so: a store of one’s own that says nothing is shared', () => {
    const { onlyThisProcess: __, ...store } = memoryOnceStore();
    const { tool } = payTool(store);
    expect(() => install(makers.McpServer(), [tool], { seal: sharedSeal() })).not.toThrow();
  });
});
