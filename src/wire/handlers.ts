/**
 * A server's request handlers: those that are set, and those that will be. The SDK has no public
 * way to either, so this is the one place that knows its insides; what is missing there is
 * reported, not ignored.
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';

/** A request handler, as the SDK keeps it. */
export type Handler = (request: unknown, ctx: ServerContext) => Result | Promise<Result>;

/**
 * The SDK's map of handlers by method.
 *
 * @throws {Error} If this version of the SDK has none.
 */
export function presentHandlers(server: Server): Map<string, Handler> {
  const handlers: unknown = Reflect.get(server, '_requestHandlers');
  if (handlers instanceof Map) return handlers as Map<string, Handler>;
  throw new Error(
    'mcp-resolve cannot find the request handlers of this server: this version of @modelcontextprotocol/server is not supported.',
  );
}

/** Puts a wrapper around the handlers of some methods, whenever they are set. */
export function watchHandlers(
  server: Server,
  methods: readonly string[],
  wrap: (method: string, handler: Handler) => Handler,
): void {
  const present = presentHandlers(server);
  for (const method of methods) {
    const handler = present.get(method);
    if (handler !== undefined) present.set(method, wrap(method, handler));
  }
  interceptSetting(server, (method, handler, set) => {
    set(methods.includes(method) ? wrap(method, handler) : handler);
  });
}

/** Decides what happens with a handler that is being set. */
export type OnSetHandler = (
  method: string,
  handler: Handler,
  set: (handler: Handler) => void,
) => void;

/** Stands in for `setRequestHandler` of one server. */
export function interceptSetting(server: Server, onSet: OnSetHandler): void {
  const original = server.setRequestHandler.bind(server) as (
    method: string,
    ...rest: unknown[]
  ) => void;
  const override = (method: string, ...rest: unknown[]): void => {
    const handler = rest.at(-1);
    if (typeof handler !== 'function') {
      original(method, ...rest);
      return;
    }
    onSet(method, handler as Handler, (chosen) => {
      original(method, ...rest.slice(0, -1), chosen);
    });
  };
  Object.defineProperty(server, 'setRequestHandler', {
    value: override,
    writable: true,
    configurable: true,
  });
}
