// The server comes first. Write install(server, [tool]).
import { defineTool, install } from 'mcp-resolve';
import { McpServer } from '@modelcontextprotocol/server';

const refund = defineTool('refund', {}, () => 'refunded');
const server = new McpServer({ name: 'desk', version: '1.0.0' });

install(
  // Mistake:
  [refund],
  server,
);
