import { createServer } from 'node:http';
import { createTool } from '@mastra/core/tools';
import { MCPServer } from '@mastra/mcp';
import { McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

const tellTime = createTool({
  id: 'tell_time',
  description: 'Tell the time.',
  execute: async () => new Date().toISOString(),
});
const mastra = new MCPServer({ name: 'clock', version: '1.0.0', tools: { tellTime } });

const handler = createDualEraHandler(
  () => {
    const server = new McpServer({ name: 'payments', version: '1.0.0' });
    install(server, [payInvoice]);
    return server;
  },
  { authenticate: (request) => verify(request.headers.get('authorization')) },
);

const server = createServer((req, res) => {
  const url = new URL(req.url, 'http://localhost');
  if (url.pathname === '/mcp') handler.node(req, res);
  else mastra.startHTTP({ url, httpPath: '/clock', req, res });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
