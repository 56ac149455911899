/**
 * Wraps an author's schemas for the SDK. A wrapper computes its JSON Schema once and freezes it.
 * Its `validate` never throws.
 */
import { toAdvertisedJson } from '../author/schema.js';
import { deepFreeze, isObject, isThenable, withoutKeys } from '../values.js';
import type { JsonSchema, Schema } from '../author/schema.js';
import { warnThrowingSchema } from '../call/operator.js';
import type { ReportThrown } from '../call/operator.js';
import type { ArgumentSchema } from './definitions.js';
import { droppedNames } from './requestArguments.js';

/** The definition that a schema of arguments belongs to. */
export interface ArgumentSpec {
  readonly name: string;
  /**
   * The parameters that resolvers fill. If a caller sends them, they are dropped before validation.
   */
  readonly resolved: readonly string[];
}

/** Wraps the schema of a definition's arguments. */
export function argumentSchema(schema: Schema, { name, resolved }: ArgumentSpec): ArgumentSchema {
  const { validate } = schema['~standard'];
  const dropped = droppedNames(resolved);
  const sent = new WeakMap<object, unknown>();
  const noted = (result: Validated, given: unknown): Validated => {
    if (result.issues === undefined && isObject(result.value)) sent.set(result.value, given);
    return result;
  };
  const validateWith =
    (report: ReportThrown): Validate =>
    (given, options) => {
      const uncheckable = (error: unknown): Validated => {
        report(error, name);
        return { issues: [{ message: 'could not be validated' }] };
      };
      try {
        // Before SDK 2.3, McpServer passes the arguments of a prompt as undefined if there are none.
        const result = validate(given === undefined ? {} : withoutKeys(given, dropped), options);
        if (!isThenable(result)) return noted(result, given);
        return result.then((value) => noted(value, given), uncheckable);
      } catch (error) {
        return uncheckable(error);
      }
    };
  const wrapped = wrapSchema(schema, validateWith(warnThrowingSchema));
  const standard = wrapped['~standard'];
  return Object.freeze({
    ...wrapped,
    reportingTo: (report: ReportThrown): Schema => ({
      ...wrapped,
      '~standard': { ...standard, validate: validateWith(report) },
    }),
    sentFor: (args: object) => sent.get(args) ?? args,
  });
}

/**
 * Wraps the output schema of a tool. The wrapper accepts every value, because the library itself
 * validates the result before it answers.
 */
export function advertisedSchema(schema: Schema): Schema {
  return wrapSchema(schema, (value) => ({ value }));
}

type Validate = Schema['~standard']['validate'];
type Validated = Awaited<ReturnType<Validate>>;

function wrapSchema(schema: Schema, validate: Validate): Schema {
  const standard = schema['~standard'];
  const input = once(() => toAdvertisedJson(schema, 'input'));
  const output = once(() => toAdvertisedJson(schema, 'output'));
  // The SDK's completions read `shape`.
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
  // Freezes a copy, because the original may belong to the schema library.
  return () => (computed ??= deepFreeze(structuredClone(compute())));
}
