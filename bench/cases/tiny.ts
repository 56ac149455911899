/**
 * The confirm flow of a tool with one argument, and the same tool without a question. The schema of
 * such a tool is converted in no time, which is most of what a flow saves against plain calls.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { INFO, NAME } from './confirm.js';

const TinyInput = z.object({ path: z.string() });

/** With resolvers: encrypted, bound to tool, arguments and user. */
export const tinyOurs: McpServerFactory = (() => {
  const sure = resolver({}, () => confirm('Delete it?'));
  const config = { inputSchema: TinyInput, resolve: { sure } };
  const tool = defineTool(NAME, config, ({ path }) => `Deleted ${path}.`);
  const seal = requestStateSeal({ keys: ['k'.repeat(32)], audience: 'bench' });
  return (request) => {
    const server = new McpServer(INFO);
    install(server, [tool], { seal, request });
    return server;
  };
})();

/** A tool of the SDK that asks nothing. */
export const tinyPlain: McpServerFactory = () => {
  const server = new McpServer(INFO);
  server.registerTool(NAME, { inputSchema: TinyInput }, ({ path }) => ({
    content: [{ type: 'text', text: `Deleted ${path}.` }],
  }));
  return server;
};
