/**
 * Installs definitions on a server of SDK 1.x. They are registered on a backing server of SDK 2.x,
 * which is never connected. Its handlers answer the requests that are for a definition, and the
 * author's handlers answer all others.
 *
 * ```
 * client ─► SDK 1.x dispatch ─┬─ for a definition ─► handler of the backing server
 *              ▲              └─ everything else ──► the author's handler
 *              └── questions, through `extra.sendRequest` ◄── context of SDK 2.x
 * ```
 */
import { McpServer, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Result } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import { paramsOf } from '../server/address.js';
import { readDefinitions } from '../server/definitions.js';
import type { AnyDefinition, Installed } from '../server/definitions.js';
import { install as installV2 } from '../server/install.js';
import { warnListedTwice } from '../server/operator.js';
import { entriesOf, isEntry, isFor, LISTINGS, METHODS_OF } from '../server/requestMatching.js';
import { refuseChallenges } from '../server/scopeChallenges.js';
import { handlersOf, isMcpServer, routeV1 } from '../server/sdkInternals.js';
import { allOrNothing, removing } from '../server/undo.js';
import type { Undo } from '../server/undo.js';
import { STANDARD_ERROR } from '../state/warnings.js';
import type { Logger } from '../state/warnings.js';
import { contextOf } from './contextV1.js';
import type { ExtraV1 } from './contextV1.js';
import { assertOptionsV1, lowLevelServerV1 } from './serverV1.js';
import type { InstallV1Options, McpServerV1, ServerV1 } from './serverV1.js';

/**
 * Installs definitions on an `McpServer` or a `Server` of `@modelcontextprotocol/sdk` 1.x. Call it
 * before the server is connected.
 *
 * @example
 *
 * ```ts
 * const server = new McpServer({ name: 'payments', version: '1.0.0' });
 * install(server, [payInvoice]);
 * await server.connect(new StdioServerTransport());
 * ```
 *
 * @throws {TypeError} If `server` is not a server of SDK 1.x, `definitions` is not an array of
 *   definitions, or an option is invalid.
 * @throws {Error} If the server is connected, or has a definition of the same name.
 */
export function install(
  server: McpServerV1 | ServerV1,
  definitions: readonly AnyDefinition[],
  options: InstallV1Options = {},
): void {
  const target = lowLevelServerV1(server);
  assertOptionsV1(options);
  const added = readDefinitions(definitions);
  refuseChallenges(added, 'install()', 'does not work on SDK 1.x. Check the scopes in a guard.');
  assertNotConnected(target);
  const backing = backingOf(target, options.logger);
  allOrNothing((undo) => {
    const installed = added.map((one) => {
      const isReserved = isMcpServer(server) && reserve(server, one, undo);
      return { ...one, isReserved };
    });
    installV2(backing.mcp, definitions, options);
    backing.installed.push(...installed);
  });
  const declared = Object.keys(backing.mcp.server.getCapabilities());
  target.registerCapabilities(Object.fromEntries(declared.map((name) => [name, {}])));
}

function assertNotConnected({ transport }: ServerV1): void {
  if (transport === undefined) return;
  throw new Error(
    'install(): this server is connected, so its client knows the capabilities. Call install() before server.connect().',
  );
}

/** The definitions of a server of SDK 1.x, and the server of SDK 2.x that answers for them. */
interface Backing {
  readonly mcp: McpServer;
  readonly installed: (Installed & { readonly isReserved: boolean })[];
  readonly logger: Logger;
}

const BACKING = Symbol.for('mcp-resolve.v1');

function backingOf(
  target: ServerV1 & { [BACKING]?: Backing },
  logger: Logger = STANDARD_ERROR,
): Backing {
  const known = target[BACKING];
  if (known !== undefined) return known;
  const mcp = new McpServer({ name: 'backing', version: '0.0.0' });
  Object.defineProperty(mcp.server, 'onerror', { get: () => target.onerror?.bind(target) });
  const backing: Backing = { mcp, installed: [], logger };
  routeV1<HandlerV1>(target, (method, theirs) => route(target, backing, { method, theirs }));
  Object.defineProperty(target, BACKING, { value: backing });
  return backing;
}

