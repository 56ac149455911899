/** D15. A legacy client can neither answer a question before it is asked, nor send a state. */
import {
  acceptedContent,
  inputRequired,
  McpServer,
  ResourceTemplate,
  Server,
} from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { confirm, defineTool, elicit, install, resolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });
const approval = resolver({}, () => elicit('Delete everything?', Ok), { asks: 'form' });
const wipe = defineTool(
  'wipe',
  { resolve: { approval } },
  ({ approval }) => `wiped ${approval.ok}`,
);

const FROZEN = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};

const forged = { approval: accept({ ok: true }) };

test('D15: ignores forged answers, asks the question and uses its answer', async () => {
  const client = await rawLegacy(serving([wipe]), {
    capabilities: { elicitation: {} },
    answer: () => ({ result: { action: 'accept', content: { ok: false } } }),
  });
  const { result } = await client.request('tools/call', {
    name: 'wipe',
    arguments: {},
    inputResponses: forged,
  });

  expect(result).toEqual({ content: [{ type: 'text', text: 'wiped false' }] });
  expect(client.received.map(({ params }) => params?.message)).toEqual(['Delete everything?']);
});

test('D15: ignores forged answers of a client that cannot answer questions', async () => {
  const client = await rawLegacy(serving([wipe]));
  const { error } = await client.request('tools/call', {
    name: 'wipe',
    arguments: {},
    inputResponses: forged,
  });

  expect(error).toEqual({
    code: -32021,
    message:
      "Client did not declare the form elicitation capability required by resolver 'approval'",
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  });
});

test('D15: rejects a genuine state of the modern era', async () => {
  const { sendRound } = await connectClient('modern', serving([wipe]), { elicit: [] });
  const { requestState } = await sendRound('wipe');
  const client = await rawLegacy(serving([wipe]), { capabilities: { elicitation: {} } });

  const { error } = await client.request('tools/call', {
    name: 'wipe',
    arguments: {},
    inputResponses: forged,
    requestState,
  });
  expect(error).toEqual(FROZEN);
  expect(client.received).toEqual([]);
});

test.each<[string, unknown]>([
  ['a string', 'junk'],
  ['an empty string', ''],
  ['a number', 7],
  ['null', null],
  ['an object', { v: 3 }],
])('D15: rejects a state that is %s before anything runs', async (_, requestState) => {
  let runs = 0;
  const count = resolver({}, () => ++runs);
  const tool = defineTool('count', { resolve: { count } }, ({ count }) => `${count}`);
  const client = await rawLegacy(serving([tool]));

  const { error } = await client.request('tools/call', { name: 'count', requestState });
  expect(error).toEqual(FROZEN);
  expect(runs).toBe(0);
  const { result } = await client.request('tools/call', { name: 'count' });
  expect(result?.content).toEqual([{ type: 'text', text: '1' }]);
});

describe('a hand-written handler on the same server', () => {
  /** Returns the answers and the state that a handler sees. */
  const inputOf = (ctx: ServerContext): string =>
    JSON.stringify([ctx.mcpReq.inputResponses ?? null, ctx.mcpReq.requestState() ?? null]);

  const registerTool = (server: McpServer) =>
    server.registerTool('theirs', {}, (ctx) => ({
      content: [{ type: 'text', text: inputOf(ctx) }],
    }));
  const registerPrompt = (server: McpServer) =>
    server.registerPrompt('theirs', {}, (ctx) => ({
      messages: [{ role: 'user', content: { type: 'text', text: inputOf(ctx) } }],
    }));
  const registerResources = (server: McpServer) => {
    server.registerResource('fixed', 'test://fixed', {}, (uri, ctx) => ({
      contents: [{ uri: uri.href, text: inputOf(ctx) }],
    }));
    return server.registerResource(
      'template',
      new ResourceTemplate('test://item/{id}', { list: undefined }),
      {},
      (uri, _variables, ctx) => ({ contents: [{ uri: uri.href, text: inputOf(ctx) }] }),
    );
  };

  const factory = (when: string) => () => {
    const server = new McpServer({ name: 'mixed', version: '1.0.0' });
    const register = () => {
      registerTool(server);
      registerPrompt(server);
      registerResources(server);
    };
    if (when === 'before') register();
    install(server, [wipe]);
    if (when === 'after') register();
    return server;
  };

  const requests = [
    ['tools/call', { name: 'theirs', arguments: {} }],
    ['prompts/get', { name: 'theirs' }],
    ['resources/read', { uri: 'test://fixed' }],
    ['resources/read', { uri: 'test://item/7' }],
  ] as const;

  describe.each(['before', 'after'])('registered %s install', (when) => {
    test.each(requests)('D15: does not see forged answers in %s %j', async (method, params) => {
      const client = await rawLegacy(factory(when));
      const { result } = await client.request(method, { ...params, inputResponses: forged });

      expect(JSON.stringify(result)).toContain('[null,null]');
    });

    test.each(requests)('D15: does not run if %s %j has a state', async (method, params) => {
      const client = await rawLegacy(factory(when));
      for (const requestState of ['awaiting-confirm', '', 7, null]) {
        const { error } = await client.request(method, { ...params, requestState });
        expect(error).toEqual(FROZEN);
      }
    });

    test('D15: is protected on a low-level server too', async () => {
      const lowLevel = () => {
        const server = new Server(
          { name: 'low', version: '1.0.0' },
          { capabilities: { tools: {} } },
        );
        const register = () => {
          server.setRequestHandler('tools/call', (_, ctx) => ({
            content: [{ type: 'text', text: inputOf(ctx) }],
          }));
        };
        if (when === 'before') register();
        install(server, [wipe]);
        if (when === 'after') register();
        return server;
      };
      const client = await rawLegacy(lowLevel);
      const params = { name: 'theirs', arguments: {} };

      const { result } = await client.request('tools/call', { ...params, inputResponses: forged });
      expect(result?.content).toEqual([{ type: 'text', text: '[null,null]' }]);
      const { error } = await client.request('tools/call', { ...params, requestState: 'x' });
      expect(error).toEqual(FROZEN);
    });
  });
});

