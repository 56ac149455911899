/**
 * Tells what kind of server is at hand. By shape: the ESM and the CJS copy of the SDK have
 * different classes.
 */
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { InvalidGraphError } from '../errors.js';

/** Whether it is an McpServer. */
export function isMcpServer(server: McpServer | Server): server is McpServer {
  return typeof (server as Partial<McpServer> | undefined)?.registerTool === 'function';
}

/**
 * The low-level server behind what is given.
 *
 * @throws {@link InvalidGraphError} If it is no server.
 */
export function lowLevelServer(server: McpServer | Server, caller: string): Server {
  const target: unknown = isMcpServer(server) ? server.server : server;
  const methods = (target ?? {}) as Readonly<Record<string, unknown>>;
  const isServer = typeof methods.setRequestHandler === 'function';
  if (isServer && typeof methods.getNegotiatedProtocolVersion === 'function') {
    return target as Server;
  }
  if (isServer) {
    throw new InvalidGraphError(
      'ERR_DEFINITION',
      `${caller}: this server is not one of '@modelcontextprotocol/server' 2.4 or later; servers of '@modelcontextprotocol/sdk' have another shape.`,
    );
  }
  throw new InvalidGraphError(
    'ERR_DEFINITION',
    `${caller}: the first argument is an McpServer or a Server.`,
  );
}

/** The name that a server was given; the SDK keeps it to itself. */
export function serverName(server: Server): string | undefined {
  const info: unknown = Reflect.get(server, '_serverInfo');
  const name = (info as { readonly name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
