/** The listings of a server: their methods, and the entries that belong to definitions. */
import { isObject } from '../define/schema.js';
import type { Installed } from './definitions.js';

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

/** Returns true if a listing always has an entry for a definition. */
export function isListedIn(method: string, { kind, definition }: Installed): boolean {
  if (kind !== LISTINGS.get(method)?.kind) return false;
  const isTemplate = definition.address.target === undefined;
  return kind !== 'resource' || isTemplate === (method === 'resources/templates/list');
}

/**
 * Returns true if an entry of a listing is for a definition, by its uri or its name. The resources
 * that a template lists do not count, because a uri that the template matches may belong to another
 * resource.
 */
export function isEntry({ kind, definition }: Installed, entry: unknown): boolean {
  if (!isObject(entry)) return false;
  if (kind === 'resource' && typeof entry.uri === 'string')
    return entry.uri === definition.address.target;
  const isTemplate = kind === 'resource' && definition.address.target === undefined;
  return entry.name === definition.name && (kind !== 'resource' || isTemplate);
}
