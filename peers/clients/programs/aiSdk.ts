/** `@ai-sdk/mcp`, a client that retries on its own. */
import { createMCPClient, ElicitationRequestSchema, type MCPTransport } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';

import { endingOf, questionOf, refusalOf, type Connect } from '../adapter.js';

export const connect: Connect = async ({ server, era, person }) => {
  const client = await createMCPClient({
    transport: 'url' in server ? { type: 'http', url: server.url } : stdio(server),
    protocolVersionDiscovery: era === 'modern',
    capabilities: { elicitation: {} },
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => person(questionOf(params)));
  return {
    call: (name, args) => client.callTool({ name, arguments: args }).then(endingOf, refusalOf),
    close: () => client.close(),
  };
};

/** Without this flag, the client treats a server that starts slower than a second as legacy. */
function stdio(server: { command: string; args: string[] }): MCPTransport {
  const transport = new Experimental_StdioMCPTransport(server);
  return Object.assign(transport, { waitsForProtocolVersionDiscovery: true });
}
