/**
 * The SDK's servers, as far as its public types do not tell: what kind of server it is, its name,
 * and its request handlers, those that are set and those that will be. This is the one file that
 * knows private members of the SDK. If one is missing, it says so instead of going on.
 *
 * The SDK's map of handlers is replaced by one of ours, which wraps handlers whenever they are set.
 */
import type { McpServer, Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { InvalidGraphError } from '../errors.js';

/** A request handler, as the SDK keeps it: it gets the request as it came over the wire. */
export type Handler = (request: unknown, ctx: ServerContext) => Promise<Result>;

/** What takes the place of a handler. */
export type Replace = (method: string, handler: Handler) => Handler;

interface Wrapping {
  readonly methods: readonly string[];
  readonly wrap: Replace;
  /** Whether only what `setRequestHandler` sets is wrapped, and not what is put into the map. */
  readonly onlySet: boolean;
}

/** The SDK's map of handlers by method, in which they are wrapped as they are set. */
class Handlers extends Map<string, Handler> {
  private readonly wrappings: Wrapping[] = [];
  private isNoticing = false;
  private isSetting = false;

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
    return super.set(method, this.wrapped(method, this.inner.get(method) ?? handler));
  }

  override get(method: string): Handler | undefined {
    return super.get(method) ?? this.fallback(method);
  }

  override delete(method: string): boolean {
    this.inner.delete(method);
    return super.delete(method);
  }

  /** Puts something in the place of the handler that is there, as it is. */
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

  /** The SDK sends to one handler what no other handles. */
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
 * The handlers of a server.
 *
 * @throws {Error} If this version of the SDK has none, or keeps them where they cannot be reached.
 */
export function handlersOf(server: Server): Handlers {
  const present: unknown = Reflect.get(server, '_requestHandlers');
  if (present instanceof Handlers) return present;
  if (present instanceof Map) {
    const handlers = new Handlers(server, present as Map<string, Handler>);
    if (Reflect.set(server, '_requestHandlers', handlers)) return handlers;
  }
  throw new Error(
    'mcp-resolve cannot find the request handlers of this server: this version of @modelcontextprotocol/server is not supported.',
  );
}

/**
 * Calls `replace` for the handlers of a method that are set from now on, by `setRequestHandler`;
 * what is put into the map in another way stands around the one that is there.
 */
export function replaceComing(server: Server, method: string, replace: Replace): void {
  handlersOf(server).wrapComing({ methods: [method], wrap: replace, onlySet: true });
}

/** Puts a wrapper around the handlers of some methods, whenever they are set. */
export function wrapAll(server: Server, methods: readonly string[], wrap: Replace): void {
  const handlers = handlersOf(server);
  for (const method of methods) handlers.replace(method, wrap);
  handlers.wrapComing({ methods, wrap, onlySet: false });
}

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

/** Returns true if a server has the SDK's own check of request state. */
export function hasOwnStateCheck(server: Server): boolean {
  return Reflect.get(server, '_requestStateVerify') !== undefined;
}

/** The name that a server was given; the SDK keeps it to itself. */
export function serverName(server: Server): string | undefined {
  const info: unknown = Reflect.get(server, '_serverInfo');
  const name = (info as { readonly name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
