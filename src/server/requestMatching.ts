/**
 * Finds what belongs to definitions: the requests that they answer, and their entries in listings.
 * Both are read as they are on the wire, so that handlers of the SDK and of hosts can share a
 * method.
 */
import type { Result } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import type { Params } from './address.js';
import type { Installed } from './definitions.js';

/** The methods that can be for a definition, by its kind. */
export const METHODS_OF: Readonly<Record<Installed['kind'], readonly string[]>> = {
  tool: ['tools/list', 'tools/call'],
  prompt: ['prompts/list', 'prompts/get', 'completion/complete'],
  resource: ['resources/list', 'resources/templates/list', 'resources/read', 'completion/complete'],
};

/** The property that holds the entries of a listing, and the kind of definition in it. */
interface Listing {
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

/** Returns true if a request is for a definition. */
export function isFor(one: Installed, method: string, { name, uri, ref }: Params): boolean {
  if (method === 'completion/complete') return isObject(ref) && isAbout(one, ref);
  const { address } = one.definition;
  const target = method === 'resources/read' ? uri : name;
  return address.method === method && typeof target === 'string' && address.matches(target);
}

/** Returns true if the reference of a completion is to a definition. */
function isAbout({ kind, definition }: Installed, { type, name, uri }: Params): boolean {
  if (kind === 'prompt') return type === 'ref/prompt' && name === definition.name;
  return kind === 'resource' && type === 'ref/resource' && uri === uriOf(definition);
}

/** Returns the entries of a listing, in its property `member`. */
export function entriesOf(result: Result | undefined, member: string): readonly unknown[] {
  const entries = result?.[member];
  return Array.isArray(entries) ? entries : [];
}

/**
 * Returns true if an entry of a listing is for a definition of the listing's kind. The resources
 * that a template lists do not count, because a uri that the template matches may belong to another
 * resource.
 */
export function isEntry({ kind, definition }: Installed, entry: unknown): boolean {
  if (!isObject(entry)) return false;
  if (kind !== 'resource') return entry.name === definition.name;
  return (entry.uri ?? entry.uriTemplate) === uriOf(definition);
}

/** Returns true if a listing always has an entry for a definition. */
export function isListedIn(method: string, { kind, definition }: Installed): boolean {
  if (kind !== LISTINGS.get(method)?.kind) return false;
  const isTemplate = definition.address.target === undefined;
  return kind !== 'resource' || isTemplate === (method === 'resources/templates/list');
}

/** Returns the uri of a resource, or its template. */
function uriOf({ location }: Extract<Installed, { kind: 'resource' }>['definition']): string {
  return typeof location === 'string' ? location : location.uriTemplate.toString();
}
