import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import express from 'express';
import { install } from 'mcp-resolve/v1';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

/** The transport of each session, and the user who opened it. */
const sessions = new Map();

async function openSession(user) {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      sessions.set(id, { transport, user });
    },
  });
  transport.onclose = () => sessions.delete(transport.sessionId);
  await server.connect(transport);
  return transport;
}

const app = express();
app.all('/mcp', express.json(), async (req, res) => {
  req.auth = verify(req.headers.authorization);
  if (req.auth === undefined) return res.sendStatus(401);
  const user = req.auth.extra.sub;
  if (isInitializeRequest(req.body))
    return (await openSession(user)).handleRequest(req, res, req.body);
  const session = sessions.get(req.headers['mcp-session-id']);
  if (session?.user !== user) return res.sendStatus(404);
  return session.transport.handleRequest(req, res, req.body);
});

const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
