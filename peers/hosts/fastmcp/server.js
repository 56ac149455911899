import { createServer } from 'node:net';
import { FastMCP } from 'fastmcp';
import { toolHandler } from 'mcp-resolve';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

const server = new FastMCP({
  name: 'payments',
  version: '1.0.0',
  // The user: FastMCP passes on what this function returns as `session`.
  authenticate: async (request) => {
    const authInfo = verify(request.headers.authorization);
    if (authInfo === undefined) throw new Response(null, { status: 401 });
    return authInfo;
  },
});

/** Adds a definition as a tool of FastMCP, which asks through `elicit`. */
function addTool(tool) {
  const handler = toolHandler(tool, { protocolVersion: '2025-11-25', argumentsParsed: true });
  server.addTool({
    name: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    execute: (args, { elicit, session, sessionId, signal }) =>
      handler(args, {
        sessionId,
        http: session && { authInfo: session },
        mcpReq: { signal, send: ({ params }, _, options) => elicit(params, options) },
      }),
  });
}

addTool(payInvoice);

const port = Number(process.env.PORT) || (await freePort());
await server.start({
  transportType: 'httpStream',
  httpStream: { port, host: '127.0.0.1', endpoint: '/mcp' },
});
console.log(`http://127.0.0.1:${port}`);

/** FastMCP does not tell which port the system chose. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: found } = probe.address();
      probe.close(() => resolve(found));
    });
  });
}
