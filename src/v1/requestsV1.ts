/** Reads requests and listings as they are on the wire, to find what is for a definition. */
import type { Result } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import type { Installed } from '../server/definitions.js';

/** A request as the client sent it. */
export interface RequestV1 {
  readonly method: string;
  readonly params?: unknown;
}

/** The properties that hold the entries of listings, by method. */
export const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/** The methods that a server of SDK 1.x shares with definitions. */
export const SHARED_METHODS: readonly string[] = [
  ...Object.keys(LISTS),
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
];

/** Returns the parameters of a request. */
export function paramsOf({ params }: RequestV1): Readonly<Record<string, unknown>> {
  return isObject(params) ? params : {};
}

/** Returns the entries of a listing. */
export function entriesOf(result: Result | undefined, method: string): readonly unknown[] {
  const entries = result?.[LISTS[method] ?? ''];
  return Array.isArray(entries) ? entries : [];
}

/** Returns true if a request is for a definition. */
export function isFor(one: Installed, request: RequestV1): boolean {
  const { name, uri, ref } = paramsOf(request);
  if (request.method === 'completion/complete') return isObject(ref) && isAbout(ref, one);
  const { address } = one.definition;
  const target = request.method === 'resources/read' ? uri : name;
  return address.method === request.method && typeof target === 'string' && address.matches(target);
}

function isAbout({ type, name, uri }: Readonly<Record<string, unknown>>, one: Installed): boolean {
  if (one.kind === 'prompt') return type === 'ref/prompt' && name === one.definition.name;
  return one.kind === 'resource' && type === 'ref/resource' && uri === uriOf(one.definition);
}

function uriOf({ location }: Extract<Installed, { kind: 'resource' }>['definition']): string {
  return typeof location === 'string' ? location : location.uriTemplate.toString();
}

/** The kind of definition that a listing has, by method. */
const KINDS: Readonly<Record<string, Installed['kind']>> = {
  'tools/list': 'tool',
  'prompts/list': 'prompt',
  'resources/list': 'resource',
  'resources/templates/list': 'resource',
};

/** Returns true if an entry of a listing is a definition. */
export function isEntryOf(one: Installed, method: string, entry: unknown): boolean {
  if (!isObject(entry) || one.kind !== KINDS[method]) return false;
  if (one.kind !== 'resource') return entry.name === one.definition.name;
  return (entry.uri ?? entry.uriTemplate) === uriOf(one.definition);
}

/**
 * Returns the entry of a tool with an output schema that 2025 clients accept. They know only
 * objects, so SDK 2.x sends them other values as `{ result }`.
 */
export function withObjectOutput(entry: unknown): unknown {
  if (!isObject(entry) || !isObject(entry.outputSchema)) return entry;
  const { outputSchema, ...rest } = entry;
  if (outputSchema.type === 'object') return entry;
  // References count from the root of a schema, so they would be wrong further down.
  if (JSON.stringify(outputSchema).includes('"$ref"')) return rest;
  const { $schema, ...result } = outputSchema;
  const wrapped = { type: 'object', properties: { result }, required: ['result'] };
  return { ...rest, outputSchema: { ...($schema !== undefined && { $schema }), ...wrapped } };
}
