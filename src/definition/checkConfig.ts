/**
 * Checks the arguments of `defineTool`, `definePrompt` and `defineResource`: the name, the
 * configuration with its field names and schemas, and the body. Each error names the mistake and
 * the fix.
 */
import { kindOf } from '../author/brand.js';
import { isSchema, toJsonSchema } from '../author/schema.js';
import { isObject, isPlainObject } from '../values.js';
import { unknownOption } from '../options.js';
import type { JsonSchema, Schema } from '../author/schema.js';
import { messageOf } from '../errors.js';
import { noteMade } from './definitionCounts.js';

/** The kind of definition, for error messages. */
export interface PartsWording {
  readonly what: 'Tool' | 'Prompt' | 'Resource';
  /** A correct call. */
  readonly example: string;
  readonly fields: Fields;
}

/** The parts of a definition, before they are checked. */
export interface Parts {
  readonly name: unknown;
  readonly config: unknown;
  readonly body: unknown;
  /** An argument after the last one. */
  readonly extra?: unknown;
}

/**
 * Checks the parts of a definition and counts it as made.
 *
 * @throws {TypeError} If a part is missing, surplus or of the wrong type, or if an option is
 *   misspelt or belongs to another kind of definition.
 */
export function assertParts({ name, config, body, extra }: Parts, wording: PartsWording): void {
  const { what, example, fields } = wording;
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`define${what}(): \`name\` must be a non-empty string. Write ${example}.`);
  }
  if (!isPlainObject(config) || kindOf(config) !== undefined) {
    throw new TypeError(`${what} '${name}': \`config\` must be an object. Write ${example}.`);
  }
  if (typeof body !== 'function') {
    throw new TypeError(`${what} '${name}': \`body\` must be a function. Write ${example}.`);
  }
  if (extra !== undefined) {
    throw new TypeError(
      `${what} '${name}': \`body\` must be the last argument. Move options such as \`${fields[0]}\` into \`config\`. Write ${example}.`,
    );
  }
  const misspelt = findMisspelling(Object.keys(config), fields);
  if (misspelt !== undefined) {
    const hint = `Did you mean '${misspelt.meant}'?`;
    throw unknownOption(`${what} '${name}'`, misspelt.written, hint);
  }
  const foreign = findForeign(Object.keys(config), fields);
  if (foreign !== undefined) {
    const hint = 'It belongs to another kind of definition. Remove it.';
    throw unknownOption(`${what} '${name}'`, foreign, hint);
  }
  noteMade();
}

/** The definition and the field that a schema belongs to. */
export interface SchemaPlace {
  readonly what: 'Tool' | 'Prompt' | 'Resource';
  readonly name: string;
  readonly field: 'inputSchema' | 'outputSchema' | 'argsSchema' | 'variables';
}

/**
 * Checks a schema of arguments, which must describe an object.
 *
 * @throws {TypeError} If the value is not a schema or does not describe an object.
 */
export function assertObjectSchema(place: SchemaPlace, given: unknown): asserts given is Schema {
  const { type } = jsonOf(place, given);
  if (type === undefined || type === 'object') return;
  throw invalidSchema(
    place,
    `\`${place.field}\` must describe an object, not ${JSON.stringify(type)}. Wrap it in z.object({ … }).`,
  );
}

/**
 * Checks a schema that may describe any value.
 *
 * @throws {TypeError} If the value is not a schema or has no JSON Schema.
 */
export function assertAnySchema(place: SchemaPlace, given: unknown): asserts given is Schema {
  jsonOf(place, given);
}

function jsonOf(place: SchemaPlace, given: unknown): JsonSchema {
  const { field } = place;
  if (!isSchema(given))
    throw invalidSchema(place, `\`${field}\` is not a usable schema. ${remedy(given)}`);
  try {
    return toJsonSchema(given, field === 'outputSchema' ? 'output' : 'input');
  } catch (error) {
    throw invalidSchema(
      place,
      `\`${field}\` cannot be converted to JSON Schema: ${messageOf(error)}`,
    );
  }
}

function remedy(given: unknown): string {
  if (!isObject(given)) return 'Use z.object({ … }) or another Standard Schema.';
  if ('~standard' in given) {
    return 'It does not provide JSON Schema. Use zod 4.2 or later, or a converter (valibot: toStandardJsonSchema).';
  }
  if (Object.values(given).some((value) => isObject(value) && '~standard' in value)) {
    return 'Wrap the raw shape in z.object({ … }).';
  }
  if ('type' in given || 'properties' in given || '$schema' in given) {
    return "Wrap the JSON Schema in fromJsonSchema() from '@modelcontextprotocol/server'.";
  }
  return 'Use z.object({ … }) or another Standard Schema.';
}

function invalidSchema({ what, name }: SchemaPlace, problem: string): TypeError {
  return new TypeError(`${what} '${name}': ${problem}`);
}

/** The field names of a kind of definition. */
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

export const TOOL_FIELDS: Fields = [
  'inputSchema',
  'outputSchema',
  'once',
  'approvals',
  'annotations',
  ...COMMON,
];

export const PROMPT_FIELDS: Fields = ['argsSchema', ...COMMON];

export const RESOURCE_FIELDS: Fields = [
  'variables',
  'mimeType',
  'size',
  'annotations',
  'cacheHint',
  ...COMMON,
];

/**
 * Field names from other libraries or other kinds of definition, with the fields that the author
 * may mean.
 */
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

/**
 * Returns the first field that only other kinds of definition have. Without an error it would be
 * silently ignored.
 */
export function findForeign(written: readonly string[], fields: Fields): string | undefined {
  const all = [...TOOL_FIELDS, ...PROMPT_FIELDS, ...RESOURCE_FIELDS];
  return written.find((name) => all.includes(name) && !fields.includes(name));
}

/** A misspelt field and the field that the author probably meant. */
export interface Misspelling {
  readonly written: string;
  readonly meant: string;
}

/** Returns the first unknown field that resembles a known one. */
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

/** Returns the number of letters to add, drop or replace to turn one word into the other. */
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
