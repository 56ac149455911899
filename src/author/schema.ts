/**
 * Schemas: a Standard Schema that can also describe itself as JSON Schema (zod, arktype, valibot
 * with its converter). This file calls only the schema's own methods, so definitions do not need
 * the SDK at run time.
 */
import type { StandardSchemaV1, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';

/** Any schema that this library accepts. */
export type Schema = StandardSchemaWithJSON;

/** The input type of a schema. */
export type InputOf<S extends Schema> = StandardSchemaV1.InferInput<S>;

/** The output type of a schema. */
export type OutputOf<S extends Schema> = StandardSchemaV1.InferOutput<S>;

/** A JSON Schema object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Side = 'input' | 'output';

/** Returns true if `value` can validate and describe itself. */
export function isSchema(value: unknown): value is Schema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as { readonly '~standard'?: Partial<Schema['~standard']> })['~standard'];
  return (
    typeof standard?.validate === 'function' && typeof standard.jsonSchema?.input === 'function'
  );
}

/**
 * Converts a schema to JSON Schema, in the dialect that MCP uses. Converts each side of a schema
 * once, because a conversion runs the author's generated defaults.
 */
export function toJsonSchema(schema: Schema, side: Side): JsonSchema {
  return rememberJson(schema, side, () => convert(schema, side));
}

/**
 * Converts a schema to the JSON Schema for clients, without its generated defaults. A default is
 * generated if another conversion has another value. The model could send that one value back in
 * every call.
 */
export function toAdvertisedJson(schema: Schema, side: Side): JsonSchema {
  return stableJson(toJsonSchema(schema, side), () => convert(schema, side));
}

function stableJson(json: JsonSchema, convertAgain: () => JsonSchema): JsonSchema {
  if (!JSON.stringify(json).includes('"default":')) return json;
  return withoutChangedDefaults(json, convertAgain()) as JsonSchema;
}

function convert(schema: Schema, side: Side): JsonSchema {
  return schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' });
}

type Conversion = Side | 'lenientInput' | 'lenientOutput';

/** The conversions of each schema. */
const conversions = new WeakMap<Schema, Map<Conversion, JsonSchema>>();

function rememberJson(schema: Schema, key: Conversion, compute: () => JsonSchema): JsonSchema {
  const known = conversions.get(schema) ?? new Map<Conversion, JsonSchema>();
  conversions.set(schema, known);
  const json = known.get(key) ?? compute();
  known.set(key, json);
  return json;
}

/** The keywords with one schema for each name. A name can be `default`. */
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

function withoutChangedDefaults(json: unknown, again: unknown, keyword = ''): unknown {
  if (Array.isArray(json) && Array.isArray(again))
    return json.map((item, index) => withoutChangedDefaults(item, again[index]));
  if (!isObject(json) || !isObject(again)) return json;
  const hasNames = BY_NAME.includes(keyword);
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key, value]) => hasNames || key !== 'default' || isSame(value, again[key]))
      .map(([key, value]) => [key, withoutChangedDefaults(value, again[key], hasNames ? '' : key)]),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns the names of the properties that validated data can have, or `undefined` if the schema
 * does not expose them (it ends in a transform).
 */
export function propertyNames(schema: Schema): ReadonlySet<string> | undefined {
  // A zod object has the same properties on both sides, so one conversion is enough.
  if (isObject((schema as { readonly shape?: unknown }).shape)) return new Set(sentNames(schema));
  const input = namesIn(toJsonSchema(schema, 'input'));
  const output = namesIn(outputOrInput(schema));
  return output === undefined ? undefined : new Set([...(input ?? []), ...output]);
}

/**
 * Returns the names of the properties before validation, or an empty array if they are not known.
 */
export function sentNames(schema: Schema): readonly string[] {
  return namesIn(toJsonSchema(schema, 'input')) ?? [];
}

