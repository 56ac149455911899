import { serve } from '@hono/node-server';
import { McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

const handler = createDualEraHandler(
  () => {
    const server = new McpServer({ name: 'payments', version: '1.0.0' });
    install(server, [payInvoice]);
    return server;
  },
  { authenticate: (request) => verify(request.headers.get('authorization')) },
);

const { fetch } = handler;
serve({ fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
