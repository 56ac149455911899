/**
 * Reads what the SDK's public types hide: the kind of a server, its name and its request handlers.
 * This is the only file that uses private fields of the SDK. If the handlers are missing, it
 * throws.
 *
 * It replaces the SDK's map of handlers with its own, which wraps handlers whenever they are set.
 */
import type {
  McpRequestContext,
  McpServer,
  Result,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';

/** The part of a low-level `Server` that tells it from servers of other libraries. */
interface LowLevelServer {
  readonly setRequestHandler: (...args: never) => void;
  readonly getNegotiatedProtocolVersion: () => string | undefined;
}

/**
 * An `McpServer` or a low-level `Server`. The type has no classes, because the ES modules and the
 * CommonJS build of the SDK have different ones.
 */
export type AnyServer = LowLevelServer | { readonly server: LowLevelServer };

/** Builds the server of a request or of a session. */
export type ServerFactory = (context: McpRequestContext) => AnyServer | Promise<AnyServer>;

/** A request handler as the SDK stores it. It receives the request as the client sent it. */
export type Handler = (request: unknown, ctx: ServerContext) => Promise<Result>;

/** Returns the replacement of a handler. */
export type Replace = (method: string, handler: Handler) => Handler;

interface Wrapping {
  readonly methods: readonly string[];
  readonly wrap: Replace;
  /**
   * True if only handlers set by `setRequestHandler` are wrapped, not those that wrap the present
   * handler themselves.
   */
  readonly onlySet: boolean;
}

/** The functions of a server that read or set handlers. */
type Noticed = '_onrequest' | 'setRequestHandler';

/** Replaces the SDK's map of handlers by method, and wraps handlers when they are set. */
class Handlers extends Map<string, Handler> {
  private readonly wrappings: Wrapping[] = [];
  /** The functions that run at this moment, of those that are noticed. */
  private readonly running = new Set<Noticed>();
  private isNoticing = false;
  /**
   * The methods whose handler was read by other code than the SDK. The next handler wraps the one
   * that was read.
   */
  private readonly held = new Set<string>();

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
    const wrapped = this.wrapped(method, presentIn(this.inner, method) ?? handler);
    this.held.delete(method);
    return super.set(method, wrapped);
  }

  override get(method: string): Handler | undefined {
    if (!this.running.has('_onrequest')) this.held.add(method);
    this.inner.get(method);
    return presentIn(this, method) ?? this.fallback(method);
  }

  override delete(method: string): boolean {
    this.held.delete(method);
    this.inner.delete(method);
    return super.delete(method);
  }

  /** Replaces the present handler of a method without wrapping it again. */
  replace(method: string, replace: Replace): void {
    const present = presentIn(this, method);
    if (present !== undefined) super.set(method, replace(method, present));
  }

  wrapComing(wrapping: Wrapping): void {
    this.wrappings.push(wrapping);
    if (!wrapping.onlySet || this.isNoticing) return;
    this.isNoticing = true;
    this.held.clear();
    this.notice('setRequestHandler');
    this.notice('_onrequest');
  }

  /** Notes when a function of the server runs. */
  private notice(name: Noticed): void {
    const original: unknown = Reflect.get(this.server, name);
    if (typeof original !== 'function') return;
    const value = (...args: unknown[]): void => {
      this.running.add(name);
      try {
        Reflect.apply(original, this.server, args);
      } finally {
        this.running.delete(name);
      }
    };
    Object.defineProperty(this.server, name, { value, writable: true, configurable: true });
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
    const isNew = this.running.has('setRequestHandler') && !this.held.has(method);
    for (const { methods, wrap, onlySet } of this.wrappings) {
      if (methods.includes(method) && (isNew || !onlySet)) last = wrap(method, last);
    }
    return last;
  }
}

