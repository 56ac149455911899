/**
 * The schema of a definition as the SDK gets it: its JSON Schema is computed once and frozen,
 * because the SDK asks for it on every listing and, over HTTP, on every call.
 */
import { deepFreeze, isObject, toJsonSchema } from '../define/schema.js';
import type { JsonSchema, Schema } from '../define/schema.js';
import { isThenable } from '../platform.js';
import { warnThrowingSchema } from '../server/operatorWarnings.js';

/** What a schema of arguments is for. */
export interface ArgumentSpec {
  readonly name: string;
  /** Dropped from what a caller sends, before validation. */
  readonly resolved: readonly string[];
}

/**
 * The arguments of a definition, in their lasting form. A schema that throws finds the arguments
 * invalid.
 */
export function argumentSchema(schema: Schema, { name, resolved }: ArgumentSpec): Schema {
  const { validate } = schema['~standard'];
  const uncheckable = (error: unknown): { issues: { message: string }[] } => {
    warnThrowingSchema(name, error);
    return { issues: [{ message: 'could not be checked' }] };
  };
  return lasting(schema, (value, options) => {
    try {
      const result = validate(without(value, resolved), options);
      return isThenable(result) ? result.then(undefined, uncheckable) : result;
    } catch (error) {
      return uncheckable(error);
    }
  });
}

/** The output of a tool: the library validates it itself, before anything is answered. */
export function advertisedSchema(schema: Schema): Schema {
  return lasting(schema, (value) => ({ value }));
}

type Validate = Schema['~standard']['validate'];

function lasting(schema: Schema, validate: Validate): Schema {
  const standard = schema['~standard'];
  const input = once(() => toJsonSchema(schema, 'input'));
  const output = once(() => standard.jsonSchema.output({ target: 'draft-2020-12' }));
  // `shape` stays readable: the SDK's completions look for it.
  const { shape } = schema as { readonly shape?: unknown };
  return Object.freeze({
    '~standard': {
      ...standard,
      version: 1 as const,
      vendor: standard.vendor,
      validate,
      jsonSchema: { input, output },
    },
    ...(shape !== undefined && { shape }),
  });
}

function once(compute: () => JsonSchema): () => Record<string, unknown> {
  let computed: JsonSchema | undefined;
  // A copy: what is frozen must not be the library's own.
  return () => (computed ??= deepFreeze(structuredClone(compute())));
}

function without(value: unknown, names: readonly string[]): unknown {
  if (!isObject(value) || !names.some((name) => Object.hasOwn(value, name))) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
