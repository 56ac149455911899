/**
 * Finds definitions by the requests that are for them. A server has an index of its definitions.
 * HTTP installs the same array for every request, so each array has an index, too.
 */
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import { readDefinitions } from '../definition/definitions.js';
import type { AnyDefinition, Installed } from '../definition/definitions.js';
import type { Params } from './routeMap.js';
import { isRegistered } from './sdkInternals.js';
import type { RegisteredKind } from './sdkInternals.js';

/** Some definitions, indexed by method and name. Requests are read as the client sent them. */
export class DefinitionIndex {
  readonly all: Installed[] = [];
  private readonly named = new Map<string, Installed>();

  /**
   * Checks that definitions can be added.
   *
   * @throws {Error} If two definitions, or one and another of the server, have the same name or
   *   uri. The message begins like that of the SDK.
   */
  assertFree(added: readonly Installed[], server?: object): void {
    const taken = new Set(this.all.map((one) => registrationOf(one).join(' ')));
    for (const [kind, name] of added.map(registrationOf)) {
      const registration = `${kind} ${name}`;
      if (taken.has(registration) || (server !== undefined && isRegistered(server, kind, name)))
        throw new Error(
          `${registration} is already registered. Install each definition once per server, or rename one of the two.`,
        );
      taken.add(registration);
    }
  }

  add(added: readonly Installed[]): void {
    for (const one of added) {
      this.all.push(one);
      if (one.kind !== 'resource') this.named.set(keyOf(one), one);
    }
  }

  /** Returns the definitions of a kind. */
  ofKind(kind: Installed['kind']): readonly Installed[] {
    return this.all.filter((one) => one.kind === kind);
  }

  /** Returns the definitions that a request is for. Several templates can match one uri. */
  find(method: string, { name, uri, ref }: Params): readonly Installed[] {
    if (method === 'completion/complete') return isObject(ref) ? this.findReferred(ref) : [];
    if (method === 'resources/read') {
      const matches = ({ definition }: Installed): boolean =>
        typeof uri === 'string' && definition.address.matches(uri);
      return this.ofKind('resource').filter(matches);
    }
    const found = this.named.get(`${method} ${String(name)}`);
    return found === undefined ? [] : [found];
  }

  /** Returns the definitions that the reference of a completion is to. */
  private findReferred({ type, name, uri }: Params): readonly Installed[] {
    if (type === 'ref/prompt') return this.find('prompts/get', { name });
    if (type !== 'ref/resource') return [];
    return this.ofKind('resource').filter((one) => uriOf(one) === uri);
  }
}

function keyOf({ definition }: Installed): string {
  return `${definition.address.method} ${definition.name}`;
}

/** Returns the kind and the name under which the SDK registers a definition. */
function registrationOf({ kind, definition }: Installed): readonly [RegisteredKind, string] {
  const { name } = definition;
  if (kind === 'tool') return ['Tool', name];
  if (kind === 'prompt') return ['Prompt', name];
  const { location } = definition;
  return typeof location === 'string' ? ['Resource', location] : ['Resource template', name];
}

/** Returns the uri of a resource, or its template. `undefined` for other definitions. */
export function uriOf({ kind, definition }: Installed): string | undefined {
  if (kind !== 'resource') return undefined;
  const { location } = definition;
  return typeof location === 'string' ? location : location.uriTemplate.toString();
}

/** The definitions to install. */
export interface Wanted {
  readonly wanted: readonly Installed[];
  /** All definitions with `once`. Their stores have to fit the seal. */
  readonly storing: readonly Installed['definition'][];
}

/** The index of an array, and its definitions with `once`. */
type ArrayIndex = Pick<Wanted, 'storing'> & { readonly index: DefinitionIndex };

const indexes = new WeakMap<readonly AnyDefinition[], ArrayIndex>();

/**
 * Returns the definitions that an HTTP request names. The headers were checked against the body
 * before the server was created. If no definition has the name, the function returns all of them,
 * so that the client gets the usual error.
 *
 * @throws {TypeError} If `definitions` is not an array of definitions.
 * @throws {Error} If two of them have the same name or uri.
 */
export function wantedOf(
  definitions: readonly AnyDefinition[],
  request: McpRequestContext | undefined,
): Wanted {
  const known = indexes.get(definitions);
  if (known !== undefined) {
    const wanted = findNamed(known.index, request);
    // A definition that is not found may have been added since.
    if (wanted.length > 0 && areIn(definitions, known.index, wanted))
      return { wanted, storing: known.storing };
  }
  const { index, storing } = indexArray(definitions);
  const wanted = findNamed(index, request);
  return { wanted: wanted.length === 0 ? index.all : wanted, storing };
}

/** Returns true if an array still has the definitions that its index found. */
function areIn(
  definitions: readonly AnyDefinition[],
  { all }: DefinitionIndex,
  found: readonly Installed[],
): boolean {
  if (all.length !== definitions.length) return false;
  return found.every((one) => definitions[all.indexOf(one)]?.['~definition'] === one.definition);
}

function indexArray(definitions: readonly AnyDefinition[]): ArrayIndex {
  const index = new DefinitionIndex();
  const all = readDefinitions(definitions);
  index.assertFree(all);
  index.add(all);
  const storing = all
    .map(({ definition }) => definition)
    .filter((one) => 'once' in one && (one.once ?? one.approvals) !== undefined);
  const indexed = { index, storing };
  indexes.set(definitions, indexed);
  return indexed;
}

function findNamed(
  index: DefinitionIndex,
  request: McpRequestContext | undefined,
): readonly Installed[] {
  const headers = request?.era === 'modern' ? request.requestInfo?.headers : undefined;
  const method = headers?.get('mcp-method');
  const target = headers?.get('mcp-name');
  if (typeof method !== 'string' || typeof target !== 'string') return index.all;
  return index.find(method, { name: target, uri: target });
}
