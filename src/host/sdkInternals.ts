/**
 * Reads what the SDK's public types hide: the kind of a server, its name and its request handlers.
 * This is the only file that uses private fields of the SDK. If the handlers are missing, it
 * throws.
 *
 * It replaces the SDK's map of handlers with a `RouteMap`, and tells it when the server sets a
 * handler or dispatches a request.
 */
import type { McpRequestContext, McpServer, Server } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import { isRouteMap, RouteMap } from './routeMap.js';
import type { Activity, Handler } from './routeMap.js';

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

/** The functions of a server that set, look up and check handlers, on both SDKs. */
const ACTIVITIES: readonly (readonly [name: string, activity: Activity])[] = [
  ['setRequestHandler', 'setting'],
  ['_onrequest', 'dispatching'],
  ['assertCanSetRequestHandler', 'checking'],
];

/**
 * Returns the routes of a low-level server of either SDK. The first call puts them in the place of
 * its handlers.
 *
 * @throws {Error} If this version of the SDK has no map of handlers that can be replaced.
 */
export function ensureRoutes<Context>(server: object): RouteMap<Context> {
  const present: unknown = Reflect.get(server, '_requestHandlers');
  if (isRouteMap<Context>(present)) return present;
  if (present instanceof Map) {
    const fallback = (): Handler<Context> | undefined =>
      Reflect.get(server, 'fallbackRequestHandler') as Handler<Context> | undefined;
    const routes = new RouteMap<Context>(present as Map<string, Handler<Context>>, fallback);
    if (Reflect.set(server, '_requestHandlers', routes)) {
      watchFunctions(server, routes);
      return routes;
    }
  }
  throw new Error(
    `mcp-resolve cannot find the request handlers of this server. This version of '@modelcontextprotocol/${isV1(server) ? 'sdk' : 'server'}' is not supported.`,
  );
}

function isV1(server: object): boolean {
  return !('getNegotiatedProtocolVersion' in server);
}

/** Tells a map when functions of its server run, which return nothing. */
function watchFunctions<Context>(server: object, { activities }: RouteMap<Context>): void {
  for (const [name, activity] of ACTIVITIES) {
    const original: unknown = Reflect.get(server, name);
    if (typeof original !== 'function') continue;
    const value = (...args: unknown[]): void => {
      activities.add(activity);
      try {
        Reflect.apply(original, server, args);
      } finally {
        activities.delete(activity);
      }
    };
    Object.defineProperty(server, name, { value, writable: true, configurable: true });
  }
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
 * override it with exactly two, as in `registerTool(config, callback)`. Then the function of the
 * class below is the SDK's. Any other function is called as it is, because it may add a check: a
 * property of the instance, or one with rest or default parameters.
 */
function sdkFunction(server: AnyServer, name: keyof Registrar): AnyFunction | undefined {
  const called: unknown = Reflect.get(server, name);
  if (typeof called !== 'function') return undefined;
  if (called.length !== 2 || Object.hasOwn(server, name)) return called as AnyFunction;
  for (let at: unknown = server; at != null; at = Object.getPrototypeOf(at)) {
    const value: unknown = Object.getOwnPropertyDescriptor(at, name)?.value;
    if (typeof value === 'function' && value.length === PARAMETERS[name])
      return value as AnyFunction;
  }
  return undefined;
}

/**
 * Returns the low-level server of an McpServer, or the given low-level Server.
 *
 * @throws {TypeError} If the value is not a server, or belongs to an unsupported SDK.
 */
export function lowLevelServer(server: AnyServer, caller: string): Server {
  const target = lowLevelOf(server, caller);
  if (typeof target.getNegotiatedProtocolVersion === 'function') return target as unknown as Server;
  throw new TypeError(
    `${caller}: this server is not from '@modelcontextprotocol/server' 2.0 or later. For a server from '@modelcontextprotocol/sdk', use install() of 'mcp-resolve/v1'.`,
  );
}

/**
 * Returns the low-level server of a server of any SDK.
 *
 * @throws {TypeError} If the value is not a server.
 */
export function lowLevelOf(server: unknown, caller: string): Readonly<Record<string, unknown>> {
  const target = isMcpServer(server) ? server.server : server;
  const { setRequestHandler } = Object(target) as { readonly setRequestHandler?: unknown };
  if (typeof setRequestHandler === 'function') return target as Readonly<Record<string, unknown>>;
  const hint = Array.isArray(server) ? ' The server comes first.' : '';
  throw new TypeError(`${caller}: \`server\` must be an McpServer or a Server.${hint}`);
}

/** Returns true for an McpServer of any SDK. */
export function isMcpServer(server: unknown): server is { readonly server: unknown } {
  const { registerTool } = Object(server) as { readonly registerTool?: unknown };
  return typeof registerTool === 'function';
}

/** The tables of an McpServer of any SDK, by what they hold. */
const TABLES = {
  Tool: '_registeredTools',
  Prompt: '_registeredPrompts',
  Resource: '_registeredResources',
  'Resource template': '_registeredResourceTemplates',
} as const;

/** The kinds of what an McpServer registers, in its own words. */
export type RegisteredKind = keyof typeof TABLES;

/** Returns true if an McpServer has something of a name, or a resource of a uri. */
export function isRegistered(server: object, kind: RegisteredKind, name: string): boolean {
  const table: unknown = Reflect.get(server, TABLES[kind]);
  return isObject(table) && Object.hasOwn(table, name);
}

/**
 * Returns the methods whose handlers have schemas of their own. The SDK dispatches the methods of
 * tasks to no others, since 2.3. `undefined` for an earlier version.
 */
export function methodsWithSchemas(server: Server): Set<string> | undefined {
  const methods: unknown = Reflect.get(server, '_customSchemaRequestMethods');
  return methods instanceof Set ? (methods as Set<string>) : undefined;
}

/** Returns true if a server has the SDK's own check of request state. */
export function hasOwnStateCheck(server: Server): boolean {
  return Reflect.get(server, '_requestStateVerify') !== undefined;
}

/** Returns the name of a server, which is private in the SDK. */
export function serverName(server: object): string | undefined {
  const info: unknown = Reflect.get(server, '_serverInfo');
  const name = (info as { readonly name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
