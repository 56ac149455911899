/** Lets the library answer methods of a low-level Server, next to the handlers of its author. */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { sealHandler } from './boundary.js';
import { openRoute, ensureSharing } from './definitionRoutes.js';
import type { CheckedOptions } from './installOptions.js';
import type { Params } from './routeMap.js';
import { ensureRoutes } from './sdkInternals.js';

/** A handler that the SDK accepts. */
export type SdkHandler = (
  request: { readonly params?: Params | undefined },
  ctx: ServerContext,
) => Result | Promise<Result>;

/** Declares a capability, unless the author has declared it. */
export function declareCapability(
  server: Server,
  name: 'tools' | 'prompts' | 'resources' | 'completions',
): void {
  if (server.getCapabilities()[name] === undefined) server.registerCapabilities({ [name]: {} });
}

/**
 * Answers methods for definitions. The server sets the handlers itself, so that they get the checks
 * of the SDK and of hosts that patch `setRequestHandler`.
 */
export function answer(
  server: Server,
  { logger }: CheckedOptions,
  handlers: Readonly<Record<string, SdkHandler>>,
): void {
  const routes = ensureRoutes<ServerContext>(server);
  const set = server.setRequestHandler.bind(server) as (m: string, h: SdkHandler) => void;
  const sharing = ensureSharing(server, { logger, fallsBack: true });
  for (const [method, handler] of Object.entries(handlers)) {
    const ours = routes.capture(method, () => {
      set(method, handler);
    });
    if (ours === undefined) continue;
    openRoute(routes, [method, sealHandler(server, method, ours)], sharing);
  }
}
