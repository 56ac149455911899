/** The tools besides those of the 2026-07-28 confirm flow. */
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { argsOf, defineTool, install, resolver } from 'mcp-resolve';

import { DeleteInput, filesIn, INFO, NAME } from '../cases/confirm.js';

const deleted = (path: string, files: number): string => `Deleted ${path} with ${files} files.`;

/** Written with a resolver that asks no question. */
export const plainOurs: McpServerFactory = (() => {
  const files = resolver({ path: argsOf(DeleteInput).path }, ({ path }) => filesIn(path));
  const tool = defineTool(
    NAME,
    { inputSchema: DeleteInput, resolve: { files } },
    ({ path, files }) => deleted(path, files),
  );
  return (request) => {
    const server = new McpServer(INFO);
    install(server, [tool], { request });
    return server;
  };
})();

const FORM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const } },
  required: ['confirm'],
};

/** Written by hand for 2025-11-25 clients. Asks during the call, on the stream of the call. */
export const askingBySession: McpServerFactory = () => {
  const server = new McpServer(INFO);
  server.registerTool(NAME, { inputSchema: DeleteInput }, async ({ path }, { mcpReq }) => {
    const files = filesIn(path);
    const { action, content } = await mcpReq.elicitInput(
      { message: `Delete ${path} with ${files} files?`, requestedSchema: FORM },
      { relatedRequestId: mcpReq.id },
    );
    const text = action === 'accept' && content?.confirm === true ? deleted(path, files) : 'Kept.';
    return { content: [{ type: 'text', text }] };
  });
  return server;
};
