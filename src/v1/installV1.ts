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
import { McpServer } from '@modelcontextprotocol/server';
import type { Result } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import { readDefinitions } from '../server/definitions.js';
import type { AnyDefinition, Installed } from '../server/definitions.js';
import { install as installV2 } from '../server/install.js';
import { warnListedTwice } from '../server/operator.js';
import { handlerOf, routeV1 } from '../server/sdkInternals.js';
import { STANDARD_ERROR } from '../state/warnings.js';
import type { Logger } from '../state/warnings.js';
import { contextOf } from './contextV1.js';
import type { ExtraV1 } from './contextV1.js';
import {
  entriesOf,
  isEntryOf,
  isFor,
  LISTS,
  paramsOf,
  SHARED_METHODS,
  withObjectOutput,
} from './requestsV1.js';
import type { RequestV1 } from './requestsV1.js';
import { assertOptionsV1, isMcpServerV1, lowLevelServerV1 } from './serverV1.js';
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
  assertNoChallenges(added);
  assertNotConnected(target);
  const backing = backingOf(target, options.logger);
  installV2(backing.mcp, definitions, options);
  const declared = Object.keys(backing.mcp.server.getCapabilities());
  target.registerCapabilities(Object.fromEntries(declared.map((name) => [name, {}])));
  for (const one of added) {
    const isReserved = isMcpServerV1(server) && reserve(server, one);
    backing.installed.push({ ...one, isReserved });
  }
}

/**
 * Rejects scope challenges. Nothing checks scopes on SDK 1.x, so a challenge would protect nothing.
 */
function assertNoChallenges(added: readonly Installed[]): void {
  const found = added.find(({ definition }) => definition.metadata.scopeChallenge);
  if (found === undefined) return;
  throw new TypeError(
    `install(): the \`scopeChallenge\` of ${found.kind} '${found.definition.name}' does not work on SDK 1.x. Check the scopes in a guard.`,
  );
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
function reserve(mcp: McpServerV1, { kind, definition }: Installed): boolean {
  const { name } = definition;
  if (kind === 'tool') mcp.registerTool(name, {}, neverCalled);
  else if (kind === 'prompt') mcp.registerPrompt(name, {}, neverCalled);
  else if (typeof definition.location === 'string')
    mcp.registerResource(name, definition.location, {}, neverCalled);
  else return false;
  return true;
}

function neverCalled(): never {
  throw new Error('mcp-resolve answers this request.');
}

/** A request handler as SDK 1.x stores it. It receives the request as the client sent it. */
type HandlerV1 = (request: RequestV1, extra: ExtraV1) => Promise<Result>;

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
  const handler = SHARED_METHODS.includes(method) ? handlerOf(mcp.server, method) : undefined;
  if (handler === undefined) return theirs;
  const ours: HandlerV1 = (request, extra) => handler(request, contextOf(target, method, extra));
  if (method in LISTS)
    return (request, extra) => joined(backing, { method, ours, theirs }, [request, extra]);
  return async (request, extra) => {
    const isOurs = theirs === undefined || installed.some((one) => isFor(one, request));
    return isOurs ? ours(request, extra) : theirs(request, extra);
  };
}

/** Joins the author's entries with the library's. The library's are on the first page. */
async function joined(
  backing: Backing,
  { method, ours, theirs }: Shared,
  request: Parameters<HandlerV1>,
): Promise<Result> {
  const listed = await listedBy(theirs, request);
  const kept = entriesOfAuthor(backing, method, listed);
  const isFirst = listed === undefined || paramsOf(request[0]).cursor === undefined;
  const added = isFirst ? entriesOf(await ours(...request), method) : [];
  return { ...listed, [LISTS[method] ?? '']: [...kept, ...added.map(withObjectOutput)] };
}

const METHOD_NOT_FOUND = -32_601;

/** Returns the author's listing. A `fallbackRequestHandler` need not know the method. */
async function listedBy(
  theirs: HandlerV1 | undefined,
  request: Parameters<HandlerV1>,
): Promise<Result | undefined> {
  try {
    return await theirs?.(...request);
  } catch (error) {
    if (isObject(error) && error.code === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}

/** Returns the author's entries that no definition replaces, and warns about the others. */
function entriesOfAuthor(
  { installed, logger }: Backing,
  method: string,
  listed: Result | undefined,
): readonly unknown[] {
  return entriesOf(listed, method).filter((entry) => {
    const one = installed.find((candidate) => isEntryOf(candidate, method, entry));
    if (one !== undefined && !one.isReserved) warnListedTwice(logger, one.definition.name);
    return one === undefined;
  });
}