/** Returns the handler of a method, without the fallback and without noting that it was read. */
function presentIn(handlers: Map<string, Handler>, method: string): Handler | undefined {
  return Map.prototype.get.call(handlers, method) as Handler | undefined;
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

/** Returns the present handler of a method. */
export function handlerOf(server: Server, method: string): Handler | undefined {
  return presentIn(handlersOf(server), method);
}

/** Returns the present handler of a method. The next one counts as a wrapper of it. */
export function holdHandler(server: Server, method: string): Handler | undefined {
  handlersOf(server).get(method);
  return handlerOf(server, method);
}

/** Puts another handler in the place of the present one. */
export function replacePresent(server: Server, method: string, handler: Handler): void {
  handlersOf(server).replace(method, () => handler);
}

/**
 * Calls `replace` for each handler of a method that `setRequestHandler` sets from now on. It
 * ignores handlers that wrap the present one: those that are put into the map directly, and those
 * that are set after the present one was read.
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

/** The functions of an McpServer that register definitions. */
export type Registrar = Pick<McpServer, 'registerTool' | 'registerPrompt' | 'registerResource'>;

/** The number of parameters of each function in the SDK. */
const PARAMETERS: Readonly<Record<keyof Registrar, number>> = {
  registerTool: 3,
  registerPrompt: 3,
  registerResource: 4,
};

/**
 * Returns the functions that register definitions on an McpServer, or `undefined` for another
 * server.
 */
export function registrarOf(server: AnyServer): Registrar | undefined {
  const names = Object.keys(PARAMETERS) as (keyof Registrar)[];
  const found = names.map((name) => [name, sdkFunction(server, name)?.bind(server)]);
  return found.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(found) as Registrar)
    : undefined;
}

type AnyFunction = (...args: never) => unknown;

/**
 * Returns the function of a server that takes the SDK's parameters. The class of a host may
 * override it with fewer, as in `registerTool(config, callback)`. Then the function of the class
 * below is the SDK's. A function of the instance wraps that of the class, and one without declared
 * parameters passes on what it gets.
 */
function sdkFunction(server: AnyServer, name: keyof Registrar): AnyFunction | undefined {
  for (let at: unknown = server; at != null; at = Object.getPrototypeOf(at)) {
    const value: unknown = Object.getOwnPropertyDescriptor(at, name)?.value;
    if (typeof value !== 'function') continue;
    const isOverride = value.length > 0 && value.length < PARAMETERS[name];
    if (at === server || !isOverride) return value as AnyFunction;
  }
  return undefined;
}

/**
 * Returns the low-level server of an McpServer, or the given low-level Server.
 *
 * @throws {TypeError} If the value is not a server, or belongs to an unsupported SDK.
 */
export function lowLevelServer(server: AnyServer, caller: string): Server {
  const isMcpServer =
    typeof (server as Partial<McpServer> | undefined)?.registerTool === 'function';
  const target: unknown = isMcpServer ? (server as McpServer).server : server;
  const methods = (target ?? {}) as Readonly<Record<string, unknown>>;
  const isServer = typeof methods.setRequestHandler === 'function';
  if (isServer && typeof methods.getNegotiatedProtocolVersion === 'function') {
    return target as Server;
  }
  if (isServer) {
    throw new TypeError(
      `${caller}: this server is not from '@modelcontextprotocol/server' 2.0 or later. For a server from '@modelcontextprotocol/sdk', use install() of 'mcp-resolve/v1'.`,
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

/** Returns the handler of a request to a server of SDK 1.x, given the one that the server has. */
export type RouteV1<H> = (method: string, theirs: H | undefined) => H | undefined;

/**
 * Chooses the handlers of a server of SDK 1.x when requests arrive, so that it does not matter when
 * the author sets them. The server still has only its own handlers, because `McpServer` refuses to
 * set one that is there already.
 *
 * @throws {Error} If this version of SDK 1.x has no map of handlers.
 */
export function routeV1<H>(server: object, route: RouteV1<H>): void {
  const handlers: unknown = Reflect.get(server, '_requestHandlers');
  if (!(handlers instanceof Map)) {
    throw new Error(
      "mcp-resolve cannot find the request handlers of this server. This version of '@modelcontextprotocol/sdk' is not supported.",
    );
  }
  const present = handlers.get.bind(handlers) as (method: string) => H | undefined;
  const value = (method: string): H | undefined => {
    const fallback = Reflect.get(server, 'fallbackRequestHandler') as H | undefined;
    return route(method, present(method) ?? fallback);
  };
  Object.defineProperty(handlers, 'get', { value, writable: true, configurable: true });
}
