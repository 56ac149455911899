/**
 * Tools with one argument: one that asks, the same without a question, and many in a list. The
 * schema of such a tool is converted in no time, which is most of what is saved elsewhere.
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
  const seal = requestStateSeal({
    keys: ['a key of at least 32 bytes, for the bench alone'],
    audience: 'bench',
  });
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

/** Serves so many tools, each with a resolver. */
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

/** The same by hand. */
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
