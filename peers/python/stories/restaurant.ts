/**
 * The first question of the restaurant in `server.py`, as a resolver in TypeScript, with the same
 * tool, arguments, message and wire key. MCP_RESOLVE_KEYS and AUDIENCE are shared with it.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, requestStateSeal, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../../../examples/support/serve.js';

const Table = z.object({ guests: z.int() });
const args = argsOf(Table);

const seat = resolver(
  { guests: args.guests },
  ({ guests }) =>
    elicit(`Shall the ${guests} of you sit outside?`, z.object({ outside: z.boolean() })),
  { asks: 'form', name: '__main__:seat' },
);

const bookTable = defineTool(
  'book_table',
  { inputSchema: Table, resolve: { seat } },
  ({ guests, seat }) => `A table for ${guests}, ${seat.outside ? 'outside' : 'inside'}.`,
);

const { MCP_RESOLVE_KEYS = '', AUDIENCE = '' } = process.env;

function buildServer(): McpServer {
  const server = new McpServer({ name: 'restaurant', version: '1.0.0' });
  install(server, [bookTable], { seal });
  return server;
}

const seal = requestStateSeal({ keys: [MCP_RESOLVE_KEYS], audience: AUDIENCE });

await serveWhenRun(import.meta.url, buildServer);