/**
 * Takes the name on the author's McpServer, which refuses a second definition with it. Returns
 * false for a template, which has no name that could be taken.
 */
function reserve(mcp: McpServerV1, one: Installed, undo: Undo[]): boolean {
  if (one.kind === 'resource' && typeof one.definition.location !== 'string') return false;
  undo.push(removing(registerOn(mcp, one)));
  return true;
}

function registerOn(mcp: McpServerV1, { kind, definition }: Installed): unknown {
  const { name } = definition;
  if (kind === 'tool') return mcp.registerTool(name, {}, neverCalled);
  if (kind === 'prompt') return mcp.registerPrompt(name, {}, neverCalled);
  return typeof definition.location === 'string'
    ? mcp.registerResource(name, definition.location, {}, neverCalled)
    : undefined;
}

function neverCalled(): never {
  throw new Error('mcp-resolve answers this request.');
}

/** A request handler as SDK 1.x stores it. It receives the request as the client sent it. */
type HandlerV1 = (request: unknown, extra: ExtraV1) => Promise<Result>;

/** The handlers of a method: that of the backing server, and the author's. */
interface Shared {
  readonly method: string;
  readonly ours: HandlerV1;
  readonly theirs: HandlerV1 | undefined;
}

/** Returns the handler of a method. */
function route(
  target: ServerV1,
  backing: Backing,
  { method, theirs }: Omit<Shared, 'ours'>,
): HandlerV1 | undefined {
  const { installed, mcp } = backing;
  const isShared = installed.some(({ kind }) => METHODS_OF[kind].includes(method));
  const handler = isShared ? handlersOf(mcp.server).present(method) : undefined;
  if (handler === undefined) return theirs;
  const ours: HandlerV1 = (request, extra) => handler(request, contextOf(target, method, extra));
  if (LISTINGS.has(method)) return listHandler(backing, { method, ours, theirs });
  return async (request, extra) => {
    const params = paramsOf(request);
    const isOurs = theirs === undefined || installed.some((one) => isFor(one, method, params));
    return isOurs ? ours(request, extra) : theirs(request, extra);
  };
}

/** Joins the author's entries with those of the definitions, which are on the first page. */
function listHandler(backing: Backing, { method, ours, theirs }: Shared): HandlerV1 {
  const { member = '', kind } = LISTINGS.get(method) ?? {};
  return async (request, extra) => {
    const listed = await listingBy(theirs, request, extra);
    const isFirst = listed === undefined || paramsOf(request).cursor === undefined;
    const own = isFirst ? await ours(request, extra) : undefined;
    const definitions = backing.installed.filter((one) => one.kind === kind);
    const others = entriesOf(listed, member).filter((entry) => {
      const one = definitions.find((candidate) => isEntry(candidate, entry));
      // McpServer also lists the names that `reserve` takes on it.
      if (one !== undefined && !one.isReserved)
        warnListedTwice(backing.logger, one.definition.name);
      return one === undefined;
    });
    return { ...listed, [member]: [...others, ...entriesOf(own, member).map(withObjectOutput)] };
  };
}

const METHOD_NOT_FOUND: number = ProtocolErrorCode.MethodNotFound;

/** Returns the author's listing. A `fallbackRequestHandler` need not know the method. */
async function listingBy(
  theirs: HandlerV1 | undefined,
  request: unknown,
  extra: ExtraV1,
): Promise<Result | undefined> {
  try {
    return await theirs?.(request, extra);
  } catch (error) {
    if (isObject(error) && error.code === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}

/**
 * Returns the entry of a tool with an output schema that 2025 clients accept. They know only
 * objects, so SDK 2.x sends them other values as `{ result }`.
 */
function withObjectOutput(entry: unknown): unknown {
  if (!isObject(entry) || !isObject(entry.outputSchema)) return entry;
  const { outputSchema, ...rest } = entry;
  if (outputSchema.type === 'object') return entry;
  // References count from the root of a schema, so they would be wrong further down.
  if (JSON.stringify(outputSchema).includes('"$ref"')) return rest;
  const { $schema, ...result } = outputSchema;
  const wrapped = { type: 'object', properties: { result }, required: ['result'] };
  return { ...rest, outputSchema: { ...($schema !== undefined && { $schema }), ...wrapped } };
}
