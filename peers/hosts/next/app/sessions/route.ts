import { McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { payInvoice } from '../../payInvoice';
import { verify } from '../../users';

function buildServer(): McpServer {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]);
  return server;
}

buildServer(); // a wrong definition ends the build, and not a request
const handler = createDualEraHandler(buildServer, {
  authenticate: (request) => verify(request.headers.get('authorization')),
});

const serve = (request: Request): Promise<Response> => handler.fetch(request);

export { serve as DELETE, serve as GET, serve as POST };
