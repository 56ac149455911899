import { McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { payInvoice } from '../../../payInvoice.js';
import { verify } from '../../../users.js';

function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]);
  return server;
}

const handler = createDualEraHandler(buildServer, {
  authenticate: (request) => verify(request.headers.get('authorization')),
});

export const fallback = ({ request }) => handler.fetch(request);
