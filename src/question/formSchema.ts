/**
 * The schema of a form on the wire: a flat object of primitives. The SDK knows what a form may hold
 * and does the conversion; before it, what a form cannot say but the answer's validation still
 * checks is taken out. Converted once per schema object.
 */
import { inputRequired } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { isObject, toJsonSchema } from '../define/schema.js';
import type { JsonSchema, Schema } from '../define/schema.js';
import { asciiJson } from '../platform.js';

/** A form's schema, ready for the wire. */
export interface FormSchema {
  readonly json: ElicitRequestFormParams['requestedSchema'];
  /** Its ASCII JSON. */
  readonly text: string;
}

const converted = new WeakMap<Schema, FormSchema>();

/**
 * The form of a schema.
 *
 * @throws {TypeError} If no form can show it; the message names the field.
 */
export function formSchema(schema: Schema): FormSchema {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const json = deepFreeze(convert(schema));
  const form = { json, text: asciiJson(json) };
  converted.set(schema, form);
  return form;
}

function convert(schema: Schema): FormSchema['json'] {
  const flat = withoutNulls(toJsonSchema(schema, 'input'));
  const standard = schema['~standard'];
  const requestedSchema: Schema = {
    '~standard': {
      ...standard,
      vendor: standard.vendor,
      jsonSchema: { input: () => flat, output: () => flat },
    },
  };
  const { params } = inputRequired.elicit({ message: '', requestedSchema });
  return (params as ElicitRequestFormParams).requestedSchema;
}

/**
 * Forms have no null: an optional field is one that is left out. They do not say either what
 * happens to other properties, which is for validation to decide.
 */
function withoutNulls({ additionalProperties: _, ...root }: JsonSchema): Record<string, unknown> {
  if (!isObject(root.properties)) return root;
  const properties = Object.entries(root.properties).map(([name, field]) => [
    name,
    withoutNull(field),
  ]);
  return { ...root, properties: Object.fromEntries(properties) as Record<string, unknown> };
}

function withoutNull(field: unknown): unknown {
  if (!isObject(field)) return field;
  const { anyOf, ...rest }: Record<string, unknown> = { ...field };
  if (rest.default === null) delete rest.default;
  if (Array.isArray(rest.type)) rest.type = oneOrAll(rest.type.filter((type) => type !== 'null'));
  if (!Array.isArray(anyOf)) return rest;
  const arms: unknown[] = anyOf.filter((arm) => !isObject(arm) || arm.type !== 'null');
  const [only] = arms;
  return arms.length === 1 && isObject(only) ? { ...only, ...rest } : { ...rest, anyOf: arms };
}

function oneOrAll(types: readonly unknown[]): unknown {
  return types.length === 1 ? types[0] : types;
}

/** What is shared between calls must not be changed by one of them. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
