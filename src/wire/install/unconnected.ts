/** An McpServer that is never connected: it is there for what its handlers know. */
import { McpServer } from '@modelcontextprotocol/server';
import type { SharedHandler } from './beside.js';

/** A server, and the handlers that it has set so far. */
export interface Unconnected {
  readonly mcp: McpServer;
  readonly handlers: ReadonlyMap<string, SharedHandler>;
}

/** Makes one. */
export function unconnectedServer(): Unconnected {
  const handlers = new Map<string, SharedHandler>();
  const mcp = new McpServer({ name: 'unconnected', version: '0.0.0' });
  // Set on the server itself they would answer nobody.
  Object.defineProperty(mcp.server, 'setRequestHandler', {
    value: (method: string, handler: SharedHandler) => handlers.set(method, handler),
  });
  return { mcp, handlers };
}
