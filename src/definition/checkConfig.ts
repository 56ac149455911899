/**
 * Checks what authors give to `defineTool`, `definePrompt` and `defineResource`: a name, a
 * configuration and a body, the schemas in it, and the names of its fields. Each error has the
 * remedy for what was given instead.
 */
import { kindOf } from '../define/brand.js';
import { isObject, isPlainObject, isSchema } from '../define/schema.js';
import type { JsonSchema, Schema } from '../define/schema.js';
import { InvalidGraphError, messageOf } from '../errors.js';
import { noteMade } from '../server/definitionCounts.js';

/** What kind of definition is being made, in the words of its errors. */
export interface PartsWording {
  readonly what: 'Tool' | 'Prompt' | 'Resource';
  /** How a good one is written. */
  readonly example: string;
  readonly fields: Fields;
}

/** The parts of a definition, as they were given. */
export interface Parts {
  readonly name: unknown;
  readonly config: unknown;
  readonly body: unknown;
}

/** @throws {@link InvalidGraphError} If one of the parts cannot be what it is meant to be. */
export function assertParts({ name, config, body }: Parts, wording: PartsWording): void {
  const { what, example, fields } = wording;
  if (typeof name !== 'string' || name === '') {
    throw invalid(what.toLowerCase(), `${what}: its name comes first: ${example}.`);
  }
  if (!isPlainObject(config) || kindOf(config) !== undefined) {
    throw invalid(name, `${what} '${name}': its configuration, an object, is missing: ${example}.`);
  }
  if (typeof body !== 'function') {
    throw invalid(name, `${what} '${name}' has no body: its function comes last: ${example}.`);
  }
  const misspelt = findMisspelling(Object.keys(config), fields);
  if (misspelt !== undefined) {
    throw invalid(
      name,
      `${what} '${name}' has no field '${misspelt.written}': did you mean '${misspelt.meant}'?`,
    );
  }
  const foreign = findForeign(Object.keys(config), fields);
  if (foreign !== undefined) {
    const problem = `has no field '${foreign}', which only other kinds of definition have.`;
    throw invalid(name, `${what} '${name}' ${problem}`);
  }
  noteMade();
}

function invalid(name: string, message: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', message, [name]);
}

/** Where a schema was given. */
export interface SchemaPlace {
  readonly what: 'Tool' | 'Prompt' | 'Resource';
  /** The name of the definition. */
  readonly name: string;
  readonly field: 'inputSchema' | 'outputSchema' | 'argsSchema' | 'variables';
}

/**
 * Checks the schema of arguments, which has to describe an object.
 *
 * @throws {@link InvalidGraphError} If it does not.
 */
export function assertObjectSchema(place: SchemaPlace, given: unknown): asserts given is Schema {
  const { type } = jsonOf(place, given);
  if (type === undefined || type === 'object') return;
  throw invalidSchema(
    place,
    `${place.field} must describe an object, not ${JSON.stringify(type)}: wrap it in z.object({ … }).`,
  );
}

/**
 * Checks any schema.
 *
 * @throws {@link InvalidGraphError} If it is none.
 */
export function assertAnySchema(place: SchemaPlace, given: unknown): asserts given is Schema {
  jsonOf(place, given);
}

function jsonOf(place: SchemaPlace, given: unknown): JsonSchema {
  const { field } = place;
  if (!isSchema(given)) throw invalidSchema(place, `${field} is not a schema: ${remedy(given)}`);
  const { jsonSchema } = given['~standard'];
  try {
    return jsonSchema[field === 'outputSchema' ? 'output' : 'input']({ target: 'draft-2020-12' });
  } catch (error) {
    throw invalidSchema(place, `${field} cannot be shown as JSON Schema: ${messageOf(error)}`);
  }
}

function remedy(given: unknown): string {
  if (!isObject(given)) return 'use z.object({ … }) or another Standard Schema.';
  if ('~standard' in given) {
    return 'this library version has no JSON Schema; use zod 4.2 or later, or a converter (valibot: toStandardJsonSchema).';
  }
  if (Object.values(given).some((value) => isObject(value) && '~standard' in value)) {
    return 'wrap the raw shape in z.object({ … }).';
  }
  if ('type' in given || 'properties' in given || '$schema' in given) {
    return "wrap the JSON Schema with fromJsonSchema() of '@modelcontextprotocol/server'.";
  }
  return 'use z.object({ … }) or another Standard Schema.';
}

function invalidSchema({ what, name }: SchemaPlace, problem: string): InvalidGraphError {
  return invalid(name, `${what} '${name}': ${problem}`);
}

/** The fields that a kind of definition has. */
export type Fields = readonly string[];

const COMMON = [
  'resolve',
  'guards',
  'hideWhenCannotAsk',
  'title',
  'description',
  'icons',
  'scopeChallenge',
  '_meta',
];

/** The fields of a tool. */
export const TOOL_FIELDS: Fields = [
  'inputSchema',
  'outputSchema',
  'once',
  'annotations',
  ...COMMON,
];

/** The fields of a prompt. */
export const PROMPT_FIELDS: Fields = ['argsSchema', ...COMMON];

/** The fields of a resource. */
export const RESOURCE_FIELDS: Fields = [
  'variables',
  'mimeType',
  'size',
  'annotations',
  'cacheHint',
  ...COMMON,
];

/** What authors write when they think of another library, or of another kind of definition. */
const OTHER_NAMES: Readonly<Record<string, Fields>> = {
  input: ['inputSchema', 'argsSchema', 'variables'],
  output: ['outputSchema'],
  schema: ['inputSchema', 'argsSchema', 'variables'],
  parameters: ['inputSchema', 'argsSchema', 'variables'],
  argsSchema: ['inputSchema', 'variables'],
  inputSchema: ['argsSchema', 'variables'],
  variables: ['inputSchema', 'argsSchema'],
  args: ['argsSchema', 'inputSchema', 'variables'],
  arguments: ['argsSchema', 'inputSchema', 'variables'],
  inject: ['resolve'],
  deps: ['resolve'],
  dependencies: ['resolve'],
  needs: ['resolve'],
};

/** A field that only other kinds of definition have; it would be ignored. */
export function findForeign(written: readonly string[], fields: Fields): string | undefined {
  const all = [...TOOL_FIELDS, ...PROMPT_FIELDS, ...RESOURCE_FIELDS];
  return written.find((name) => all.includes(name) && !fields.includes(name));
}

/** A field that cannot be meant as it is written. */
export interface Misspelling {
  readonly written: string;
  readonly meant: string;
}

/** The first field that is nearly one of ours. */
export function findMisspelling(
  written: readonly string[],
  fields: Fields,
): Misspelling | undefined {
  for (const name of written) {
    if (fields.includes(name)) continue;
    const others = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
    const meant =
      others?.find((field) => fields.includes(field)) ??
      fields.find((field) => isNear(name, field));
    if (meant !== undefined) return { written: name, meant };
  }
  return undefined;
}

const NEAR = 2;

function isNear(written: string, field: string): boolean {
  return editDistance(written.toLowerCase(), field.toLowerCase()) <= NEAR;
}

/** How many letters have to be added, dropped or replaced to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of Array.from(from).entries()) {
    const next = [line + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
