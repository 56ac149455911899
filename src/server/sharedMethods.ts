/**
 * Shares the methods of a server between definitions and other handlers, those of the author or of
 * the host. The definitions answer the requests that are for them, and add their entries to
 * listings. The other handler answers everything else, even if it is set later.
 *
 * ```
 * request ─► route ─┬─ for a definition ─► ours:   McpServer's handler, or the library's own
 *                   └─ everything else ──► theirs: the handler that was set last
 * ```
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import type { Logger } from '../state/warnings.js';
import { paramsOf } from './address.js';
import type { Params } from './address.js';
import type { Installed } from './definitions.js';
import { warnUnlisted } from './operator.js';
import { entriesOf, isEntry, isFor, isListedIn, LISTINGS, METHODS_OF } from './requestMatching.js';
import type { Handler } from './handlerMap.js';
import { handlersOf } from './sdkInternals.js';

/** A handler that the SDK accepts. */
export type SharedHandler = (
  request: { readonly params?: Params | undefined },
  ctx: ServerContext,
) => Result | Promise<Result>;

/** The definitions that share a method. The array can grow. */
interface Sharing {
  readonly definitions: readonly Installed[];
  readonly logger: Logger;
}

/** The definitions that are registered on an McpServer, and the methods that they share. */
interface Registered {
  readonly definitions: Installed[];
  readonly methods: Set<string>;
}

const REGISTERED = Symbol.for('mcp-resolve.registered');

/** Shares the methods of definitions that are registered on an McpServer, which answers them. */
export function shareRegistered(server: Server, added: readonly Installed[], logger: Logger): void {
  const { definitions, methods } = registeredOn(server);
  definitions.push(...added);
  for (const method of new Set(added.flatMap(({ kind }) => METHODS_OF[kind]))) {
    const ours = handlersOf(server).present(method);
    if (ours === undefined || methods.has(method)) continue;
    methods.add(method);
    share(server, method, { definitions, logger, ours, theirs: undefined, listed: 0 });
  }
}

function registeredOn(server: Server & { [REGISTERED]?: Registered }): Registered {
  const known = server[REGISTERED];
  if (known !== undefined) return known;
  const registered: Registered = { definitions: [], methods: new Set() };
  Object.defineProperty(server, REGISTERED, { value: registered });
  return registered;
}

/** Answers a method of a low-level Server, together with its present handler. */
export function answerShared(
  server: Server,
  method: string,
  { answer, ...sharing }: Sharing & { readonly answer: SharedHandler },
): void {
  const handlers = handlersOf(server);
  // After this read, the map takes the answer for a wrapper, not for a new handler of a host.
  const theirs = handlers.has(method) ? handlers.get(method) : undefined;
  const set = server.setRequestHandler.bind(server) as (m: string, h: SharedHandler) => void;
  set(method, answer);
  const ours = handlers.present(method);
  if (ours !== undefined) share(server, method, { ...sharing, ours, theirs, listed: 0 });
}

interface Share extends Sharing {
  readonly ours: Handler;
  theirs: Handler | undefined;
  /** The number of listings so far with a definition. A handler that hides them does not add to it. */
  listed: number;
}

function share(server: Server, method: string, parts: Share): void {
  const isListing = LISTINGS.has(method);
  const route = isListing ? listRoute(method, parts) : callRoute(method, parts);
  const handlers = handlersOf(server);
  handlers.replacePresent(method, () => route);
  handlers.replaceNew(method, (_, handler) => {
    parts.theirs = handler;
    return route;
  });
  if (isListing) handlers.wrapAll([method], (_, handler) => warnIfUnlisted(handler, method, parts));
}

function callRoute(method: string, parts: Share): Handler {
  return (request, ctx) => {
    const { ours, theirs, definitions } = parts;
    if (theirs === undefined) return ours(request, ctx);
    const params = paramsOf(request);
    const isOurs = definitions.some((one) => isFor(one, method, params));
    return (isOurs ? ours : theirs)(request, ctx);
  };
}

/**
 * Joins their entries with those of the definitions, which are on the first page. Requests for a
 * name that both have go to the definition, so its entry is the one that the client sees.
 */
function listRoute(method: string, parts: Share): Handler {
  const { member = '', kind } = LISTINGS.get(method) ?? {};
  return async (request, ctx) => {
    const { ours, theirs } = parts;
    const definitions = parts.definitions.filter((one) => one.kind === kind);
    const listed = await theirs?.(request, ctx);
    if (listed !== undefined && paramsOf(request).cursor !== undefined) return listed;
    const own = await ours(request, ctx);
    const isDefined = (entry: unknown): boolean =>
      definitions.some((one) => isEntry(one, entry) || isInTemplate(one, entry));
    if (entriesOf(own, member).some(isDefined)) parts.listed += 1;
    if (listed === undefined) return own;
    const added = entriesOf(own, member).filter(isDefined);
    const others = entriesOf(listed, member).filter(
      (entry) => !definitions.some((one) => isEntry(one, entry)),
    );
    return { ...listed, [member]: [...others, ...added] };
  };
}

/** Returns true if an entry of a listing is a resource of the template of a definition. */
function isInTemplate({ kind, definition }: Installed, entry: unknown): boolean {
  if (kind !== 'resource' || !isObject(entry) || typeof entry.uri !== 'string') return false;
  return definition.address.matches(entry.uri);
}

/**
 * Warns if a listing was answered without the definitions: by a handler that was set before them,
 * or that replaced theirs without `setRequestHandler`.
 */
function warnIfUnlisted(handler: Handler, method: string, parts: Share): Handler {
  return async (request, ctx) => {
    const { listed, definitions, logger } = parts;
    const result = await handler(request, ctx);
    const missing = definitions.find((one) => isListedIn(method, one));
    const isFirstPage = paramsOf(request).cursor === undefined;
    if (missing !== undefined && isFirstPage && parts.listed === listed)
      warnUnlisted(logger, missing.definition.name, method);
    return result;
  };
}
