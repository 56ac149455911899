/**
 * A server's request handlers: those that are set, and those that will be. The SDK has no public
 * way to either, so this is the one place that knows its insides; what is missing there is
 * reported, not ignored.
 *
 * The SDK's map of handlers is replaced by one of ours, and the server itself is left as it is:
 * members defined on it would give each server a shape of its own, and every line of the SDK that
 * reads one would be slower for it.
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';

/** A request handler, as the SDK keeps it: it gets the request as it came over the wire. */
export type Handler = (request: unknown, ctx: ServerContext) => Promise<Result>;

/** What takes the place of a handler. */
export type Replace = (method: string, handler: Handler) => Handler;

interface Replacing {
  readonly methods: readonly string[];
  readonly replace: Replace;
  /** Whether what handles all that nobody else does is replaced too, for these methods. */
  readonly fallback: boolean;
}

/** The SDK's map of handlers by method, in which they are replaced as they are set. */
class Handlers extends Map<string, Handler> {
  private readonly replacing: Replacing[] = [];

  /** `inner` is what was there: the SDK's own, or one of another copy of this package. */
  constructor(
    private readonly server: Server,
    private readonly inner: Map<string, Handler>,
  ) {
    super();
    for (const [method, handler] of inner) super.set(method, handler);
  }

  override set(method: string, handler: Handler): this {
    this.inner.set(method, handler);
    return super.set(method, this.replaced(method, this.inner.get(method) ?? handler, false));
  }

  override get(method: string): Handler | undefined {
    return super.get(method) ?? this.fallback(method);
  }

  override delete(method: string): boolean {
    this.inner.delete(method);
    return super.delete(method);
  }

  /** Replaces the handler that is there. */
  replacePresent(method: string, replace: Replace): void {
    const present = super.get(method);
    if (present !== undefined) super.set(method, replace(method, present));
  }

  replaceComing(replacing: Replacing): void {
    this.replacing.push(replacing);
  }

  /** The SDK sends to one handler what no other handles. */
  private fallback(method: string): Handler | undefined {
    if (!this.replacing.some(({ methods }) => methods.includes(method))) return undefined;
    const fallback = (this.inner.get(method) ?? this.server.fallbackRequestHandler) as
      Handler | undefined;
    return fallback && this.replaced(method, fallback, true);
  }

  private replaced(method: string, handler: Handler, isFallback: boolean): Handler {
    let last = handler;
    for (const { methods, replace, fallback } of this.replacing) {
      if (methods.includes(method) && (fallback || !isFallback)) last = replace(method, last);
    }
    return last;
  }
}

/**
 * The handlers of a server.
 *
 * @throws {Error} If this version of the SDK has none.
 */
export function handlersOf(server: Server): Map<string, Handler> {
  return ownHandlersOf(server);
}

function ownHandlersOf(server: Server): Handlers {
  const present: unknown = Reflect.get(server, '_requestHandlers');
  if (present instanceof Handlers) return present;
  if (!(present instanceof Map)) {
    throw new Error(
      'mcp-resolve cannot find the request handlers of this server: this version of @modelcontextprotocol/server is not supported.',
    );
  }
  const handlers = new Handlers(server, present as Map<string, Handler>);
  Reflect.set(server, '_requestHandlers', handlers);
  return handlers;
}

/** Calls `replace` for the handlers of some methods that are set from now on. */
export function replaceComing(server: Server, methods: readonly string[], replace: Replace): void {
  ownHandlersOf(server).replaceComing({ methods, replace, fallback: false });
}

/** Puts a wrapper around the handlers of some methods, whenever they are set. */
export function wrapAll(server: Server, methods: readonly string[], wrap: Replace): void {
  const handlers = ownHandlersOf(server);
  for (const method of methods) handlers.replacePresent(method, wrap);
  handlers.replaceComing({ methods, replace: wrap, fallback: true });
}
