/**
 * The record of a call: a JSON string that carries it between rounds. A string that is not exactly
 * a record of this version counts as a new call, so its questions are asked again. A rolling deploy
 * relies on that.
 *
 * ```
 * {"v":8,"id":"…","definition":"tools/call refund","args":"…","store":"…",
 *  "start":1767225600.5,"deadline":1767229200.5,
 *  "outcomes":{"scope":{"action":"accept","data":{…},"q":"…"}},"asked":{"restock":"…"},
 *  "pins":{"quote":{"value":{…},"on":"…"}}}
 * ```
 */
import { isObject } from '../values.js';
import { utf8 } from '../platform.js';
import type { Entry, Progress } from '../engine/ledger.js';
import type { Pin } from '../engine/pin.js';
import type { FailedAttempts } from '../question/asked.js';

/** The version of the format. A new shape needs a new number. */
const VERSION = 8;

/** A call between two rounds. */
export interface CallRecord {
  readonly id: string;
  /** The method and the name of the definition. */
  readonly definition: string;
  /** The digest of the arguments that the definition received. */
  readonly args: string;
  /** The id of the store of `once`, if only one process can see it. */
  readonly store?: string | undefined;
  /** The time of its first question, in seconds. */
  readonly start: number;
  /**
   * The time after which the call cannot go on, in seconds. It is sealed with the first question,
   * so that all processes agree on it, even if their policies differ.
   */
  readonly deadline: number;
  readonly progress: Progress;
}

/** Encodes a call as a record. */
export function encodeRecord({ progress, ...call }: CallRecord): string {
  const { outcomes, asked, failed, reworded, pins } = progress;
  return JSON.stringify({
    v: VERSION,
    id: call.id,
    definition: call.definition,
    args: call.args,
    // `JSON.stringify` omits undefined properties.
    store: call.store,
    start: call.start,
    deadline: call.deadline,
    outcomes: Object.fromEntries(outcomes),
    asked: Object.fromEntries(asked),
    failed: failed.size > 0 ? Object.fromEntries(failed) : undefined,
    reworded: reworded.size > 0 ? [...reworded] : undefined,
    pins: pins.size > 0 ? Object.fromEntries(pins) : undefined,
  });
}

/** Decodes a record. It returns `undefined` for any other string. */
export function decodeRecord(text: string | undefined): CallRecord | undefined {
  const record = parse(text);
  if (!isObject(record) || record.v !== VERSION) return undefined;
  const { id, definition, args, store, start, deadline } = record;
  if (!isText(id) || !isText(definition) || !isText(args)) return undefined;
  if (store !== undefined && !isText(store)) return undefined;
  if (!isNumber(start) || !isNumber(deadline)) return undefined;
  const { outcomes, asked, failed = {}, reworded = [], pins = {} } = record;
  if (!isMapOf(outcomes, isEntry) || !isMapOf(asked, isText)) return undefined;
  if (!isMapOf(failed, isFailedAttempts)) return undefined;
  if (!Array.isArray(reworded) || !reworded.every(isText)) return undefined;
  if (!isMapOf(pins, isPin)) return undefined;
  const progress = {
    outcomes: new Map(Object.entries(outcomes)),
    asked: new Map(Object.entries(asked)),
    failed: new Map(Object.entries(failed)),
    reworded: new Set(reworded),
    pins: new Map(Object.entries(pins)),
  };
  return { id, definition, args, store, start, deadline, progress };
}

/** The largest part of a record, for the error about its size. */
export interface Contributor {
  readonly what: 'answer' | 'pinned value';
  readonly key: string;
  readonly bytes: number;
}

/** Returns the largest recorded answer or pinned value. */
export function largestContributor({ outcomes, pins }: Progress): Contributor | undefined {
  const measure =
    (what: Contributor['what']) =>
    ([key, entry]: readonly [string, unknown]): Contributor => ({
      what,
      key,
      bytes: utf8(JSON.stringify(entry)).length,
    });
  const sizes = [
    ...[...outcomes].map(measure('answer')),
    ...[...pins].map(measure('pinned value')),
  ];
  return sizes.sort((a, b) => b.bytes - a.bytes)[0];
}

function parse(text: string | undefined): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];

/** Returns true if `value` is an entry. One without a digest is well-formed but never matches. */
function isEntry(value: unknown): value is Entry {
  if (!isObject(value) || !ACTIONS.includes(value.action)) return false;
  return value.q === undefined || isText(value.q);
}

function isFailedAttempts(value: unknown): value is FailedAttempts {
  if (!isObject(value) || !isNumber(value.count) || !isText(value.complaint)) return false;
  return value.typed === undefined || isObject(value.typed);
}

function isPin(value: unknown): value is Pin {
  return isObject(value) && Object.hasOwn(value, 'value') && isText(value.on);
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isMapOf<T>(
  value: unknown,
  isMember: (member: unknown) => member is T,
): value is Readonly<Record<string, T>> {
  return isObject(value) && Object.values(value).every(isMember);
}
