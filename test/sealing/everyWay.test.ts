/**
 * Every way into a definition: on both server classes of the SDK, as a tool, a prompt and a
 * resource, through `toolHandler` in every kind of host, and through the engine behind a seal. In
 * each, state that the client wrote never counts, and no state leaves unsealed.
 */
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  install,
  requestStateSeal,
  resolver,
  toolHandler,
} from 'mcp-resolve';
import type { AnyDefinition, RequestStateSeal, SealSettings } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import { describe, expect, test } from 'vitest';

import { SILENT } from '../support/servers.js';
import type { Factory } from '../support/servers.js';
import { ACCEPT, endOf, KEY, overHttp, overStdio, tokenOf } from './desk.js';
import type { Send } from './desk.js';

let ran = 0;
const approved = resolver({}, () => confirm('Run?'), { asks: 'form' });
const body = (): string => {
  ran += 1;
  return 'ran';
};
const resolve = { confirm: approved };
const tool = defineTool('run', { resolve }, body);
const prompt = definePrompt('run', { resolve }, body);
const fixed = defineResource('run', 'https://bücher.example/run', { resolve }, body);
const template = defineResource(
  'any',
  new ResourceTemplate('run://{id}', { list: undefined }),
  { resolve },
  body,
);

const INFO = { name: 'ways', version: '1.0.0' };
const CALL = { method: 'tools/call', params: { name: 'run' } };
const sealOf = (settings: SealSettings = {}): RequestStateSeal =>
  requestStateSeal({ keys: [KEY], audience: 'ways', logger: SILENT, ...settings });

interface Way {
  readonly way: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly host: (seal: RequestStateSeal | undefined) => Factory;
}

const options = (seal: RequestStateSeal | undefined) => ({
  ...(seal && { seal }),
  logger: SILENT,
});

const onMcpServer =
  (definition: AnyDefinition): Way['host'] =>
  (seal) =>
  () => {
    const server = new McpServer(INFO);
    install(server, [definition], options(seal));
    return server;
  };

/** The server has handlers of its own, which answer everything else. */
const onServer =
  (definition: AnyDefinition, order: 'before' | 'after'): Way['host'] =>
  (seal) =>
  () => {
    const server = new Server(INFO, { capabilities: { tools: {}, prompts: {}, resources: {} } });
    const own = (): void => {
      server.setRequestHandler('tools/call', () => ({ content: [] }));
      server.setRequestHandler('prompts/get', () => ({ messages: [] }));
      server.setRequestHandler('resources/read', () => ({ contents: [] }));
    };
    if (order === 'before') own();
    install(server, [definition], options(seal));
    if (order === 'after') own();
    return server;
  };

/** A hand-written tool of a host, which calls `toolHandler` or the engine. */
const byHand =
  (answer: (ctx: ServerContext) => Promise<unknown>, server: 'McpServer' | 'Server') => () => {
    if (server === 'Server') {
      const low = new Server(INFO, { capabilities: { tools: {} } });
      low.setRequestHandler('tools/call', (_, ctx) => answer(ctx) as never);
      return low;
    }
    const mcp = new McpServer(INFO);
    mcp.registerTool('run', {}, (ctx) => answer(ctx) as never);
    return mcp;
  };

const inHandler =
  (server: 'McpServer' | 'Server'): Way['host'] =>
  (seal) => {
    const handler = toolHandler(tool, options(seal));
    return byHand((ctx) => handler({}, ctx), server);
  };

const inHandlerBehindInstall =
  (server: 'McpServer' | 'Server'): Way['host'] =>
  (seal) =>
  () => {
    const handler = toolHandler(tool, options(seal));
    const built = byHand((ctx) => handler({}, ctx), server)();
    install(built, [], options(seal));
    return built;
  };

const plan = planResolvers({ name: 'run', resolve }, []);
const inEngine: Way['host'] = (seal) => () => {
  const server = byHand(async (ctx) => {
    const resolution = await resolveArguments(
      plan,
      {},
      {
        ctx,
        protocolVersion: '2026-07-28',
        clientCapabilities: { elicitation: { form: {} } },
      },
    );
    if (!resolution.done) return resolution.result;
    return { content: [{ type: 'text', text: body() }] };
  }, 'Server')();
  (seal ?? requestStateSeal.ephemeral({ logger: SILENT })).protect(server);
  return server;
};

