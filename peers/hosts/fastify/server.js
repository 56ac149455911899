import { McpServer } from '@modelcontextprotocol/server';
import fastify from 'fastify';
import { install } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]);
  return server;
}

const handler = createDualEraHandler(buildServer);

const app = fastify();
app.all('/mcp', {
  // The user: the handler reads the validated token of the framework from `auth`.
  preHandler: async (request, reply) => {
    request.raw.auth = verify(request.headers.authorization);
    if (request.raw.auth === undefined) return reply.status(401).send('Who are you?');
  },
  handler: (request, reply) => {
    reply.hijack();
    handler.node(request.raw, reply.raw, request.body);
  },
});

console.log(await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }));
