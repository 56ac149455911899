/**
 * What a schema is to us: a Standard Schema that can also describe itself as JSON Schema (zod,
 * arktype, valibot through its converter). Only the schema's own methods are used here, so that
 * definitions need nothing of the SDK at run time.
 */
import type { StandardSchemaV1, StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/** Any schema this library takes. */
export type Schema = StandardSchemaWithJSON;

/** The type of what a schema accepts. */
export type InputOf<S extends Schema> = StandardSchemaV1.InferInput<S>;

/** The type of what a schema gives. */
export type OutputOf<S extends Schema> = StandardSchemaV1.InferOutput<S>;

/** A JSON Schema, as far as we look into one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Side = 'input' | 'output';

/** Whether `value` can validate and describe itself. */
export function isSchema(value: unknown): value is Schema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as { readonly '~standard'?: Partial<Schema['~standard']> })['~standard'];
  return (
    typeof standard?.validate === 'function' && typeof standard.jsonSchema?.input === 'function'
  );
}

/** A schema as JSON Schema, in the dialect that MCP uses. */
export function toJsonSchema(schema: Schema, side: Side): JsonSchema {
  // A part that JSON Schema cannot express, such as a transform, becomes "anything" in zod; other
  // libraries ignore the option.
  const libraryOptions = side === 'output' ? { unrepresentable: 'any' } : undefined;
  return schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12', libraryOptions });
}

/**
 * The names of the properties that validated data can have, or `undefined` where the schema does
 * not tell (it ends in a transform).
 */
export function propertyNames(schema: Schema): ReadonlySet<string> | undefined {
  const input = namesIn(toJsonSchema(schema, 'input'));
  const output = namesIn(outputOrInput(schema));
  return output === undefined ? undefined : new Set([...(input ?? []), ...output]);
}

/** The names of the properties that data can have before validation, as far as the schema tells. */
export function sentNames(schema: Schema): readonly string[] {
  return namesIn(toJsonSchema(schema, 'input')) ?? [];
}

function outputOrInput(schema: Schema): JsonSchema {
  try {
    return toJsonSchema(schema, 'output');
  } catch {
    return toJsonSchema(schema, 'input');
  }
}

/** The property names of an object schema, or of all members of a union or an intersection. */
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

const LOCAL_REFERENCE = /^#\/\$defs\/(.+)$/;

/** What a schema stands for, if it is a reference to one of its own definitions. */
export function followReference(json: JsonSchema): Record<string, unknown> {
  const name = typeof json.$ref === 'string' ? LOCAL_REFERENCE.exec(json.$ref)?.[1] : undefined;
  const target = name !== undefined && isObject(json.$defs) ? json.$defs[name] : undefined;
  return { ...(isObject(target) ? target : json) };
}

/** Whether `value` is an object with members, and not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether `value` is an object as a literal makes it: what a Map or an instance holds would be
 * overlooked.
 */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What a validation complained about, with the places. */
export function describeIssues(issues: readonly StandardSchemaV1.Issue[]): string {
  return issues
    .map(({ path = [], message }) => {
      const place = path
        .map((step) => String(typeof step === 'object' ? step.key : step))
        .join('.');
      return place === '' ? message : `${place}: ${message}`;
    })
    .join(', ');
}

/** What is shared between calls must not be changed by one of them. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
