import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

export function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]); // the keys are in MCP_RESOLVE_KEYS
  return server;
}

buildServer(); // a wrong definition ends the start of the function, and not a request
const mcp = createMcpHandler(buildServer);

/** Serves one event of a function URL or of API Gateway, payload format 1.0 or 2.0. */
export async function handler(event) {
  const headers = new Headers(event.headers);
  // The user: the SDK's handler passes on the validated token.
  const authInfo = verify(headers.get('authorization'));
  if (authInfo === undefined) return { statusCode: 401 };

  const method = event.httpMethod ?? event.requestContext.http.method;
  const url = `https://${headers.get('host')}${event.path ?? event.rawPath}`;
  const body = event.body && Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  const response = await mcp.fetch(new Request(url, { method, headers, body }), { authInfo });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
