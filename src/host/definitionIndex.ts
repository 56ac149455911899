/**
 * Finds definitions by the requests that are for them. A server has an index of its definitions.
 * HTTP installs the same array for every request, so each array has an index, too.
 */
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import { readDefinitions } from '../definition/definitions.js';
import type { AnyDefinition, Definition } from '../definition/definitions.js';
import type { Params } from './routeMap.js';
import { isRegistered } from './sdkInternals.js';
import type { RegisteredKind } from './sdkInternals.js';

/** Some definitions, indexed by method and name. Requests are read as the client sent them. */
export class DefinitionIndex {
  readonly all: Definition[] = [];
  private readonly named = new Map<string, Definition>();

  /**
   * Checks that definitions can be added.
   *
   * @throws {Error} If two definitions, or one and another of the server, have the same name or
   *   uri. The message is that of the SDK.
   */
  assertFree(added: readonly Definition[], server?: object): void {
    const taken = new Set(this.all.map((one) => registrationOf(one).join(' ')));
    for (const [kind, name] of added.map(registrationOf)) {
      const registration = `${kind} ${name}`;
      if (taken.has(registration) || (server !== undefined && isRegistered(server, kind, name)))
        throw new Error(`${registration} is already registered`);
      taken.add(registration);
    }
  }

  add(added: readonly Definition[]): void {
    for (const one of added) {
      this.all.push(one);
      if (one.kind !== 'resource') this.named.set(`${one.address.method} ${one.name}`, one);
    }
  }

  ofKind(kind: Definition['kind']): readonly Definition[] {
    return this.all.filter((one) => one.kind === kind);
  }

  /** Returns the definitions that a request is for. Several templates can match one uri. */
  find(method: string, { name, uri, ref }: Params): readonly Definition[] {
    if (method === 'completion/complete') return isObject(ref) ? this.findReferred(ref) : [];
    if (method === 'resources/read') {
      if (typeof uri !== 'string') return [];
      return this.ofKind('resource').filter(({ address }) => address.matches(uri));
    }
    const found = this.named.get(`${method} ${String(name)}`);
    return found === undefined ? [] : [found];
  }

  /** Returns the definitions that the reference of a completion is to. */
  private findReferred({ type, name, uri }: Params): readonly Definition[] {
    if (type === 'ref/prompt') return this.find('prompts/get', { name });
    if (type !== 'ref/resource') return [];
    return this.ofKind('resource').filter((one) => uriOf(one) === uri);
  }
}

/** Returns the kind and the name under which the SDK registers a definition. */
function registrationOf(definition: Definition): readonly [RegisteredKind, string] {
  const { kind, name } = definition;
  if (kind === 'tool') return ['Tool', name];
  if (kind === 'prompt') return ['Prompt', name];
  const { location } = definition;
  return typeof location === 'string' ? ['Resource', location] : ['Resource template', name];
}

/** Returns the uri of a resource, or its template. `undefined` for other definitions. */
export function uriOf(definition: Definition): string | undefined {
  if (definition.kind !== 'resource') return undefined;
  const { location } = definition;
  return typeof location === 'string' ? location : location.uriTemplate.toString();
}

/** The definitions to install. */
export interface Wanted {
  readonly wanted: readonly Definition[];
  /** All definitions with a store. Their stores have to fit the seal. */
  readonly storing: readonly Definition[];
}

/** An array of definitions, as it was when it was read, and its index. */
interface IndexedArray extends Pick<Wanted, 'storing'> {
  readonly definitions: readonly AnyDefinition[];
  readonly index: DefinitionIndex;
}

/** The arrays that were read last, by their first definition. */
const indexed = new WeakMap<AnyDefinition, IndexedArray>();

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
  const { index, storing } = indexOf(definitions);
  const headers = request?.era === 'modern' ? request.requestInfo?.headers : undefined;
  const method = headers?.get('mcp-method');
  const target = headers?.get('mcp-name');
  if (typeof method !== 'string' || typeof target !== 'string')
    return { wanted: index.all, storing };
  const named = index.find(method, { name: target, uri: target });
  return { wanted: named.length === 0 ? index.all : named, storing };
}

/** A factory may create the array for each request, so arrays are compared by what they hold. */
function indexOf(definitions: readonly AnyDefinition[]): IndexedArray {
  const first = Array.isArray(definitions) ? (definitions[0] as unknown) : undefined;
  const known = indexed.get(first as AnyDefinition);
  if (known === undefined) return readArray(definitions);
  const isSame =
    known.definitions.length === definitions.length &&
    known.definitions.every((one, index) => one === definitions[index]);
  return isSame ? known : readArray(definitions);
}

function readArray(definitions: readonly AnyDefinition[]): IndexedArray {
  const all = readDefinitions(definitions);
  const index = new DefinitionIndex();
  index.assertFree(all);
  index.add(all);
  const storing = all.filter(({ once, approvals }) => (once ?? approvals) !== undefined);
  const read = { definitions: [...definitions], index, storing };
  const [first] = definitions;
  if (first !== undefined) indexed.set(first, read);
  return read;
}
