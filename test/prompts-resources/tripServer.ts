/**
 * A server whose tool, prompt and resource ask the same question. It exports a factory, and serves
 * over stdio if it is started as a process.
 */
import { fileURLToPath } from 'node:url';
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  install,
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import { serveStdio } from 'mcp-resolve/node';
import * as z from 'zod';

const Trip = z.object({ city: z.string() });
const sure = resolver({ city: argsOf(Trip).city }, ({ city }) => confirm(`Go to ${city}?`), {
  asks: 'form',
});
const config = { resolve: { sure } };
const body = ({ city }: { city: string }): string => `off to ${city}`;
const trips = new ResourceTemplate('trips://{city}', { list: undefined });

const definitions = [
  defineTool('go', { inputSchema: Trip, ...config }, body),
  definePrompt('go', { argsSchema: Trip, ...config }, body),
  defineResource('go', trips, { variables: Trip, ...config }, body),
];

const INFO = { name: 'trips', version: '1.0.0' };
const seal = requestStateSeal.ephemeral({ audience: 'trips' });

/** Creates the server in one of the SDK's server classes. */
export function tripServer(layer: string): McpServer | Server {
  const server = layer === 'McpServer' ? new McpServer(INFO) : new Server(INFO);
  install(server, definitions, { seal });
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  serveStdio(() => tripServer(process.argv[2] ?? 'McpServer'));
}
