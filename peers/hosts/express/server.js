import { McpServer } from '@modelcontextprotocol/server';
import express from 'express';
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

const app = express();
app.all('/mcp', handler.node);

const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
