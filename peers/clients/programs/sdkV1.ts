/** The client of version 1 of the SDK, which supports 2025-11-25. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { endingOf, questionOf, refusalOf, type Connect } from '../adapter.js';

export const connect: Connect = async ({ server, person }) => {
  const client = new Client(
    { name: 'v1-client', version: '1.0.0' },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(questionOf(params)));
  const transport =
    'url' in server
      ? new StreamableHTTPClientTransport(new URL(server.url))
      : new StdioClientTransport(server);
  await client.connect(transport as Transport);
  return {
    call: (name, args) => client.callTool({ name, arguments: args }).then(endingOf, refusalOf),
    close: () => client.close(),
  };
};
