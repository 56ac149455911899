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
import type { Result, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import type { Sentences } from '../author/sentences.js';
import { methodsOf, openRoute } from './definitionRoutes.js';
import type { Sharing } from './definitionRoutes.js';
import { readDefinitions } from '../definition/definitions.js';
import type { AnyDefinition, Definition } from '../definition/definitions.js';
import { install as installV2, logFailure } from './install.js';
import { warnListedTwice } from '../call/operator.js';
import { DefinitionIndex } from './definitionIndex.js';
import type { Handler } from './routeMap.js';
import { refuseChallenges } from './scopeChallenges.js';
import { isMcpServer, ensureRoutes } from './sdkInternals.js';
import { allOrNothing } from './allOrNothing.js';
import { STANDARD_ERROR } from '../log.js';
import type { Logger } from '../log.js';
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
 * If it throws, it has installed none of them, and the error is in the log.
 *
 * @throws {TypeError} If `server` is not a server of SDK 1.x, `definitions` is not an array of
 *   definitions, or an option is invalid.
 * @throws {Error} If the server is connected, or has a definition of the same name.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- its constraint has the sentence
export function install<D extends readonly AnyDefinition[] | Sentences['definitions']>(
  server: McpServerV1 | ServerV1,
  definitions: D,
  options?: InstallV1Options,
): void;
export function install(
  server: McpServerV1 | ServerV1,
  definitions: readonly AnyDefinition[],
  options: InstallV1Options = {},
): void {
  try {
    installAll(server, definitions, options);
  } catch (error) {
    throw logFailure(options, error);
  }
}

function installAll(
  server: McpServerV1 | ServerV1,
  definitions: readonly AnyDefinition[],
  options: InstallV1Options,
): void {
  const target = lowLevelServerV1(server);
  assertOptionsV1(options);
  const added = readDefinitions(definitions);
  refuseChallenges(added, 'install()', 'does not work on SDK 1.x. Check the scopes in a guard.');
  assertNotConnected(target);
  const backing = allOrNothing([server, target], () => {
    const found = ensureBacking(target, options.logger);
    found.sharing.definitions.assertFree(added, server);
    allOrNothing([found.mcp, found.mcp.server], () => {
      if (isMcpServer(server)) for (const one of added) reserve(server, one, found.reserved);
      installV2(found.mcp, definitions, options);
    });
    return found;
  });
  shareMethods(target, backing, added);
  const declared = Object.keys(backing.mcp.server.getCapabilities());
  target.registerCapabilities(Object.fromEntries(declared.map((name) => [name, {}])));
}

function assertNotConnected({ transport }: ServerV1): void {
  if (transport === undefined) return;
  throw new Error(
    'install(): this server is connected, so its client knows the capabilities. Call install() before server.connect().',
  );
}

/** The server of SDK 2.x that answers for the definitions of a server of SDK 1.x. */
interface Backing {
  readonly mcp: McpServer;
  readonly sharing: Sharing<ExtraV1>;
  /** The definitions whose name is taken on the author's McpServer, which lists it. */
  readonly reserved: Set<Definition>;
}

const BACKING = Symbol.for('mcp-resolve.v1');

function ensureBacking(
  target: ServerV1 & { [BACKING]?: Backing },
  logger: Logger = STANDARD_ERROR,
): Backing {
  const known = target[BACKING];
  if (known !== undefined) return known;
  const mcp = new McpServer({ name: 'backing', version: '0.0.0' });
  Object.defineProperty(mcp.server, 'onerror', { get: () => target.onerror?.bind(target) });
  const reserved = new Set<Definition>();
  const onListedTwice = (one: Definition): void => {
    if (!reserved.has(one)) warnListedTwice(logger, one.name);
  };
  const definitions = new DefinitionIndex();
  const sharing = { definitions, logger, fallsBack: true, onListedTwice };
  const value: Backing = { mcp, sharing, reserved };
  Object.defineProperty(target, BACKING, { value, configurable: true });
  return value;
}

/** Lets the definitions share their methods. The handlers of the backing server answer for them. */
function shareMethods(
  target: ServerV1,
  { mcp, sharing }: Backing,
  added: readonly Definition[],
): void {
  sharing.definitions.add(added);
  const routes = ensureRoutes<ExtraV1>(target);
  for (const method of methodsOf(added)) {
    const answer = ensureRoutes<ServerContext>(mcp.server).get(method);
    if (answer === undefined || routes.hasRoute(method)) continue;
    const ours: Handler<ExtraV1> = async (request, extra) =>
      withObjectOutputs(await answer(request, contextOf(target, method, extra)));
    openRoute(routes, [method, ours], sharing);
  }
}

/**
 * Takes the name on the author's McpServer, which refuses a second definition with it. A template
 * has no name that could be taken.
 */
function reserve(mcp: McpServerV1, definition: Definition, reserved: Set<Definition>): void {
  const { kind, name } = definition;
  if (kind === 'tool') mcp.registerTool(name, {}, neverCalled);
  else if (kind === 'prompt') mcp.registerPrompt(name, {}, neverCalled);
  else if (typeof definition.location === 'string')
    mcp.registerResource(name, definition.location, {}, neverCalled);
  else return;
  reserved.add(definition);
}

function neverCalled(): never {
  throw new Error('mcp-resolve answers this request.');
}

/** Returns a listing of tools in a form that legacy clients accept, and any other result unchanged. */
function withObjectOutputs(result: Result): Result {
  const { tools } = result;
  return Array.isArray(tools) ? { ...result, tools: tools.map(withObjectOutput) } : result;
}

/**
 * Returns the entry of a tool with an output schema that legacy clients accept. They know only
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
