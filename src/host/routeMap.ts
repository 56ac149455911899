/**
 * The map of request handlers that replaces the one of a server, on both SDKs. It gives each method
 * that definitions share one route, and remembers whose handler is whose:
 *
 * ```
 * request ─► guard ─► wrappers of a host ─► route ─┬─ for a definition ─► its answer
 *                                                  └─ everything else ──► the handler that was set last
 * ```
 *
 * A handler that is set with `setRequestHandler`, by code that has not read the present one, is a
 * new handler of the server or its host. A handler that is put into the map directly, or after the
 * present one was read, is a wrapper, as telemetry and access checks are. It stays in front of the
 * route, because a way around it would skip its check.
 */
import type { Result } from '@modelcontextprotocol/server';

/** A request handler as an SDK stores it. It receives the request as the client sent it. */
export type Handler<Context> = (request: unknown, ctx: Context) => Promise<Result>;

/** The parameters of a request. */
export type Params = Readonly<Record<string, unknown>>;

/** Returns the parameters of a request, as the client sent them. */
export function paramsOf(request: unknown): Params {
  const params = (request as { readonly params?: unknown } | null | undefined)?.params;
  return typeof params === 'object' && params !== null ? (params as Params) : {};
}

/** Returns a handler around another one. */
export type Guard<Context> = (method: string, handler: Handler<Context>) => Handler<Context>;

/** The way of a method's requests. */
export interface Route<Context> {
  readonly isForDefinition: (request: unknown) => boolean;
  /** Answers a request for a definition. It opens and seals its state. */
  readonly answer: Handler<Context>;
  /** Answers any other request. `others` is the handler of the server or its host, if it has one. */
  readonly answerOther: (
    request: unknown,
    ctx: Context,
    others: Handler<Context> | undefined,
  ) => Promise<Result>;
  /** True if the server's fallback handler answers for others, if no other handler is set. */
  readonly fallsBack: boolean;
  /** Wraps whatever answers the method, the wrappers of a host included. */
  readonly watch?: (handler: Handler<Context>) => Handler<Context>;
  /** Called when the server or its host sets another handler. */
  readonly onOther?: () => void;
}

/** The function of a server that reads or sets handlers now. */
export type Activity = 'dispatching' | 'setting' | 'checking';

/** The methods that definitions can share. The handlers of all others stay as they are. */
const SHARED =
  /^(?:tools|prompts|resources)\/|^completion\/complete$|^tasks\/(?:get|update|cancel)$/;

const ROUTE_MAP = Symbol.for('mcp-resolve.routeMap/2');

/** The request handlers of a server, by method. */
export class RouteMap<Context> extends Map<string, Handler<Context>> {
  readonly [ROUTE_MAP] = true;
  /** Wraps the handlers of the server and its host, but not the answers of definitions. */
  guard: Guard<Context> | undefined;
  private readonly routes = new Map<string, Route<Context>>();
  /** The handlers that the server or its host has set. */
  private readonly others = new Map<string, Handler<Context>>();
  /** The methods whose handler was read by other code than the SDK. */
  private readonly read = new Set<string>();
  /** The functions of the server that run now. They read or set handlers. */
  readonly activities = new Set<Activity>();
  private captured: { readonly method: string; handler?: Handler<Context> } | undefined;

  /** Takes over the handlers of a server. `fallback` returns its fallback handler. */
  constructor(
    handlers: ReadonlyMap<string, Handler<Context>>,
    private readonly fallback: () => Handler<Context> | undefined,
  ) {
    super();
    this.activities.add('setting');
    for (const [method, handler] of handlers) this.set(method, handler);
    this.activities.delete('setting');
  }

  override set(method: string, handler: Handler<Context>): this {
    if (this.captured?.method === method) {
      this.captured.handler = handler;
      return this;
    }
    if (!SHARED.test(method)) return super.set(method, handler);
    const isNew = this.activities.has('setting') && !this.read.has(method);
    this.read.delete(method);
    if (!isNew) return super.set(method, this.guardWrapper(method, handler));
    this.others.set(method, handler);
    this.routes.get(method)?.onOther?.();
    // A wrapper in front of definitions stays there.
    if (this.routes.has(method) && super.has(method)) return this;
    return super.set(method, this.handlerFor(method));
  }

