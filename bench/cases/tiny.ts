/**
 * Tools with one argument: one that asks, one that does not, and a server with many. Their schema
 * is cheap to convert, so they show what remains if converting schemas saves little.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { INFO, NAME } from './confirm.js';

const TinyInput = z.object({ path: z.string() });

/** Written with resolvers. The state is encrypted, and bound to tool, arguments and user. */
export const tinyOurs: McpServerFactory = (() => {
  const sure = resolver({}, () => confirm('Delete it?'), { asks: 'form' });
  const config = { inputSchema: TinyInput, resolve: { sure } };
  const tool = defineTool(NAME, config, ({ path }) => `Deleted ${path}.`);
  const seal = requestStateSeal({
    keys: ['a key of at least 32 bytes, for benchmarks only'],
    audience: 'bench',
  });
  return (request) => {
    const server = new McpServer(INFO);
    install(server, [tool], { seal, request });
    return server;
  };
})();

/** A tool of the SDK that asks no question. */
export const tinyPlain: McpServerFactory = () => {
  const server = new McpServer(INFO);
  server.registerTool(NAME, { inputSchema: TinyInput }, ({ path }) => ({
    content: [{ type: 'text', text: `Deleted ${path}.` }],
  }));
  return server;
};

/** Serves this many tools, each with a resolver. */
export function tinyResolving(count: number): McpServerFactory {
  const files = resolver({}, () => 5);
  const config = { inputSchema: TinyInput, resolve: { files } };
  const tools = Array.from({ length: count }, (_, index) =>
    defineTool(`${NAME}_${index}`, config, ({ path }) => `Deleted ${path}.`),
  );
  return (request) => {
    const server = new McpServer(INFO);
    install(server, tools, { request });
    return server;
  };
}

/** Serves the same tools, registered on the SDK's server. */
export function tinyRegistering(count: number): McpServerFactory {
  return () => {
    const server = new McpServer(INFO);
    for (let index = 0; index < count; index += 1)
      server.registerTool(`${NAME}_${index}`, { inputSchema: TinyInput }, ({ path }) => ({
        content: [{ type: 'text', text: `Deleted ${path}.` }],
      }));
    return server;
  };
}
