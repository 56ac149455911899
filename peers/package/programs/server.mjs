/** A consumer's server in ESM, with one tool that asks before it runs. */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, resolver } from 'mcp-resolve';
import { serveStdio } from 'mcp-resolve/node';
import * as z from 'zod';

const Booking = z.object({ guests: z.number() });
const approval = resolver(
  { guests: argsOf(Booking).guests },
  ({ guests }) => confirm(`A table for ${guests}?`),
  { asks: 'form' },
);

export const bookTable = defineTool(
  'book_table',
  { description: 'Book a table.', inputSchema: Booking, resolve: { approved: approval } },
  ({ guests }) => `booked for ${guests}, as a module`,
);

export function buildServer() {
  const server = new McpServer({ name: 'tables', version: '1.0.0' });
  install(server, [bookTable]);
  return server;
}

if (process.argv[2] === 'serve') serveStdio(buildServer);
