/**
 * Finds the definitions that a request names. HTTP installs the same array for every request, so
 * the array is indexed once and the index is reused.
 */
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { readDefinitions } from '../definition/definitions.js';
import type { AnyDefinition, Installed } from '../definition/definitions.js';

/** The definitions to install. */
export interface Wanted {
  readonly wanted: readonly Installed[];
  /** All definitions with `once`. Their stores have to fit the seal. */
  readonly storing: readonly Installed['definition'][];
}

/** A definition and its position when the array was read. The array can change later. */
type CatalogueEntry = Installed & { readonly at: number };

/** The index of an array of definitions. */
interface Catalogue {
  readonly all: readonly CatalogueEntry[];
  readonly storing: Wanted['storing'];
  readonly named: ReadonlyMap<string, readonly CatalogueEntry[]>;
  /** Resources match by uri, so they are not indexed by name. */
  readonly resources: readonly CatalogueEntry[];
}

const catalogues = new WeakMap<readonly AnyDefinition[], Catalogue>();

/**
 * Returns the definitions that an HTTP request names. The headers were checked against the body
 * before the server was created. If no definition has the name, the function returns all of them,
 * so that the client gets the usual error.
 *
 * @throws {TypeError} If `definitions` is not an array of definitions.
 */
export function wantedOf(
  definitions: readonly AnyDefinition[],
  request: McpRequestContext | undefined,
): Wanted {
  const known = catalogues.get(definitions);
  if (known !== undefined) {
    const wanted = findNamed(known, request);
    // A definition that is not found may have been added since.
    if (wanted.length > 0 && areThere(wanted, known, definitions))
      return { wanted, storing: known.storing };
  }
  const catalogue = arrange(definitions);
  const wanted = findNamed(catalogue, request);
  const { all, storing } = catalogue;
  return { wanted: wanted.length === 0 ? all : wanted, storing };
}

function storingOf(all: readonly Installed[]): Wanted['storing'] {
  return all
    .map(({ definition }) => definition)
    .filter((one) => 'once' in one && one.once !== undefined);
}

function areThere(
  entries: readonly CatalogueEntry[],
  { all }: Catalogue,
  definitions: readonly AnyDefinition[],
): boolean {
  if (all.length !== definitions.length) return false;
  return entries.every(({ at, definition }) => definitions[at]?.['~definition'] === definition);
}

function arrange(definitions: readonly AnyDefinition[]): Catalogue {
  const all = readDefinitions(definitions).map((one, at): CatalogueEntry => ({ ...one, at }));
  const byName = new Map<string, CatalogueEntry[]>();
  for (const one of all) {
    if (one.kind === 'resource') continue;
    const key = keyOf(one.definition.address.method, one.definition.name);
    const others = byName.get(key);
    if (others === undefined) byName.set(key, [one]);
    else others.push(one);
  }
  const storing = storingOf(all);
  const resources = all.filter(({ kind }) => kind === 'resource');
  const catalogue = { all, storing, named: byName, resources };
  catalogues.set(definitions, catalogue);
  return catalogue;
}

const keyOf = (method: string, name: string): string => `${method} ${name}`;

function findNamed(
  catalogue: Catalogue,
  request: McpRequestContext | undefined,
): readonly CatalogueEntry[] {
  const asked = nameIn(request);
  if (asked === undefined) return catalogue.all;
  const { method, target } = asked;
  if (method !== 'resources/read') return catalogue.named.get(keyOf(method, target)) ?? [];
  return catalogue.resources.filter(({ definition: { address } }) => address.matches(target));
}

/** The method of a request, and the name or uri that it is for. */
interface Named {
  readonly method: string;
  readonly target: string;
}

function nameIn(request: McpRequestContext | undefined): Named | undefined {
  const headers = request?.era === 'modern' ? request.requestInfo?.headers : undefined;
  const method = headers?.get('mcp-method');
  const target = headers?.get('mcp-name');
  return typeof method === 'string' && typeof target === 'string' ? { method, target } : undefined;
}
