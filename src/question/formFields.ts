/**
 * Reduces a JSON Schema to the keywords that a form supports. Schema libraries write the same field
 * in different ways, and use keywords that forms do not have. Validation of the answer still checks
 * those.
 */
import { followReference } from '../author/schema.js';
import { isObject } from '../values.js';
import type { JsonSchema } from '../author/schema.js';

/**
 * Converts an object schema to a form. Forms have no references and no null; an optional field is
 * omitted instead. `additionalProperties` is dropped, because validation decides about other
 * properties.
 */
export function formOf(schema: JsonSchema): Record<string, unknown> {
  const { $defs } = schema;
  const { additionalProperties: _, id: __, ...root } = followReference(schema);
  delete root.$defs;
  if (!isObject(root.properties)) return root;
  const properties = Object.entries(root.properties).map(([name, field]) => [
    name,
    isObject(field) ? fieldOf({ $defs, ...field }) : field,
  ]);
  return { ...root, properties: Object.fromEntries(properties) as Record<string, unknown> };
}

function fieldOf(field: JsonSchema): Record<string, unknown> {
  const { $ref: _, $defs: __, ...own } = field;
  const { id: ___, $defs: ____, ...whole } = { ...followReference(field), ...own };
  delete whole.$ref;
  const shown = choiceOf(keepSupported(withoutNull(whole)), 'oneOf');
  return isObject(shown.items) ? { ...shown, items: choiceOf(shown.items, 'anyOf') } : shown;
}

/** Keywords that forms do not support. Validation of the answer still checks them. */
const UNSUPPORTED = ['pattern', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'];

const STRING_FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

function keepSupported(field: Record<string, unknown>): Record<string, unknown> {
  const { exclusiveMinimum: above, exclusiveMaximum: below, type } = field;
  const kept = Object.entries(field).filter(([key]) => !UNSUPPORTED.includes(key));
  const said = Object.fromEntries(kept);
  if (type === 'string' && !STRING_FORMATS.includes(said.format)) delete said.format;
  if (type === 'boolean') delete said.const;
  // For integers, "more than 0" means "at least 1".
  if (type === 'integer' && typeof above === 'number') said.minimum = above + 1;
  if (type === 'integer' && typeof below === 'number') said.maximum = below - 1;
  return said;
}

function withoutNull({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (rest.default === null) delete rest.default;
  if (Array.isArray(rest.type)) rest.type = oneOrAll(rest.type.filter((type) => type !== 'null'));
  if (Array.isArray(rest.enum)) rest.enum = rest.enum.filter((choice) => choice !== null);
  if (!Array.isArray(anyOf)) return rest;
  const arms: unknown[] = anyOf.filter((arm) => !isObject(arm) || arm.type !== 'null');
  const [only] = arms;
  return arms.length === 1 && isObject(only) ? { ...only, ...rest } : { ...rest, anyOf: arms };
}

/**
 * Converts a choice between strings, in any library's notation. With titles, the wire uses `oneOf`
 * for a single choice and `anyOf` for a multiple choice.
 */
function choiceOf(
  { anyOf, ...rest }: Readonly<Record<string, unknown>>,
  titled: 'oneOf' | 'anyOf',
): Record<string, unknown> {
  if (isText(rest.const)) {
    const { const: only, ...others } = rest;
    return { type: 'string', ...others, enum: [only] };
  }
  if (rest.type === undefined && Array.isArray(rest.enum) && rest.enum.every(isText)) {
    return { type: 'string', ...rest };
  }
  if (!Array.isArray(anyOf)) return rest;
  const arms: unknown[] = anyOf;
  if (!arms.every(isConstant)) return { ...rest, anyOf };
  if (!arms.every(({ title }) => isText(title))) {
    return { type: 'string', enum: arms.map((arm) => arm.const), ...rest };
  }
  const choices = arms.map((arm) => ({ const: arm.const, title: arm.title }));
  return { ...(titled === 'oneOf' && { type: 'string' }), [titled]: choices, ...rest };
}

function isConstant(arm: unknown): arm is { readonly const: string; readonly title?: unknown } {
  return isObject(arm) && isText(arm.const);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function oneOrAll(types: readonly unknown[]): unknown {
  return types.length === 1 ? types[0] : types;
}
