/** A stdio server of SDK 1.x, with a tool of the author's and a definition that asks. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { install } from 'mcp-resolve/v1';

import { paying } from '../handler/hosts.js';

const server = new McpServer({ name: 'payments', version: '1.0.0' });
install(server, [paying().tool]);
server.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
await server.connect(new StdioServerTransport());