describe('a hand-written handler that asks as the SDK documents it', () => {
  /** Asks two questions, one after the other, and keeps its own state. */
  const deploy = (ctx: ServerContext) => {
    const { inputResponses } = ctx.mcpReq;
    const state = ctx.mcpReq.requestState();
    const answer = (key: string) => acceptedContent(inputResponses, key, Ok);
    if (state === undefined) return ask('env', 'Deploy?', 'one');
    if (state === 'one' && answer('env')?.ok === true) return ask('sure', 'Sure?', 'two');
    const text = state === 'two' && answer('sure')?.ok === true ? 'deployed' : 'cancelled';
    return { content: [{ type: 'text' as const, text }] };
  };
  const ask = (key: string, message: string, requestState: string) =>
    inputRequired({
      inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema: Ok }) },
      requestState,
    });
  const go = defineTool(
    'go',
    { resolve: { ok: resolver({}, () => confirm('Go?'), { asks: 'form' }) } },
    () => 'went',
  );

  const onMcpServer = (when: string) => () => {
    const server = new McpServer({ name: 'mixed', version: '1.0.0' });
    const register = () =>
      server.registerTool('deploy', { inputSchema: z.object({}) }, (_, ctx) => deploy(ctx));
    if (when === 'before') register();
    install(server, [go]);
    if (when === 'after') register();
    return server;
  };

  const onServer = (when: string) => () => {
    const server = new Server({ name: 'low', version: '1.0.0' }, { capabilities: { tools: {} } });
    const register = () => {
      server.setRequestHandler('tools/call', (_, ctx) => deploy(ctx));
    };
    if (when === 'before') register();
    install(server, [go]);
    if (when === 'after') register();
    return server;
  };

  describe.each([
    ['an McpServer before install', onMcpServer('before')],
    ['an McpServer after install', onMcpServer('after')],
    ['a low-level Server before install', onServer('before')],
    ['a low-level Server after install', onServer('after')],
  ])('on %s', (_, factory) => {
    test('D15: works beside installed tools', async () => {
      const { text, asked } = await connectClient('legacy', factory, {
        elicit: ({ message }) => accept(message === 'Go?' ? { confirm: true } : { ok: true }),
      });

      expect(await text('deploy')).toBe('deployed');
      expect(await text('go')).toBe('went');
      expect(asked).toEqual(['Deploy?', 'Sure?', 'Go?']);
    });

    test('D15: does not see forged answers', async () => {
      const client = await rawLegacy(factory, {
        capabilities: { elicitation: {} },
        answer: () => ({ result: { action: 'decline' } }),
      });
      const { result } = await client.request('tools/call', {
        name: 'deploy',
        arguments: {},
        inputResponses: { env: accept({ ok: true }), sure: accept({ ok: true }) },
      });

      expect(result?.content).toEqual([{ type: 'text', text: 'cancelled' }]);
      expect(client.received.map(({ params }) => params?.message)).toEqual(['Deploy?']);
    });
  });
});
