/** The MCP client of `@openai/agents`, without an agent. */
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';

import { endingOf, refusalOf, type Connect } from '../adapter.js';

export const connect: Connect = async ({ server }) => {
  const client =
    'url' in server
      ? new MCPServerStreamableHttp({ url: server.url, name: 'story' })
      : new MCPServerStdio({ ...server, name: 'story' });
  await client.connect();
  return {
    call: (name, args) => client.callToolResult(name, args).then(endingOf, refusalOf),
    close: () => client.close(),
  };
};