const definitions = [
  { what: 'a tool', definition: tool, ...CALL },
  { what: 'a prompt', definition: prompt, method: 'prompts/get', params: { name: 'run' } },
  {
    what: 'a resource at a host that is not ASCII',
    definition: fixed,
    method: 'resources/read',
    params: { uri: 'https://b\u00fccher.example/run' },
  },
  {
    what: 'a template',
    definition: template,
    method: 'resources/read',
    params: { uri: 'run://7' },
  },
];

const ways: Way[] = [
  ...definitions.flatMap(({ what, definition, ...request }): Way[] => [
    { ...request, way: `${what} on an McpServer`, host: onMcpServer(definition) },
    {
      ...request,
      way: `${what} on a Server with handlers of its own`,
      host: onServer(definition, 'before'),
    },
    {
      ...request,
      way: `${what} on a Server whose host sets handlers later`,
      host: onServer(definition, 'after'),
    },
  ]),
  ...(['McpServer', 'Server'] as const).flatMap((server): Way[] => [
    { ...CALL, way: `toolHandler() in a ${server}`, host: inHandler(server) },
    {
      ...CALL,
      way: `toolHandler() in a ${server} with install()`,
      host: inHandlerBehindInstall(server),
    },
  ]),
  { ...CALL, way: 'the engine on a protected Server', host: inEngine },
];

/** Returns the digest of the question, from the record of a genuine call. */
async function recordOf(send: Send, { method, params }: Way): Promise<Record<string, unknown>> {
  const token = tokenOf(await send(method, params));
  const bytes = await sealOf()['~policy'].codec.unseal(token);
  const { s } = JSON.parse(Buffer.from(bytes).toString()) as { s: string };
  return JSON.parse(s) as Record<string, unknown>;
}

describe.each(ways)('$way', (way) => {
  const { method, params, host } = way;

  test('runs the body after the approval of its own call', async () => {
    ran = 0;
    const send = overHttp(host(sealOf()));
    const requestState = tokenOf(await send(method, params));
    const reply = await send(method, { ...params, inputResponses: ACCEPT, requestState });
    expect(endOf(reply)).toBe('ran');
    expect(ran).toBe(1);
  });

  test('sends a token and no plain state, also by default', async () => {
    const token = tokenOf(await overHttp(host(undefined))(method, params));
    expect(token).toMatch(/^v1\.[\w-]+$/);
  });

  test('does not accept the genuine record as plain state', async () => {
    ran = 0;
    const send = overHttp(host(sealOf()));
    const record = await recordOf(send, way);
    for (const state of [record, { ...record, outcomes: { confirm: ACCEPT.confirm } }]) {
      const requestState = JSON.stringify(state);
      const reply = await send(method, { ...params, inputResponses: ACCEPT, requestState });
      expect(reply.text).toContain('Invalid or expired requestState');
    }
    expect(ran).toBe(0);
  });

  test('sends nothing if the state cannot be sealed', async () => {
    ran = 0;
    const principal = (): never => {
      throw new Error('no directory');
    };
    const reply = await overHttp(host(sealOf({ principal })))(method, params);
    expect(reply.text).toContain('Internal error');
    expect(reply.text).not.toContain('requestState');
    expect(ran).toBe(0);
  });
});

const readings = ways.filter(({ method }) => method === 'resources/read');

test.each(readings)(
  '$way is still protected after many calls',
  async ({ method, params, host }) => {
    const send = overHttp(host(sealOf()));
    for (let time = 0; time < 1500; time += 1)
      expect(tokenOf(await send(method, params))).toMatch(/^v1\./);
  },
);

test('a uri that is too long for the SDK does not reach the handler beside a template', async () => {
  const send = overStdio(onServer(template, 'before')(sealOf()));
  const uri = `run://7?${'x'.repeat(1_000_001)}`;
  const reply = await send('resources/read', { uri });
  expect(reply.result).toBeUndefined();
  expect(reply.error?.code).toBe(-32603);
});
