/**
 * Pinned values: computed once per call, carried between rounds as JSON and restored through their
 * schema. The first round also passes its value through JSON and schema, so consumers receive the
 * same value in every round.
 */
import { shownField } from '../author/schema.js';
import { isPlainObject, isThenable } from '../values.js';
import type { Schema, SchemaIssues } from '../author/schema.js';
import type { PlanNode } from '../plan/plan.js';

/** A pinned value between rounds. */
export interface Pin {
  /** The value as JSON. */
  readonly value: unknown;
  /** The digest of the answers that the value depends on. */
  readonly on: string;
}

/**
 * Returns the JSON of a value to pin.
 *
 * @throws {Error} If JSON would lose part of the value.
 */
export function toPinnedJson({ key }: PlanNode, computed: unknown): unknown {
  const misfit = findMisfit(computed, '', new Set());
  if (misfit === undefined) return JSON.parse(JSON.stringify(computed));
  throw new Error(
    `Resolver '${key}' is pinned, but its value is not JSON: ${misfit}. Pin a value that JSON can express, or remove \`pin\`.`,
  );
}

type Parsed = { readonly value: unknown } | { readonly issues: SchemaIssues };

/** Restores a pinned value from its JSON. */
export function parsePinned(schema: Schema, json: unknown): Parsed | Promise<Parsed> {
  // Validates a copy, so that consumers cannot change the JSON that is kept.
  const result = schema['~standard'].validate(structuredClone(json));
  return isThenable(result) ? result.then(toParsed) : toParsed(result);
}

function toParsed(result: Awaited<ReturnType<Schema['~standard']['validate']>>): Parsed {
  return result.issues === undefined ? { value: result.value } : { issues: result.issues };
}

/**
 * Creates the error for a value that its pin's schema rejects. The words of the schema may quote
 * the value, so they are only in the `cause`.
 */
export function pinRejected(
  { key, resolver }: PlanNode,
  issues: SchemaIssues,
  computed: unknown,
): Error {
  const { pin } = resolver.options;
  const field = pin === undefined ? '' : shownField(pin, issues);
  return new Error(
    `Resolver '${key}' returned a value that its \`pin\` schema rejects${field}. Return a value that matches the schema, or remove \`pin\`.${hintFor(computed)}`,
    { cause: issues },
  );
}

/** Returns a hint if the value contains a Date, because JSON turns a Date into a string. */
function hintFor(computed: unknown): string {
  const values = isPlainObject(computed) ? Object.values(computed) : [computed];
  if (!values.some((value) => value instanceof Date)) return '';
  return ' JSON turns a Date into a string, so restore it with z.coerce.date() in the schema.';
}

/**
 * Describes the first part of a value that JSON would lose. An object with a `toJSON` method, such
 * as a Date, is checked by the JSON it returns, because the schema decides what is restored.
 */
function findMisfit(given: unknown, path: string, above: Set<unknown>): string | undefined {
  const at = path === '' ? 'it' : path;
  if (given instanceof Date && Number.isNaN(given.getTime())) return `${at} is an invalid date`;
  const value = ownJson(given);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : `${at} is ${String(value)}`;
  if (typeof value !== 'object') return `${at} is ${describeType(value)}`;
  if (above.has(value)) return `${at} contains itself`;
  if (!Array.isArray(value) && !isPlainObject(value)) return `${at} is ${describeType(value)}`;
  above.add(value);
  const misfit = membersOf(value)
    .map(([name, member]) => findMisfit(member, `${path}.${name}`, above))
    .find((found) => found !== undefined);
  above.delete(value);
  return misfit;
}

/**
 * Returns the entries to check. An omitted `undefined` property loses nothing, but JSON would write
 * a hole in an array as null.
 */
function membersOf(value: object): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return Array.from(value, (member, at) => [String(at), member]);
  return Object.entries(value).filter(([, member]) => ownJson(member) !== undefined);
}

function ownJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? Reflect.apply(toJSON, value, []) : value;
}

function describeType(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { constructor } = value as { readonly constructor?: { readonly name?: unknown } };
  return typeof constructor?.name === 'string' ? `an instance of ${constructor.name}` : 'an object';
}
