/** The same server in CommonJS. */
const { McpServer } = require('@modelcontextprotocol/server');
const { argsOf, confirm, defineTool, install, resolver } = require('mcp-resolve');
const { serveStdio } = require('mcp-resolve/node');
const z = require('zod');

const Booking = z.object({ guests: z.number() });
const approval = resolver(
  { guests: argsOf(Booking).guests },
  ({ guests }) => confirm(`A table for ${guests}?`),
  { asks: 'form' },
);

const bookTable = defineTool(
  'book_table',
  { description: 'Book a table.', inputSchema: Booking, resolve: { approved: approval } },
  ({ guests }) => `booked for ${guests}, as a script`,
);

function buildServer() {
  const server = new McpServer({ name: 'tables', version: '1.0.0' });
  install(server, [bookTable]);
  return server;
}

module.exports = { bookTable, buildServer };

if (process.argv[2] === 'serve') serveStdio(buildServer);
