/** Servers in this process, reached without sockets. They are closed after the test. */
import {
  createMcpHandler,
  InMemoryTransport,
  McpServer,
  type McpHttpHandler,
  type McpRequestContext,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { install, type InstallOptions, type Logger, type Tool } from 'mcp-resolve';
import { afterEach } from 'vitest';

/** Creates a server: once per connection on legacy, once per request on modern. */
export type Factory = (ctx: McpRequestContext) => McpServer | Server;

/** A logger for tests that cause log lines but are not about them. */
export const SILENT: Logger = { warn: () => undefined };

/** Creates an `McpServer` that has only these tools. */
export function serving(definitions: readonly Tool[], options?: InstallOptions): Factory {
  return () => {
    const server = new McpServer({ name: 'conversation', version: '1.0.0' });
    install(server, definitions, options);
    return server;
  };
}

/** Calls a function with every error that reaches the server's `onerror`. */
export function onError(server: McpServer | Server, listener: (error: Error) => void): void {
  (server instanceof McpServer ? server.server : server).onerror = listener;
}

/** Creates the HTTP handler of a server, with the given copy of the SDK. */
export function httpHandler(factory: Factory, sdk = { createMcpHandler }): McpHttpHandler {
  const handler = sdk.createMcpHandler(factory);
  closeAfterTest(() => handler.close());
  return handler;
}

/** Connects a legacy server to a transport. */
export async function connectInMemory(
  factory: Factory,
): Promise<{ readonly transport: Transport; readonly server: McpServer | Server }> {
  const [transport, far] = InMemoryTransport.createLinkedPair();
  const server = factory({ era: 'legacy' });
  closeAfterTest(() => server.close());
  await server.connect(far);
  return { transport, server };
}

const open: (() => Promise<unknown>)[] = [];

/** Closes something after the test. */
export function closeAfterTest(close: () => Promise<unknown>): void {
  open.push(close);
}

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
