/** Servers to listen to, or not. */
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import type { AnyResolver, InstallOptions, Tool } from 'mcp-resolve';
import * as z from 'zod';

import type { Send } from './modern.js';

/** Who listens, if anybody does. */
export type Listening = Pick<InstallOptions, 'onEvent'>;

const seal = requestStateSeal({
  keys: ['a key of at least 32 bytes, for the bench alone'],
  audience: 'bench',
});

const serving =
  (tool: Tool) =>
  (listening: Listening): McpServerFactory =>
  (request) => {
    const server = new McpServer({ name: 'heard', version: '1.0.0' });
    install(server, [tool], { seal, request, ...listening });
    return server;
  };

const Folder = z.object({ path: z.string() });
const files = resolver({ path: argsOf(Folder).path }, ({ path }) => path.length);
const sure = resolver({ files }, (values) => confirm(`Delete ${values.files} files?`));

/** Understands the flow of confirm.ts. */
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

/** A call of 30 resolvers that asks nothing: there is an event for each of them. */
export const resolvingMany = serving(
  defineTool('parts', { resolve: Object.fromEntries(parts) }, (values) =>
    String(Object.keys(values).length),
  ),
);

export async function callMany(send: Send): Promise<void> {
  const { content } = await send('tools/call', { name: 'parts', arguments: {} });
  if (content?.[0]?.text !== String(WIDE)) throw new Error('some were not resolved');
}
