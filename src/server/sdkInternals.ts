/**
 * Reads what the SDK's public types hide: the kind of a server, its name and its request handlers.
 * This is the only file that uses private fields of the SDK. If the handlers are missing, it
 * throws.
 *
 * It replaces the SDK's map of handlers with its own, which wraps handlers whenever they are set.
 */
import type { McpServer, Result, Server, ServerContext } from '@modelcontextprotocol/server';

/** A request handler as the SDK stores it. It receives the request as the client sent it. */
export type Handler = (request: unknown, ctx: ServerContext) => Promise<Result>;

/** Returns the replacement of a handler. */
export type Replace = (method: string, handler: Handler) => Handler;

interface Wrapping {
  readonly methods: readonly string[];
  readonly wrap: Replace;
  /**
   * True if only handlers set by `setRequestHandler` are wrapped, not those put into the map
   * directly.
   */
  readonly onlySet: boolean;
}

/** Replaces the SDK's map of handlers by method, and wraps handlers when they are set. */
class Handlers extends Map<string, Handler> {
  private readonly wrappings: Wrapping[] = [];
  private isNoticing = false;
  private isSetting = false;

  /** `inner` is the previous map: the SDK's own, or that of another copy of this package. */
  constructor(
    private readonly server: Server,
    private readonly inner: Map<string, Handler>,
  ) {
    super();
    for (const [method, handler] of inner) super.set(method, handler);
  }

  override set(method: string, handler: Handler): this {
    this.inner.set(method, handler);
    return super.set(method, this.wrapped(method, this.inner.get(method) ?? handler));
  }

  override get(method: string): Handler | undefined {
    return super.get(method) ?? this.fallback(method);
  }

  override delete(method: string): boolean {
    this.inner.delete(method);
    return super.delete(method);
  }

  /** Replaces the present handler of a method without wrapping it again. */
  replace(method: string, replace: Replace): void {
    const present = super.get(method);
    if (present !== undefined) super.set(method, replace(method, present));
  }

  wrapComing(wrapping: Wrapping): void {
    this.wrappings.push(wrapping);
    if (wrapping.onlySet) this.noticeSetting();
  }

  private noticeSetting(): void {
    if (this.isNoticing) return;
    this.isNoticing = true;
    const original = this.server.setRequestHandler.bind(this.server) as (...a: unknown[]) => void;
    const value = (...args: unknown[]): void => {
      this.isSetting = true;
      try {
        original(...args);
      } finally {
        this.isSetting = false;
      }
    };
    const property = { value, writable: true, configurable: true };
    Object.defineProperty(this.server, 'setRequestHandler', property);
  }

  /** Returns the fallback handler, which the SDK calls if a method has no handler of its own. */
  private fallback(method: string): Handler | undefined {
    if (!this.wrappings.some(({ methods }) => methods.includes(method))) return undefined;
    const fallback = (this.inner.get(method) ?? this.server.fallbackRequestHandler) as
      Handler | undefined;
    return fallback && this.wrapped(method, fallback);
  }

  private wrapped(method: string, handler: Handler): Handler {
    let last = handler;
    for (const { methods, wrap, onlySet } of this.wrappings) {
      if (methods.includes(method) && (this.isSetting || !onlySet)) last = wrap(method, last);
    }
    return last;
  }
}

/**
 * Returns the handlers of a server.
 *
 * @throws {Error} If this version of the SDK has no map of handlers that can be replaced.
 */
export function handlersOf(server: Server): Handlers {
  const present: unknown = Reflect.get(server, '_requestHandlers');
  if (present instanceof Handlers) return present;
  if (present instanceof Map) {
    const handlers = new Handlers(server, present as Map<string, Handler>);
    if (Reflect.set(server, '_requestHandlers', handlers)) return handlers;
  }
  throw new Error(
    "mcp-resolve cannot find the request handlers of this server. This version of '@modelcontextprotocol/server' is not supported.",
  );
}

/**
 * Calls `replace` for each handler of a method that `setRequestHandler` sets from now on. It
 * ignores handlers that are put into the map directly, because those wrap the present handler.
 */
export function replaceComing(server: Server, method: string, replace: Replace): void {
  handlersOf(server).wrapComing({ methods: [method], wrap: replace, onlySet: true });
}

/** Wraps the present and future handlers of some methods. */
export function wrapAll(server: Server, methods: readonly string[], wrap: Replace): void {
  const handlers = handlersOf(server);
  for (const method of methods) handlers.replace(method, wrap);
  handlers.wrapComing({ methods, wrap, onlySet: false });
}

/** Returns true for an McpServer. */
export function isMcpServer(server: McpServer | Server): server is McpServer {
  return typeof (server as Partial<McpServer> | undefined)?.registerTool === 'function';
}

/**
 * Returns the low-level server of an McpServer, or the given low-level Server.
 *
 * @throws {TypeError} If the value is not a server, or belongs to an unsupported SDK.
 */
export function lowLevelServer(server: McpServer | Server, caller: string): Server {
  const target: unknown = isMcpServer(server) ? server.server : server;
  const methods = (target ?? {}) as Readonly<Record<string, unknown>>;
  const isServer = typeof methods.setRequestHandler === 'function';
  if (isServer && typeof methods.getNegotiatedProtocolVersion === 'function') {
    return target as Server;
  }
  if (isServer) {
    throw new TypeError(
      `${caller}: this server is not from '@modelcontextprotocol/server' 2.4 or later. Servers from '@modelcontextprotocol/sdk' are not supported.`,
    );
  }
  throw new TypeError(`${caller}: \`server\` must be an McpServer or a Server.`);
}

/** Returns true if a server has the SDK's own check of request state. */
export function hasOwnStateCheck(server: Server): boolean {
  return Reflect.get(server, '_requestStateVerify') !== undefined;
}

/** Returns the name of a server, which is private in the SDK. */
export function serverName(server: Server): string | undefined {
  const info: unknown = Reflect.get(server, '_serverInfo');
  const name = (info as { readonly name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
