/** `@mastra/mcp`, whose tools are functions for an agent. */
import { getMcpCallToolContent, MCPClient } from '@mastra/mcp';

import { endingOf, questionOf, refusalOf, type Connect } from '../adapter.js';

export const connect: Connect = async ({ server, era, person }) => {
  const client = new MCPClient({
    id: crypto.randomUUID(),
    servers: {
      story: {
        ...('url' in server ? { url: new URL(server.url) } : server),
        protocolVersion: era === 'modern' ? '2026-07-28' : 'legacy',
        inputRequests: async ({ params }) => person(questionOf(params)),
      },
    },
  });
  const tools = await client.listTools();
  return {
    call: async (name, args) => {
      try {
        const result: unknown = await tools[`story_${name}`]!.execute!(args, {} as never);
        return endingOf({
          content: getMcpCallToolContent(result) ?? (result as { content: unknown }).content,
        });
      } catch (error) {
        return refusalOf(error);
      }
    },
    close: () => client.disconnect(),
  };
};
