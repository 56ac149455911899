/**
 * Pinned values: computed once per call, carried between rounds as JSON and restored through their
 * schema. The first round hands out what the later ones will, so that nothing depends on whether
 * there was a question.
 */
import { describeIssues, isPlainObject } from '../define/schema.js';
import type { Schema } from '../define/schema.js';
import { ToolError } from '../errors.js';
import { isThenable } from '../platform.js';
import type { PlanNode } from '../plan/plan.js';

/** A pinned value between rounds. */
export interface Pin {
  /** As JSON. */
  readonly value: unknown;
  /** The digest of the answers that it was computed on. */
  readonly on: string;
}

/**
 * Returns the JSON of a value that is to be pinned.
 *
 * @throws {@link ToolError} If JSON would lose something of it.
 */
export function pinnedJson({ key }: PlanNode, computed: unknown): unknown {
  const misfit = findMisfit(computed, '', new Set());
  if (misfit !== undefined) {
    throw new ToolError(`Resolver '${key}' is pinned, but its value is not JSON: ${misfit}`);
  }
  return JSON.parse(JSON.stringify(computed));
}

type Parsed = { readonly value: unknown } | { readonly problem: string };

/** Reads a pinned value back from its JSON, as consumers get it. */
export function parsePinned(schema: Schema, json: unknown): Parsed | Promise<Parsed> {
  // A copy: consumers must not be able to change what is carried on.
  const result = schema['~standard'].validate(structuredClone(json));
  return isThenable(result) ? result.then(parsed) : parsed(result);
}

function parsed(result: Awaited<ReturnType<Schema['~standard']['validate']>>): Parsed {
  return result.issues === undefined
    ? { value: result.value }
    : { problem: describeIssues(result.issues) };
}

/** The error for a value that the schema of its pin does not accept. */
export function pinRejected({ key }: PlanNode, problem: string, computed: unknown): ToolError {
  return new ToolError(
    `Resolver '${key}' computed what its pin does not accept: ${problem}${hintFor(computed)}`,
  );
}

/** The one slip that is easily made: what a schema of dates accepts is not JSON. */
function hintFor(computed: unknown): string {
  const values = isPlainObject(computed) ? Object.values(computed) : [computed];
  if (!values.some((value) => value instanceof Date)) return '';
  return ' (a pin travels as JSON, where a Date is text: z.coerce.date() reads it back)';
}

/**
 * What JSON would lose, and where. Of an object that knows its own JSON, such as a Date, that is
 * looked at: the schema says what comes back.
 */
function findMisfit(given: unknown, path: string, above: Set<unknown>): string | undefined {
  const at = path === '' ? 'it' : path;
  if (given instanceof Date && Number.isNaN(given.getTime())) return `${at} is an invalid date`;
  const value = ownJson(given);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : `${at} is ${String(value)}`;
  if (typeof value !== 'object') return `${at} is ${describe(value)}`;
  if (above.has(value)) return `${at} contains itself`;
  if (!Array.isArray(value) && !isPlainObject(value)) return `${at} is ${describe(value)}`;
  above.add(value);
  const misfit = membersOf(value)
    .map(([name, member]) => findMisfit(member, `${path}.${name}`, above))
    .find((found) => found !== undefined);
  above.delete(value);
  return misfit;
}

/** An object without a member loses nothing; a list with a hole would get a null. */
function membersOf(value: object): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return Array.from(value, (member, at) => [String(at), member]);
  return Object.entries(value).filter(([, member]) => ownJson(member) !== undefined);
}

function ownJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? Reflect.apply(toJSON, value, []) : value;
}

function describe(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { constructor } = value as { readonly constructor?: { readonly name?: unknown } };
  return typeof constructor?.name === 'string' ? `an instance of ${constructor.name}` : 'an object';
}