function outputOrInput(schema: Schema): JsonSchema {
  // zod turns a part that JSON Schema cannot express, such as a transform, into "any". Other
  // libraries ignore the option.
  const options = { target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } } as const;
  try {
    return rememberJson(schema, 'lenientOutput', () =>
      schema['~standard'].jsonSchema.output(options),
    );
  } catch {
    return toJsonSchema(schema, 'input');
  }
}

/** Returns the property names of an object schema, or of all members of a union or intersection. */
function namesIn(json: JsonSchema): readonly string[] | undefined {
  const target = followReference(json);
  if (isObject(target.properties)) return Object.keys(target.properties);
  const members = [target.anyOf, target.oneOf, target.allOf].find(Array.isArray) as
    unknown[] | undefined;
  if (members === undefined) return target.type === 'object' ? [] : undefined;
  const definitions = { $defs: target.$defs ?? json.$defs };
  const names = members.map((member) =>
    isObject(member) ? namesIn({ ...definitions, ...member }) : undefined,
  );
  return names.includes(undefined) ? undefined : names.flatMap((some) => some ?? []);
}

/** Returns true if all values of a schema are objects. */
export function describesObject(json: JsonSchema): boolean {
  return namesIn(json) !== undefined;
}

const LOCAL_REFERENCE = /^#\/\$defs\/(.+)$/;

/**
 * Returns the target of a reference to one of the schema's own definitions, or the schema itself.
 */
export function followReference(json: JsonSchema): Record<string, unknown> {
  const name = typeof json.$ref === 'string' ? LOCAL_REFERENCE.exec(json.$ref)?.[1] : undefined;
  const target = name !== undefined && isObject(json.$defs) ? json.$defs[name] : undefined;
  return { ...(isObject(target) ? target : json) };
}

/** The problems that a schema found in a value. */
export type SchemaIssues = readonly StandardSchemaV1.Issue[];

/**
 * Returns ` (field 'amount')` for the first issue, or an empty string if it is not about a property
 * of the schema. Neither the words of a schema nor other keys are safe to show, because they may
 * quote the value.
 */
export function shownField(schema: Schema, issues: SchemaIssues): string {
  const step = issues[0]?.path?.[0];
  const field = typeof step === 'object' ? step.key : step;
  const isProperty = typeof field === 'string' && lenientFieldsOf(schema).includes(field);
  return isProperty ? ` (field '${field}')` : '';
}

/** Returns the property names of a schema, even if JSON Schema cannot express all its parts. */
function lenientFieldsOf(schema: Schema): readonly string[] {
  try {
    return namesIn(lenientJsonSchema(schema)) ?? [];
  } catch {
    return [];
  }
}

/**
 * Converts the input of a schema to JSON Schema. zod and valibot turn a part that JSON Schema
 * cannot express into "any". Other libraries ignore the options.
 */
function lenientJsonSchema(schema: Schema): JsonSchema {
  return rememberJson(schema, 'lenientInput', () => convertLeniently(schema));
}

/** Does the same for clients, without generated defaults. */
export function lenientAdvertisedJson(schema: Schema): JsonSchema {
  return stableJson(lenientJsonSchema(schema), () => convertLeniently(schema));
}

function convertLeniently(schema: Schema): JsonSchema {
  return schema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
    libraryOptions: { unrepresentable: 'any', errorMode: 'ignore' },
  });
}

/** The length of a description. A client can cause thousands of issues and choose long names. */
const LONGEST_DESCRIPTION = 4000;

/** Formats validation issues with their paths. Cuts a long description. */
export function describeIssues(issues: SchemaIssues, separator = ', '): string {
  let text = '';
  for (const [index, issue] of issues.entries()) {
    if (text.length > LONGEST_DESCRIPTION) break;
    text += index === 0 ? describeIssue(issue) : separator + describeIssue(issue);
  }
  return cut(text, LONGEST_DESCRIPTION);
}

function describeIssue({ path = [], message }: StandardSchemaV1.Issue): string {
  const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}

/** Cuts a long string between characters. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const splitsCharacter = (text.codePointAt(longest - 1) ?? 0) > 0xffff;
  return `${text.slice(0, splitsCharacter ? longest - 1 : longest)}…`;
}
