/**
 * Pinned values: computed once per call, carried between rounds as JSON and restored through their
 * schema. The first round hands out what the later ones will, so that nothing depends on whether
 * there was a question.
 */
import { describeIssues, isPlainObject } from '../define/schema.js';
import type { Schema } from '../define/schema.js';
import { ToolError } from '../errors.js';
import type { PlanNode } from '../graph/node.js';
import { andThen } from '../platform.js';
import type { MaybePromise } from '../platform.js';

/** A pinned value between rounds. */
export interface Pin {
  /** As JSON. */
  readonly value: unknown;
  /** The digest of the answers that it was computed on. */
  readonly on: string;
}

/** A value that has been pinned: its JSON, and what consumers get. */
export interface Pinned {
  readonly json: unknown;
  readonly value: unknown;
}

/**
 * Pins what a resolver computed.
 *
 * @throws {@link ToolError} If it is not JSON, or not what the schema accepts.
 */
export function pinned({ key, resolver }: PlanNode, computed: unknown): MaybePromise<Pinned> {
  const schema = resolver.options.pin;
  if (schema === undefined) return { json: computed, value: computed };
  const json = toJson(key, computed);
  return andThen(validated(schema, json), (result) => {
    if ('problem' in result) {
      throw new ToolError(
        `Resolver '${key}' computed what its pin does not accept: ${result.problem}${hintFor(computed)}`,
      );
    }
    return { json, value: result.value };
  });
}

/** A pinned value as consumers get it; `undefined` if the schema no longer accepts it. */
export function unpinned(
  { resolver }: PlanNode,
  { value: json }: Pin,
): MaybePromise<{ readonly value: unknown } | undefined> {
  const schema = resolver.options.pin;
  if (schema === undefined) return undefined;
  return andThen(validated(schema, json), (result) => ('problem' in result ? undefined : result));
}

/** The one slip that is easily made: what a schema of dates accepts is not JSON. */
function hintFor(computed: unknown): string {
  const values = isPlainObject(computed) ? Object.values(computed) : [computed];
  if (!values.some((value) => value instanceof Date)) return '';
  return ' (a pin travels as JSON, where a Date is text: z.coerce.date() reads it back)';
}

type Validated = { readonly value: unknown } | { readonly problem: string };

function validated(schema: Schema, json: unknown): MaybePromise<Validated> {
  // A copy: what is carried on must not be what consumers can change.
  return andThen(schema['~standard'].validate(structuredClone(json)), (result) =>
    result.issues === undefined
      ? { value: result.value }
      : { problem: describeIssues(result.issues) },
  );
}

function toJson(key: string, value: unknown): unknown {
  const misfit = findMisfit(value, '', new Set());
  if (misfit !== undefined) {
    throw new ToolError(`Resolver '${key}' is pinned, but its value is not JSON: ${misfit}`);
  }
  return JSON.parse(JSON.stringify(value));
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
