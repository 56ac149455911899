/**
 * Wrong keys and stores, which `install` and `toolHandler` refuse before a request arrives. Each
 * test loads the library again, because a process reads its environment once.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const INFO = { name: 'desk', version: '1.0.0' };
const KEY = '0123456789abcdef0123456789abcdef';
const SHORT = 'MCP_RESOLVE_KEYS: key 1 must have at least 32 bytes, got 5.';
const EMPTY = 'MCP_RESOLVE_KEYS: key 1 must have at least 32 bytes, got 0.';
const MISFIT =
  "Tool 'pay': the store of `once` or `approvals` is visible only to this process, but other processes may have the same keys, from MCP_RESOLVE_KEYS or from the seal.";

async function load() {
  const [root, node, v1] = await Promise.all([
    import('mcp-resolve'),
    import('mcp-resolve/node'),
    import('mcp-resolve/v1'),
  ]);
  const { confirm, defineTool, install, memoryStore, requestStateSeal } = root;
  const { resolver, toolHandler } = root;
  const approval = resolver({}, () => confirm('Pay?'), { asks: 'form' });
  const define = (store?: ReturnType<typeof memoryStore>) =>
    defineTool('pay', { resolve: { approval }, ...(store && { once: store }) }, () => 'paid');
  return {
    ...{ ...node, install, requestStateSeal, toolHandler },
    installV1: v1.install,
    pay: define(),
    payOnce: define(memoryStore()),
    paySingle: define(memoryStore({ singleProcess: true })),
  };
}

const newServer = (): McpServer => new McpServer(INFO);

beforeEach(() => {
  vi.resetModules();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe.each([
  ['short', SHORT],
  ['', EMPTY],
])('with MCP_RESOLVE_KEYS=%j', (value, sentence) => {
  beforeEach(() => vi.stubEnv('MCP_RESOLVE_KEYS', value));

  test('install throws on every kind of server', async () => {
    const { install, installV1, pay } = await load();
    const low = { capabilities: { tools: {} } };
    expect(() => install(newServer(), [pay])).toThrow(sentence);
    expect(() => install(new Server(INFO, low), [pay])).toThrow(sentence);
    expect(() => installV1(new ServerV1(INFO, low), [pay])).toThrow(sentence);
  });

  test('toolHandler throws', async () => {
    const { pay, toolHandler } = await load();
    expect(() => toolHandler(pay)).toThrow(sentence);
  });

  test('serveHttp ends with the sentence of install', async () => {
    const { install, pay, serveHttp } = await load();
    const factory = (): McpServer => {
      const server = newServer();
      install(server, [pay]);
      return server;
    };
    await expect(serveHttp(factory)).rejects.toThrow(sentence);
  });

  test('nothing throws if the author chose a seal', async () => {
    const { install, pay, requestStateSeal, toolHandler } = await load();
    const seal = requestStateSeal({ keys: [KEY], audience: 'desk' });
    const guarded = newServer();
    seal.protect(guarded);
    install(guarded, [pay]);
    install(newServer(), [pay], { seal });
    install(newServer(), [pay], { seal: requestStateSeal.ephemeral() });
    expect(toolHandler(pay, { seal })).toBeTypeOf('function');
  });
});

describe('with good keys in MCP_RESOLVE_KEYS', () => {
  beforeEach(() => vi.stubEnv('MCP_RESOLVE_KEYS', KEY));

  test('install and toolHandler refuse a store of this process', async () => {
    const { install, payOnce, toolHandler } = await load();
    expect(() => install(newServer(), [payOnce])).toThrow(MISFIT);
    expect(() => toolHandler(payOnce)).toThrow(MISFIT);
  });

  test('install and toolHandler accept the store of a single process', async () => {
    const { install, paySingle, toolHandler } = await load();
    install(newServer(), [paySingle]);
    expect(toolHandler(paySingle)).toBeTypeOf('function');
  });
});

describe('without MCP_RESOLVE_KEYS', () => {
  test('nothing throws, and a second install on a server still leaves the keys open', async () => {
    const { install, pay, payOnce, toolHandler } = await load();
    const server = newServer();
    install(server, [pay]);
    install(server, []);
    install(newServer(), [payOnce]);
    expect(toolHandler(payOnce)).toBeTypeOf('function');
    vi.stubEnv('MCP_RESOLVE_KEYS', KEY);
    expect(() => install(newServer(), [payOnce])).toThrow(MISFIT);
  });
});

test('serveHttp builds one server as for a modern client before it listens', async () => {
  const { serveHttp } = await load();
  const contexts: object[] = [];
  const served = await serveHttp((context) => {
    contexts.push(context);
    return newServer();
  });
  await served.close();
  expect(contexts).toEqual([{ era: 'modern' }]);
});

test('serveHttp closes the server that it builds before it listens', async () => {
  const { serveHttp } = await load();
  let closed = 0;
  const served = await serveHttp(() => {
    const server = newServer();
    const close = server.close.bind(server);
    server.close = async () => {
      closed += 1;
      await close();
    };
    return server;
  });
  expect(closed).toBe(1);
  await served.close();
});
