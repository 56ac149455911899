/**
 * The routes of the methods that definitions share with other handlers, those of the author or of
 * the host. A definition answers the requests that are for it, and its entry is in the listing. The
 * other handler answers everything else, even if it is set later.
 */
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import type { Logger } from '../log.js';
import { clientFacts, isModern } from '../call/clientFacts.js';
import type { ClientFacts } from '../call/clientFacts.js';
import { warnUnlisted } from '../call/operator.js';
import type { Definition } from '../definition/definitions.js';
import { DefinitionIndex, uriOf } from './definitionIndex.js';
import { paramsOf } from './routeMap.js';
import type { Handler, Route, RouteMap } from './routeMap.js';

/** The definitions that share the methods of a server. */
export interface Sharing<Context> {
  /** The definitions. More can be added. */
  readonly definitions: DefinitionIndex;
  readonly logger: Logger;
  /** True if the server has no handler of its own that answers for everything else. */
  readonly fallsBack: boolean;
  /** Returns the facts about the client, which may not see all definitions. */
  readonly clientOf?: (ctx: Context) => ClientFacts;
  /** Called for a definition that the other handler lists, too. */
  readonly onListedTwice?: (one: Definition) => void;
}

const SHARING = Symbol.for('mcp-resolve.sharing');

type SharingServer = Server & { [SHARING]?: Sharing<ServerContext> };

/** Returns what the routes of a server of SDK 2.x share. The first installation creates it. */
export function ensureSharing(
  server: SharingServer,
  { logger, fallsBack }: Pick<Sharing<ServerContext>, 'logger' | 'fallsBack'>,
): Sharing<ServerContext> {
  const known = server[SHARING];
  if (known !== undefined) return known;
  const value: Sharing<ServerContext> = {
    definitions: new DefinitionIndex(),
    logger,
    fallsBack,
    clientOf: (ctx) => clientFacts(server, ctx),
  };
  Object.defineProperty(server, SHARING, { value, configurable: true });
  return value;
}

/** The methods that can be for a definition, by its kind. */
const METHODS_OF: Readonly<Record<Definition['kind'], readonly string[]>> = {
  tool: ['tools/list', 'tools/call'],
  prompt: ['prompts/list', 'prompts/get', 'completion/complete'],
  resource: ['resources/list', 'resources/templates/list', 'resources/read', 'completion/complete'],
};

/** Returns the methods that definitions of some kinds share. */
export function methodsOf(definitions: readonly Definition[]): ReadonlySet<string> {
  return new Set(definitions.flatMap(({ kind }) => METHODS_OF[kind]));
}

/** The property that holds the entries of a listing, and the kind of definition in it. */
interface Listing {
  readonly member: string;
  readonly kind: Definition['kind'];
}

const LISTINGS: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  ['tools/list', { member: 'tools', kind: 'tool' }],
  ['prompts/list', { member: 'prompts', kind: 'prompt' }],
  ['resources/list', { member: 'resources', kind: 'resource' }],
  ['resources/templates/list', { member: 'resourceTemplates', kind: 'resource' }],
]);

/**
 * Opens the route of a method. `ours` is the handler that answers for definitions, and that opens
 * and seals their state.
 */
export function openRoute<Context>(
  routes: RouteMap<Context>,
  [method, ours]: readonly [method: string, ours: Handler<Context>],
  sharing: Sharing<Context>,
): void {
  const listing = LISTINGS.get(method);
  const { definitions, fallsBack } = sharing;
  const route: Route<Context> =
    listing === undefined
      ? {
          isForDefinition: (request) => definitions.find(method, paramsOf(request)).length > 0,
          fallsBack,
          answer: ours,
          answerOther: (request, ctx, others) => (others ?? ours)(request, ctx),
        }
      : new ListRoute(method, ours, { ...sharing, ...listing });
  routes.open(method, route);
}

const METHOD_NOT_FOUND: number = ProtocolErrorCode.MethodNotFound;

/**
 * Joins the entries of the other handler with those of the definitions, which are on the first
 * page. Requests for a name that both have go to the definition, so its entry is the one that the
 * client sees.
 */
class ListRoute<Context> implements Route<Context> {
  readonly fallsBack: boolean;
  /** The number of listings with a definition so far. Handlers that hide them do not add to it. */
  private listed = 0;

  constructor(
    private readonly method: string,
    readonly answer: Handler<Context>,
    private readonly sharing: Sharing<Context> & Listing,
  ) {
    this.fallsBack = sharing.fallsBack;
  }

  isForDefinition(): boolean {
    return false;
  }

