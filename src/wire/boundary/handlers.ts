/**
 * A server's request handlers: those that are set, and those that will be. The SDK has no public
 * way to either, so this is the one place that knows its insides; what is missing there is
 * reported, not ignored.
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';

/** A request handler, as the SDK keeps it: it gets the request as it came over the wire. */
export type Handler = (request: unknown, ctx: ServerContext) => Promise<Result>;

/**
 * The SDK's map of handlers by method.
 *
 * @throws {Error} If this version of the SDK has none.
 */
export function handlersOf(server: Server): Map<string, Handler> {
  const handlers: unknown = Reflect.get(server, '_requestHandlers');
  if (handlers instanceof Map) return handlers as Map<string, Handler>;
  throw new Error(
    'mcp-resolve cannot find the request handlers of this server: this version of @modelcontextprotocol/server is not supported.',
  );
}

/**
 * Calls `replace` for the handlers of some methods that are set from now on; what it gives takes
 * their place. They are let through to the SDK first, so that they can be set in every way that it
 * knows.
 */
export function replaceComing(
  server: Server,
  methods: readonly string[],
  replace: (method: string, handler: Handler) => Handler,
): void {
  const handlers = handlersOf(server);
  const original = server.setRequestHandler.bind(server) as (...args: unknown[]) => void;
  const override = (method: string, ...rest: unknown[]): void => {
    original(method, ...rest);
    const stored = methods.includes(method) ? handlers.get(method) : undefined;
    if (stored !== undefined) handlers.set(method, replace(method, stored));
  };
  Object.defineProperty(server, 'setRequestHandler', {
    value: override,
    writable: true,
    configurable: true,
  });
}

/** Puts a wrapper around the handlers of some methods, whenever they are set. */
export function wrapAll(
  server: Server,
  methods: readonly string[],
  wrap: (method: string, handler: Handler) => Handler,
): void {
  const handlers = handlersOf(server);
  for (const method of methods) {
    const present = handlers.get(method);
    if (present !== undefined) handlers.set(method, wrap(method, present));
  }
  replaceComing(server, methods, wrap);
  wrapFallback(server, methods, wrap);
}

/** The SDK sends to one handler what no other handles; there these methods are wrapped as well. */
function wrapFallback(
  server: Server,
  methods: readonly string[],
  wrap: (method: string, handler: Handler) => Handler,
): void {
  const { get, set } = accessTo(server);
  const wrapped: Handler = async (request, ctx) => {
    const { method } = request as { readonly method: string };
    const fallback = get();
    if (fallback === undefined) throw new Error('There is no handler.');
    return (methods.includes(method) ? wrap(method, fallback) : fallback)(request, ctx);
  };
  Object.defineProperty(server, 'fallbackRequestHandler', {
    get: () => (get() === undefined ? undefined : wrapped),
    set,
    configurable: true,
  });
}

interface Access {
  readonly get: () => Handler | undefined;
  readonly set: (handler: Handler | undefined) => void;
}

/** How the handler is read and set now, which may be through a wrapper already. */
function accessTo(server: Server): Access {
  const present = Object.getOwnPropertyDescriptor(server, 'fallbackRequestHandler');
  if (present?.get !== undefined) {
    return {
      get: () => present.get?.call(server) as Handler | undefined,
      set: (next) => present.set?.call(server, next),
    };
  }
  let handler = server.fallbackRequestHandler as Handler | undefined;
  return {
    get: () => handler,
    set: (next) => {
      handler = next;
    },
  };
}
