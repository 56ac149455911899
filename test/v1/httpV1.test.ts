/**
 * `install` of `mcp-resolve/v1` over HTTP: the SDK's own transport and `@hono/mcp`, with and
 * without sessions, on a real port.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { StreamableHTTPTransport } from '@hono/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpClientV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Hono } from 'hono';
import { defineTool } from 'mcp-resolve';
import type { Logger, Tool } from 'mcp-resolve';
import { install } from 'mcp-resolve/v1';
import { describe, expect, test } from 'vitest';

import { paying } from '../handler/hosts.js';
import { protocolErrorOf } from '../support/results.js';
import { closeAfterTest, SILENT } from '../support/servers.js';
import { INFO } from './serversV1.js';

interface Session {
  readonly sessionId: string | undefined;
  readonly handle: (c: HonoContext) => Promise<Response | undefined>;
}
type HonoContext = Parameters<StreamableHTTPTransport['handleRequest']>[0];
type Open = (server: McpServer, onSession?: (id: string) => void) => Promise<Session>;

const USERS = ['alice', 'bob'];
const authInfoOf = (c: HonoContext) => {
  const sub = c.req.header('authorization')?.replace('Bearer ', '') ?? '';
  return USERS.includes(sub)
    ? { token: sub, clientId: 'desk', scopes: [], extra: { sub } }
    : undefined;
};

const transports: readonly (readonly [name: string, open: Open])[] = [
  [
    'the transport of the SDK',
    async (server, onsessioninitialized) => {
      const transport = new WebStandardStreamableHTTPServerTransport(
        onsessioninitialized && { sessionIdGenerator: () => randomUUID(), onsessioninitialized },
      );
      await server.connect(transport);
      return {
        get sessionId() {
          return transport.sessionId;
        },
        handle: (c) => {
          const authInfo = authInfoOf(c);
          return transport.handleRequest(c.req.raw, authInfo && { authInfo });
        },
      };
    },
  ],
  [
    '@hono/mcp',
    async (server, onsessioninitialized) => {
      const transport = new StreamableHTTPTransport(
        onsessioninitialized && { sessionIdGenerator: () => randomUUID(), onsessioninitialized },
      );
      await server.connect(transport);
      return {
        get sessionId() {
          return transport.sessionId;
        },
        handle: (c) => {
          c.set('auth' as never, authInfoOf(c) as never);
          return transport.handleRequest(c);
        },
      };
    },
  ],
];

/** Serves an app on a free port. */
async function listen(app: Hono): Promise<URL> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  closeAfterTest(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  );
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

function building(tool: Tool, logger: Logger): McpServer {
  const server = new McpServer(INFO);
  install(server, [tool], { logger });
  return server;
}

/** Serves a tool in sessions, each with its own server. */
async function inSessions(open: Open, tool: Tool, logger = SILENT): Promise<URL> {
  const sessions = new Map<string, Session>();
  const app = new Hono();
  app.all('/mcp', async (c) => {
    const id = c.req.header('mcp-session-id');
    if (id !== undefined) return (await sessions.get(id)?.handle(c)) ?? c.notFound();
    const opened: Session = await open(building(tool, logger), (given) => {
      sessions.set(given, opened);
    });
    return (await opened.handle(c)) ?? c.notFound();
  });
  return listen(app);
}

/** Serves a tool without sessions, with a server for each request. */
async function stateless(open: Open, tool: Tool, logger: Logger): Promise<URL> {
  const app = new Hono();
  app.all('/mcp', async (c) => {
    const session = await open(building(tool, logger));
    return (await session.handle(c)) ?? c.notFound();
  });
  return listen(app);
}

type Answer = () => { action: 'accept' | 'decline'; content?: { confirm: boolean } };
const yes: Answer = () => ({ action: 'accept', content: { confirm: true } });
const CAPABILITIES = { elicitation: { form: {} } };
const headers = { authorization: 'Bearer alice' };

async function connectV1(url: URL, answer: Answer) {
  const client = new ClientV1({ name: 'v1', version: '1.0.0' }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, answer);
  closeAfterTest(() => client.close());
  await client.connect(new HttpClientV1(url, { requestInit: { headers } }));
  return client;
}

async function connectV2(url: URL, answer: Answer) {
  const client = new Client(
    { name: 'v2', version: '1.0.0' },
    { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', answer);
  closeAfterTest(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

const clients = [
  ['SDK 1.x', connectV1],
  ['SDK 2.x', connectV2],
] as const;

const CALL = { name: 'pay', arguments: { invoice: 'INV-2' } };

describe.each(transports)('with %s', (_, open) => {
  describe.each(clients)('and a client of %s', (__, connect) => {
    test('asks in a session, and runs the body once', async () => {
      const { tool, paid } = paying();
      const client = await connect(await inSessions(open, tool), yes);
      const { content } = await client.callTool(CALL);
      expect(content).toEqual([{ type: 'text', text: 'Paid 900 euros for INV-2.' }]);
      expect(paid).toEqual(['INV-2']);
    });

    test('answers at once without a session, and logs the ways out', async () => {
      const { tool, paid } = paying();
      const lines: string[] = [];
      const logger = { warn: (line: string) => lines.push(line) };
      const client = await connect(await stateless(open, tool, logger), yes);
      expect(await protocolErrorOf(client.callTool(CALL))).toMatchObject({
        code: -32_600,
        message: expect.stringContaining("Cannot send 'elicitation/create'") as unknown,
      });
      const nothing = { name: 'pay', arguments: { invoice: 'INV-1' } };
      expect((await client.callTool(nothing)).isError).toBeUndefined();
      expect(paid).toEqual(['INV-1']);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('cannot be asked');
    });
  });

  test('shows the user and the headers of the request', async () => {
    const tool = defineTool('who', {}, (__, { http, sessionId }) =>
      JSON.stringify({
        sub: http?.authInfo?.extra?.sub,
        header: http?.req?.headers.get('authorization'),
        session: typeof sessionId,
      }),
    );
    const client = await connectV2(await inSessions(open, tool), yes);
    const { content } = await client.callTool({ name: 'who' });
    expect(content).toEqual([
      {
        type: 'text',
        text: '{"sub":"alice","header":"Bearer alice","session":"string"}',
      },
    ]);
  });
});

test('asks nothing on one server of @hono/mcp that all clients share', async () => {
  const { tool, paid } = paying();
  const server = building(tool, SILENT);
  const transport = new StreamableHTTPTransport();
  await server.connect(transport);
  const app = new Hono();
  app.all('/mcp', async (c) => (await transport.handleRequest(c)) ?? c.notFound());
  const client = await connectV1(await listen(app), yes);
  expect(await protocolErrorOf(client.callTool(CALL))).toMatchObject({ code: -32_600 });
  expect(paid).toEqual([]);
});
