// Definitions are an array. Write install(server, [tool]).
import { McpServer } from '@modelcontextprotocol/server';
import { defineTool, install } from 'mcp-resolve';

const refund = defineTool('refund', {}, () => 'refunded');
const server = new McpServer({ name: 'desk', version: '1.0.0' });

install(
  server,
  // Mistake:
  refund,
);
