/**
 * A tool's schema as the SDK gets it: its JSON Schema is computed once and frozen, because the SDK
 * asks for it on every listing and, over HTTP, on every call.
 */
import { InvalidGraphError, messageOf } from '../../errors.js';
import { deepFreeze, isObject, isSchema, toJsonSchema } from '../../define/schema.js';
import type { JsonSchema, Schema } from '../../define/schema.js';
import { isThenable } from '../../platform.js';
import { warnThrowingSchema } from '../call/warnings.js';

/** The schema of a tool's arguments, given what it is for. */
export interface ArgumentsOf {
  readonly tool: string;
  /** Dropped from what a caller sends, before validation. */
  readonly resolved: readonly string[];
}

/** The arguments of a tool, in their lasting form. A schema that throws finds the arguments invalid. */
export function argumentSchema(schema: Schema, { tool, resolved }: ArgumentsOf): Schema {
  const { validate } = schema['~standard'];
  const uncheckable = (error: unknown): { issues: { message: string }[] } => {
    warnThrowingSchema(tool, error);
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

/**
 * Checks that what an author gave as the schema of arguments is one, and describes an object.
 *
 * @throws {@link InvalidGraphError} With the remedy for what was given instead.
 */
export function assertInputSchema(tool: string, given: unknown): asserts given is Schema {
  const { type } = jsonOf(tool, 'inputSchema', given);
  if (type === undefined || type === 'object') return;
  throw invalid(
    tool,
    `inputSchema must describe an object, not ${JSON.stringify(type)}: wrap it in z.object({ … }).`,
  );
}

/** Checks that what an author gave as the schema of results is one. */
export function assertOutputSchema(tool: string, given: unknown): asserts given is Schema {
  jsonOf(tool, 'outputSchema', given);
}

function jsonOf(tool: string, field: 'inputSchema' | 'outputSchema', given: unknown): JsonSchema {
  if (!isSchema(given)) throw invalid(tool, `${field} is not a schema: ${remedy(given)}`);
  const { jsonSchema } = given['~standard'];
  try {
    return jsonSchema[field === 'inputSchema' ? 'input' : 'output']({ target: 'draft-2020-12' });
  } catch (error) {
    throw invalid(tool, `${field} cannot be shown as JSON Schema: ${messageOf(error)}`);
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

function invalid(tool: string, problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `Tool '${tool}': ${problem}`, [tool]);
}
