import { randomUUID } from 'node:crypto';
import { StreamableHTTPTransport } from '@hono/mcp';
import { serve } from '@hono/node-server';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { Hono } from 'hono';
import { install } from 'mcp-resolve/v1';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

/** The transport of each session, and the user who opened it. */
const sessions = new Map();

async function openSession(user) {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]);
  const transport = new StreamableHTTPTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, { transport, user }),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await server.connect(transport);
  return transport;
}

const app = new Hono();
app.all('/mcp', async (c) => {
  const authInfo = verify(c.req.header('authorization'));
  if (authInfo === undefined) return c.body(null, 401);
  c.set('auth', authInfo);
  const user = authInfo.extra.sub;
  const body = c.req.method === 'POST' ? await c.req.json() : undefined;
  if (isInitializeRequest(body)) return (await openSession(user)).handleRequest(c, body);
  const session = sessions.get(c.req.header('mcp-session-id'));
  if (session?.user !== user) return c.notFound();
  return session.transport.handleRequest(c, body);
});

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
