/**
 * The servers that are written by hand, with the SDK and `node:http` alone: the handler of 2026
 * behind the SDK's adapter, and for 2025 a server and a transport for each session.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';

/** Serves clients of 2026, and gives the address. */
export function serveByHand(factory: McpServerFactory): Promise<string> {
  const handle = toNodeHandler(createMcpHandler(factory));
  return listen((request, response) => void handle(request as NodeIncomingMessageLike, response));
}

/** Serves clients of 2025, and gives the address. */
export function serveSessionsByHand(factory: McpServerFactory): Promise<string> {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>();
  const open = async (): Promise<NodeStreamableHTTPServerTransport> => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    const server = await factory({ era: 'legacy' });
    await server.connect(transport);
    return transport;
  };
  return listen(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? transports.get(id) : await open();
    if (transport === undefined) response.writeHead(404).end();
    else await transport.handleRequest(request, response);
  });
}

/** For ever: a connection stays open while the other servers have their turn. */
export const KEEP_ALIVE = 0;

/** Behind the same checks of Host and Origin that ours has. */
async function listen(serve: (...args: Parameters<RequestListener>) => unknown): Promise<string> {
  const validateHost = localhostHostValidation();
  const validateOrigin = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (validateHost(request, response) && validateOrigin(request, response))
      serve(request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
