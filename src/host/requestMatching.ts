/**
 * Finds what belongs to definitions: the requests that they answer, and their entries in listings.
 * Both are read as they are on the wire, so that handlers of the SDKs and of hosts can share a
 * method.
 */
import type { Result } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import type { Installed } from '../definition/definitions.js';
import type { Params } from './routeMap.js';

/** The methods that can be for a definition, by its kind. */
export const METHODS_OF: Readonly<Record<Installed['kind'], readonly string[]>> = {
  tool: ['tools/list', 'tools/call'],
  prompt: ['prompts/list', 'prompts/get', 'completion/complete'],
  resource: ['resources/list', 'resources/templates/list', 'resources/read', 'completion/complete'],
};

/** The property that holds the entries of a listing, and the kind of definition in it. */
export interface Listing {
  readonly member: string;
  readonly kind: Installed['kind'];
}

/** The listings, by method. */
export const LISTINGS: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  ['tools/list', { member: 'tools', kind: 'tool' }],
  ['prompts/list', { member: 'prompts', kind: 'prompt' }],
  ['resources/list', { member: 'resources', kind: 'resource' }],
  ['resources/templates/list', { member: 'resourceTemplates', kind: 'resource' }],
]);

/** The definitions on a server. */
export class InstalledDefinitions {
  /** The tools and prompts by method and name. Resources match by uri. */
  private readonly named = new Map<string, Installed>();
  private readonly definitions = new Set<Installed>();

  /** @throws {Error} If two definitions have the same name or uri, in words of the SDK. */
  assertFree(added: readonly Installed[]): void {
    const taken = new Set([...this.definitions].map(nameOf));
    for (const name of added.map(nameOf)) {
      if (taken.has(name)) throw new Error(`${name} is already registered`);
      taken.add(name);
    }
  }

  add(one: Installed): void {
    this.definitions.add(one);
    if (one.kind !== 'resource') this.named.set(keyOf(one), one);
  }

  remove(one: Installed): void {
    this.definitions.delete(one);
    if (this.named.get(keyOf(one)) === one) this.named.delete(keyOf(one));
  }

  /** Returns the definitions of a kind. */
  ofKind(kind: Installed['kind']): readonly Installed[] {
    return [...this.definitions].filter((one) => one.kind === kind);
  }

  /** Returns true if a request is for one of the definitions. */
  isFor(method: string, { name, uri, ref }: Params): boolean {
    if (method === 'completion/complete') return isObject(ref) && this.isAbout(ref);
    if (method !== 'resources/read') return this.named.has(`${method} ${String(name)}`);
    return typeof uri === 'string' && this.ofKind('resource').some(matches(uri));
  }

  /** Returns true if the reference of a completion is to one of the definitions. */
  private isAbout({ type, name, uri }: Params): boolean {
    if (type === 'ref/prompt') return this.named.has(`prompts/get ${String(name)}`);
    return type === 'ref/resource' && this.ofKind('resource').some((one) => uriOf(one) === uri);
  }
}

/** Names a definition as the SDK does. */
function nameOf({ kind, definition }: Installed): string {
  const { name } = definition;
  if (kind === 'tool') return `Tool ${name}`;
  if (kind === 'prompt') return `Prompt ${name}`;
  const { location } = definition;
  return typeof location === 'string' ? `Resource ${location}` : `Resource template ${name}`;
}

function keyOf({ definition }: Installed): string {
  return `${definition.address.method} ${definition.name}`;
}

function matches(uri: string): (one: Installed) => boolean {
  return ({ definition }) => definition.address.matches(uri);
}

/** Returns the entries of a listing, in its property `member`. */
export function entriesOf(result: Result | undefined, member: string): readonly unknown[] {
  const entries = result?.[member];
  return Array.isArray(entries) ? entries : [];
}

/**
 * Returns what identifies an entry of a listing: the name of a tool or prompt, or the uri of a
 * resource or its template.
 */
export function keyOfEntry(kind: Installed['kind'], entry: unknown): unknown {
  if (!isObject(entry)) return undefined;
  return kind === 'resource' ? (entry.uri ?? entry.uriTemplate) : entry.name;
}

/**
 * Returns what identifies the entry of a definition. The resources that a template lists have
 * others, because a uri that the template matches may belong to another resource.
 */
export function entryKeyOf(one: Installed): unknown {
  return one.kind === 'resource' ? uriOf(one) : one.definition.name;
}

/** Returns true if an entry of a listing is a resource of the template of a definition. */
export function isInTemplate({ kind, definition }: Installed, entry: unknown): boolean {
  if (kind !== 'resource' || !isObject(entry) || typeof entry.uri !== 'string') return false;
  return definition.address.matches(entry.uri);
}

/** Returns true if a listing always has an entry for a definition. */
export function isListedIn(method: string, { kind, definition }: Installed): boolean {
  const isTemplate = definition.address.target === undefined;
  return kind !== 'resource' || isTemplate === (method === 'resources/templates/list');
}

/** Returns the uri of a resource, or its template. `undefined` for other definitions. */
function uriOf({ kind, definition }: Installed): string | undefined {
  if (kind !== 'resource') return undefined;
  const { location } = definition;
  return typeof location === 'string' ? location : location.uriTemplate.toString();
}
