/** D15. On legacy nobody can answer a question that was not asked, nor bring a state along. */
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
const approval = resolver({}, () => elicit('Delete everything?', Ok));
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

test('D15: forged answers do not count: the question is pushed and the pushed answer used', async () => {
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

test('D15: forged answers do not help a client that cannot be asked', async () => {
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

test('D15: a genuine state of the modern era means nothing on legacy', async () => {
  const modern = await connectClient('modern', serving([wipe]), { elicit: [] });
  const { requestState } = await modern.sendRound('wipe');
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
  ['a text', 'junk'],
  ['an empty text', ''],
  ['a number', 7],
  ['null', null],
  ['an object', { v: 3 }],
])('D15: a state that is %s is rejected, and nothing runs', async (_, requestState) => {
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

describe('hand-written handlers on the same server are protected too', () => {
  /** What a handler finds in its context. */
  const found = (ctx: ServerContext): string =>
    JSON.stringify([ctx.mcpReq.inputResponses ?? null, ctx.mcpReq.requestState() ?? null]);

  const toolBy = (server: McpServer) =>
    server.registerTool('theirs', {}, (ctx) => ({ content: [{ type: 'text', text: found(ctx) }] }));
  const promptBy = (server: McpServer) =>
    server.registerPrompt('theirs', {}, (ctx) => ({
      messages: [{ role: 'user', content: { type: 'text', text: found(ctx) } }],
    }));
  const resourceBy = (server: McpServer) => {
    server.registerResource('fixed', 'test://fixed', {}, (uri, ctx) => ({
      contents: [{ uri: uri.href, text: found(ctx) }],
    }));
    return server.registerResource(
      'template',
      new ResourceTemplate('test://item/{id}', { list: undefined }),
      {},
      (uri, _variables, ctx) => ({ contents: [{ uri: uri.href, text: found(ctx) }] }),
    );
  };

  const factory = (when: string) => () => {
    const server = new McpServer({ name: 'mixed', version: '1.0.0' });
    const register = () => [toolBy, promptBy, resourceBy].forEach((by) => by(server));
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
    test.each(requests)('D15: %s %j does not see forged answers', async (method, params) => {
      const client = await rawLegacy(factory(when));
      const { result } = await client.request(method, { ...params, inputResponses: forged });

      expect(JSON.stringify(result)).toContain('[null,null]');
    });

    test.each(requests)('D15: %s %j never runs with a state', async (method, params) => {
      const client = await rawLegacy(factory(when));
      for (const requestState of ['awaiting-confirm', '', 7, null]) {
        const { error } = await client.request(method, { ...params, requestState });
        expect(error).toEqual(FROZEN);
      }
    });

    test('D15: nor does a handler of a low-level server', async () => {
      const low = () => {
        const server = new Server(
          { name: 'low', version: '1.0.0' },
          { capabilities: { tools: {} } },
        );
        const register = () => {
          server.setRequestHandler('tools/call', (_, ctx) => ({
            content: [{ type: 'text', text: found(ctx) }],
          }));
        };
        if (when === 'before') register();
        install(server, [wipe]);
        if (when === 'after') register();
        return server;
      };
      const client = await rawLegacy(low);
      const params = { name: 'theirs', arguments: {} };

      const { result } = await client.request('tools/call', { ...params, inputResponses: forged });
      expect(result?.content).toEqual([{ type: 'text', text: '[null,null]' }]);
      const { error } = await client.request('tools/call', { ...params, requestState: 'x' });
      expect(error).toEqual(FROZEN);
    });
  });
});

describe("the SDK's way of asking older clients for hand-written handlers still works", () => {
  /** Two questions, one after the other, with a state of its own. */
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
    { resolve: { ok: resolver({}, () => confirm('Go?')) } },
    () => 'went',
  );

  test.each(['before', 'after'])('D15: on an McpServer, registered %s install', async (when) => {
    const factory = () => {
      const server = new McpServer({ name: 'mixed', version: '1.0.0' });
      const register = () =>
        server.registerTool('deploy', { inputSchema: z.object({}) }, (_, ctx) => deploy(ctx));
      if (when === 'before') register();
      install(server, [go]);
      if (when === 'after') register();
      return server;
    };
    const chat = await connectClient('legacy', factory, {
      elicit: ({ message }) => accept(message === 'Go?' ? { confirm: true } : { ok: true }),
    });

    expect(await chat.text('deploy')).toBe('deployed');
    expect(await chat.text('go')).toBe('went');
    expect(chat.asked).toEqual(['Deploy?', 'Sure?', 'Go?']);
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

  test.each(['before', 'after'])('D15: on a low-level Server, set %s install', async (when) => {
    const factory = () => {
      const server = new Server({ name: 'low', version: '1.0.0' }, { capabilities: { tools: {} } });
      const register = () => {
        server.setRequestHandler('tools/call', (_, ctx) => deploy(ctx));
      };
      if (when === 'before') register();
      install(server, [go]);
      if (when === 'after') register();
      return server;
    };
    const chat = await connectClient('legacy', factory, {
      elicit: ({ message }) => accept(message === 'Go?' ? { confirm: true } : { ok: true }),
    });

    expect(await chat.text('deploy')).toBe('deployed');
    expect(await chat.text('go')).toBe('went');
    expect(chat.asked).toEqual(['Deploy?', 'Sure?', 'Go?']);
  });
});
