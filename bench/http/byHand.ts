/**
 * Servers written with only the SDK and `node:http`: for 2026-07-28 clients the SDK's handler and
 * adapter, for 2025-11-25 clients a server and a transport per session.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { listenOn } from '../cases/reporting.js';

/** Serves 2026-07-28 clients. Returns the address. */
export function serveByHand(factory: McpServerFactory): Promise<string> {
  const handle = toNodeHandler(createMcpHandler(factory));
  return listen((request, response) => void handle(request as NodeIncomingMessageLike, response));
}

/** Serves 2025-11-25 clients. Returns the address. */
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

/** Listens with the same checks of Host and Origin as `serveHttp`. */
function listen(serve: (...args: Parameters<RequestListener>) => unknown): Promise<string> {
  const validateHost = localhostHostValidation();
  const validateOrigin = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (validateHost(request, response) && validateOrigin(request, response))
      serve(request, response);
  });
  return listenOn(server);
}
