import { serve } from '@hono/node-server';
import { McpServer } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { install } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]);
  return server;
}

const handler = createDualEraHandler(buildServer, {
  authenticate: (request) => verify(request.headers.get('authorization')),
});

const app = new Hono();
app.all('/mcp', (c) => handler.fetch(c.req.raw));

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
