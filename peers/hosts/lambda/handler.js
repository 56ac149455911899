import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]); // the keys are in MCP_RESOLVE_KEYS
  return server;
}

const mcp = createMcpHandler(buildServer);

/** Serves one event of a function URL or of API Gateway, payload format 2.0. */
export async function handler({ rawPath, headers, body, requestContext: { http } }) {
  // The user: the SDK's handler passes on the validated token.
  const authInfo = verify(headers.authorization);
  if (authInfo === undefined) return { statusCode: 401 };

  const url = `https://${headers.host}${rawPath}`;
  const response = await mcp.fetch(new Request(url, { method: http.method, headers, body }), {
    authInfo,
  });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
