/**
 * The map of request handlers that replaces the SDK's. It wraps handlers whenever they are set, and
 * tells two kinds of them apart:
 *
 * - A new handler is set with `setRequestHandler`, by code that has not read the present one.
 * - A wrapper calls the present handler, as telemetry and access checks do. It is put into the map
 *   directly, or it is set after the present handler was read.
 *
 * `wrapAll` is for both kinds. `replaceNew` leaves out wrappers, because a route around one would
 * skip its check.
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';

/** A request handler as the SDK stores it. It receives the request as the client sent it. */
export type Handler = (request: unknown, ctx: ServerContext) => Promise<Result>;

/** Returns the replacement of a handler. */
export type Replace = (method: string, handler: Handler) => Handler;

/** The work of a server that reads or sets handlers. */
type Activity = 'dispatching' | 'setting';

interface Wrapping {
  readonly methods: readonly string[];
  readonly wrap: Replace;
  readonly onlyNew: boolean;
}

/** The request handlers of a server, by method. */
export class HandlerMap extends Map<string, Handler> {
  private readonly wrappings: Wrapping[] = [];
  private readonly activities = new Set<Activity>();
  /** The methods whose present handler was read by other code than the SDK. */
  private readonly read = new Set<string>();

  /** `inner` is the previous map: the SDK's own, or that of another copy of this package. */
  constructor(
    private readonly server: Server,
    private readonly inner: Map<string, Handler>,
  ) {
    super();
    // The map of another copy must not note that its handlers were read.
    for (const method of inner.keys()) {
      const present = presentIn(inner, method);
      if (present !== undefined) super.set(method, present);
    }
  }

  override set(method: string, handler: Handler): this {
    this.inner.set(method, handler);
    const wrapped = this.wrapped(method, presentIn(this.inner, method) ?? handler);
    this.read.delete(method);
    return super.set(method, wrapped);
  }

  override get(method: string): Handler | undefined {
    if (!this.activities.has('dispatching')) this.read.add(method);
    // The map of another copy has to note the read, too.
    this.inner.get(method);
    return this.present(method) ?? this.fallback(method);
  }

  override entries(): MapIterator<[string, Handler]> {
    this.readAll();
    return super.entries();
  }

  override values(): MapIterator<Handler> {
    this.readAll();
    return super.values();
  }

  override [Symbol.iterator](): MapIterator<[string, Handler]> {
    return this.entries();
  }

  override forEach(use: Parameters<Map<string, Handler>['forEach']>[0]): void {
    this.readAll();
    super.forEach(use);
  }

  override delete(method: string): boolean {
    this.inner.delete(method);
    return super.delete(method);
  }

  /** Returns the handler of a method, without the fallback and without noting that it was read. */
  present(method: string): Handler | undefined {
    return presentIn(this, method);
  }

  /** Replaces the present handler of a method, if there is one, without wrapping it again. */
  replacePresent(method: string, replace: Replace): void {
    const present = this.present(method);
    if (present !== undefined) super.set(method, replace(method, present));
  }

  /** Replaces every new handler of a method from now on. */
  replaceNew(method: string, replace: Replace): void {
    this.wrappings.push({ methods: [method], wrap: replace, onlyNew: true });
  }

  /** Wraps the present and all future handlers of some methods. */
  wrapAll(methods: readonly string[], wrap: Replace): void {
    for (const method of methods) this.replacePresent(method, wrap);
    this.wrappings.push({ methods, wrap, onlyNew: false });
  }

  /** Runs a function of the server, which reads or sets handlers. */
  during(activity: Activity, run: () => void): void {
    this.activities.add(activity);
    try {
      run();
    } finally {
      this.activities.delete(activity);
    }
  }

  /** Notes that every handler was read. Code that goes through the map can wrap any of them. */
  private readAll(): void {
    for (const method of this.keys()) this.get(method);
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
    const isNew = this.activities.has('setting') && !this.read.has(method);
    for (const { methods, wrap, onlyNew } of this.wrappings) {
      if (methods.includes(method) && (isNew || !onlyNew)) last = wrap(method, last);
    }
    return last;
  }
}

function presentIn(handlers: Map<string, Handler>, method: string): Handler | undefined {
  return Map.prototype.get.call(handlers, method) as Handler | undefined;
}