  override get(method: string): Handler<Context> | undefined {
    if (!this.activities.has('dispatching')) this.read.add(method);
    const present = super.get(method);
    if (present !== undefined || this.guard === undefined || !SHARED.test(method)) return present;
    const fallback = this.fallback();
    return fallback && this.guardWrapper(method, fallback);
  }

  /** While the SDK checks that a method is free, definitions do not take it. */
  override has(method: string): boolean {
    return this.activities.has('checking') ? this.others.has(method) : super.has(method);
  }

  override entries(): MapIterator<[string, Handler<Context>]> {
    this.readAll();
    return super.entries();
  }

  override values(): MapIterator<Handler<Context>> {
    this.readAll();
    return super.values();
  }

  override [Symbol.iterator](): MapIterator<[string, Handler<Context>]> {
    return this.entries();
  }

  override forEach(use: Parameters<Map<string, Handler<Context>>['forEach']>[0]): void {
    this.readAll();
    super.forEach(use);
  }

  /** Definitions do not answer either, until another handler is set. */
  override delete(method: string): boolean {
    this.others.delete(method);
    return super.delete(method);
  }

  /** Returns whatever answers a method, without noting that it was read. */
  present(method: string): Handler<Context> | undefined {
    return super.get(method);
  }

  hasRoute(method: string): boolean {
    return this.routes.has(method);
  }

  open(method: string, route: Route<Context>): void {
    this.routes.set(method, route);
    if (!super.has(method)) super.set(method, this.handlerFor(method));
  }

  /**
   * Removes and returns the handler that the server or its host has set for a method, if the method
   * has no route yet.
   */
  takeOther(method: string): Handler<Context> | undefined {
    if (this.routes.has(method)) return undefined;
    const other = this.others.get(method);
    this.others.delete(method);
    return other;
  }

  /** Returns the handler that a function sets for a method, without keeping it. */
  capture(method: string, run: () => void): Handler<Context> | undefined {
    const captured: { readonly method: string; handler?: Handler<Context> } = { method };
    this.captured = captured;
    try {
      run();
    } finally {
      this.captured = undefined;
    }
    return captured.handler;
  }

  /** Returns a function that brings back the present handlers and routes. */
  remember(): () => void {
    const { guard, routes, others, read } = this;
    const handlers = [...super.entries()];
    const present = [[...routes], [...others], [...read]] as const;
    return () => {
      this.guard = guard;
      for (const part of [routes, others, read]) part.clear();
      super.clear();
      for (const [method, handler] of handlers) super.set(method, handler);
      for (const [method, route] of present[0]) routes.set(method, route);
      for (const [method, handler] of present[1]) others.set(method, handler);
      for (const method of present[2]) read.add(method);
    };
  }

  /** Notes that every handler was read. Code that goes through the map can wrap any of them. */
  private readAll(): void {
    for (const method of this.keys()) this.read.add(method);
  }

  /** Returns the handler of a method whose requests no wrapper sees first. */
  private handlerFor(method: string): Handler<Context> {
    const answerOther: Handler<Context> = async (request, ctx) => {
      const route = this.routes.get(method);
      const others = this.others.get(method) ?? (route?.fallsBack ? this.fallback() : undefined);
      if (route !== undefined) return route.answerOther(request, ctx, others);
      if (others === undefined) throw new Error(`The handler of ${method} was removed.`);
      return others(request, ctx);
    };
    return (request, ctx) => {
      const route = this.routes.get(method);
      if (route?.isForDefinition(request) === true) return route.answer(request, ctx);
      return this.applyGuard(method, answerOther)(request, ctx);
    };
  }

  /** Returns a wrapper of a host. A definition guards its own requests behind it. */
  private guardWrapper(method: string, wrapper: Handler<Context>): Handler<Context> {
    return (request, ctx) => {
      const isOwn = this.routes.get(method)?.isForDefinition(request) === true;
      return (isOwn ? wrapper : this.applyGuard(method, wrapper))(request, ctx);
    };
  }

  private applyGuard(method: string, handler: Handler<Context>): Handler<Context> {
    const watched = this.routes.get(method)?.watch?.(handler) ?? handler;
    return this.guard?.(method, watched) ?? watched;
  }
}

/** Returns true for the map of any copy of this package. */
export function isRouteMap<Context>(handlers: unknown): handlers is RouteMap<Context> {
  return typeof handlers === 'object' && handlers !== null && ROUTE_MAP in handlers;
}