  async answerOther(
    request: unknown,
    ctx: Context,
    others: Handler<Context> | undefined,
  ): Promise<Result> {
    const listed = await listingBy(others, request, ctx);
    if (listed !== undefined && !isFirstPage(request)) return listed;
    const own = await this.answer(request, ctx);
    return this.showTo(ctx, this.join(own, listed));
  }

  /** Warns if a listing was answered without definitions, by a handler that replaced the route. */
  watch(handler: Handler<Context>): Handler<Context> {
    return async (request, ctx) => {
      const { listed } = this;
      const result = await handler(request, ctx);
      const missing = this.definitions().find((one) => isListedIn(this.method, one));
      if (missing !== undefined && isFirstPage(request) && this.listed === listed)
        warnUnlisted(this.sharing.logger, missing.name, this.method);
      return result;
    };
  }

  private join(own: Result, listed: Result | undefined): Result {
    const { member, kind, onListedTwice } = this.sharing;
    const definitions = this.definitions();
    const byKey = new Map(definitions.map((one) => [entryKeyOf(one), one]));
    const templates = kind === 'resource' ? definitions : [];
    const isOurs = (entry: unknown): boolean =>
      byKey.has(keyOfEntry(kind, entry)) || templates.some((one) => isInTemplate(one, entry));
    const entries = entriesOf(own, member);
    if (entries.some(isOurs)) this.listed += 1;
    if (listed === undefined) return own;
    const others = entriesOf(listed, member).filter((entry) => {
      const one = byKey.get(keyOfEntry(kind, entry));
      if (one !== undefined) onListedTwice?.(one);
      return one === undefined;
    });
    return { ...listed, [member]: [...others, ...entries.filter(isOurs)] };
  }

  /** Hides the definitions that a client cannot use. */
  private showTo(ctx: Context, result: Result): Result {
    const { member, kind, clientOf } = this.sharing;
    const limited = this.definitions().filter(({ shownWith }) => shownWith.length > 0);
    if (clientOf === undefined || limited.length === 0) return result;
    const client = clientOf(ctx);
    const hidden = limited.filter((one) => !isShown(one, client));
    const keys = new Set(hidden.map(entryKeyOf));
    const shown = entriesOf(result, member).filter((entry) => !keys.has(keyOfEntry(kind, entry)));
    return {
      ...result,
      [member]: shown,
      // The result depends on the client, so a shared cache must not keep it.
      ...(isModern(client.protocolVersion) && { cacheScope: 'private' }),
    };
  }

  private definitions(): readonly Definition[] {
    return this.sharing.definitions.ofKind(this.sharing.kind);
  }
}

/** Returns true if a client may see a definition. */
export function isShown(
  { shownWith }: Pick<Definition, 'shownWith'>,
  { clientCapabilities = {} }: ClientFacts,
): boolean {
  return shownWith.every(({ isDeclaredIn }) => isDeclaredIn(clientCapabilities));
}

function isFirstPage(request: unknown): boolean {
  return paramsOf(request).cursor === undefined;
}

/** Returns the listing of the other handler. A fallback handler need not know the method. */
async function listingBy<Context>(
  others: Handler<Context> | undefined,
  request: unknown,
  ctx: Context,
): Promise<Result | undefined> {
  try {
    return await others?.(request, ctx);
  } catch (error) {
    if (isObject(error) && error.code === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}

/** Returns the entries of a listing, in its property `member`. */
function entriesOf(result: Result | undefined, member: string): readonly unknown[] {
  const entries = result?.[member];
  return Array.isArray(entries) ? entries : [];
}

/**
 * Returns what identifies an entry of a listing: the name of a tool or prompt, or the uri of a
 * resource or its template.
 */
function keyOfEntry(kind: Definition['kind'], entry: unknown): unknown {
  if (!isObject(entry)) return undefined;
  return kind === 'resource' ? (entry.uri ?? entry.uriTemplate) : entry.name;
}

/**
 * Returns what identifies the entry of a definition. The resources that a template lists have
 * others, because a uri that the template matches may belong to another resource.
 */
function entryKeyOf(one: Definition): unknown {
  return one.kind === 'resource' ? uriOf(one) : one.name;
}

/** Returns true if an entry of a listing is a resource of the template of a definition. */
function isInTemplate({ kind, address }: Definition, entry: unknown): boolean {
  if (kind !== 'resource' || !isObject(entry) || typeof entry.uri !== 'string') return false;
  return address.matches(entry.uri);
}

/** Returns true if a listing always has an entry for a definition. */
function isListedIn(method: string, { kind, address }: Definition): boolean {
  const isTemplate = address.target === undefined;
  return kind !== 'resource' || isTemplate === (method === 'resources/templates/list');
}
