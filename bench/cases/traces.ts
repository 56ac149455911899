/** Servers with and without a listener for events. */
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import type { AnyResolver, InstallOptions, Tool } from 'mcp-resolve';
import * as z from 'zod';

import type { Send } from './modern.js';

/** The listener, if there is one. */
export type Listening = Pick<InstallOptions, 'onEvent'>;

const seal = requestStateSeal({
  keys: ['a key of at least 32 bytes, for benchmarks only'],
  audience: 'bench',
});

const serving =
  (tool: Tool) =>
  (listening: Listening): McpServerFactory =>
  (request) => {
    const server = new McpServer({ name: 'traced', version: '1.0.0' });
    install(server, [tool], { seal, request, ...listening });
    return server;
  };

const Folder = z.object({ path: z.string() });
const files = resolver({ path: argsOf(Folder).path }, ({ path }) => path.length);
const sure = resolver({ files }, (values) => confirm(`Delete ${values.files} files?`), {
  asks: 'form',
});

/** Serves a tool for the flow of confirm.ts. */
export const confirming = serving(
  defineTool(
    'delete_folder',
    { inputSchema: Folder, resolve: { files, sure } },
    (values) => `Deleted ${values.files} files.`,
  ),
);

const WIDE = 30;
const parts = Array.from({ length: WIDE }, (_, index): [string, AnyResolver] => [
  `part${index}`,
  resolver({}, () => index),
]);

/** Serves a tool with 30 resolvers and no question. Each resolver reports an event. */
export const resolvingMany = serving(
  defineTool('parts', { resolve: Object.fromEntries(parts) }, (values) =>
    String(Object.keys(values).length),
  ),
);

export async function callMany(send: Send): Promise<void> {
  const { content } = await send('tools/call', { name: 'parts', arguments: {} });
  if (content?.[0]?.text !== String(WIDE)) throw new Error('resolvers are missing');
}
