/**
 * The record: a call's progress as text, as it travels between rounds. It comes back from the
 * client: whatever is not exactly a record of this version reads as no progress, and the call
 * starts over with its questions. That is also what a rolling deploy needs.
 *
 * ```
 * {"v":3,"outcomes":{"scope":{"action":"accept","data":{…},"q":"…"}},"asked":{"restock":"…"}}
 * ```
 */
import { isObject } from '../define/schema.js';
import { NO_PROGRESS } from '../resolve/ledger.js';
import type { Entry, Progress } from '../resolve/ledger.js';

/**
 * The shape is that of the reference implementation's third version; another shape takes a new
 * number.
 */
const VERSION = 3;

/** Writes progress down. */
export function encodeRecord({ outcomes, asked, reworded }: Progress): string {
  return JSON.stringify({
    v: VERSION,
    outcomes: Object.fromEntries(outcomes),
    asked: Object.fromEntries(asked),
    ...(reworded.size > 0 && { reworded: [...reworded] }),
  });
}

/** Reads progress back. */
export function decodeRecord(text: string | undefined): Progress {
  const record = parse(text);
  if (!isObject(record) || record.v !== VERSION) return NO_PROGRESS;
  const { outcomes, asked, reworded = [] } = record;
  const isRecord =
    isMapOf(outcomes, isEntry) &&
    isMapOf(asked, isText) &&
    Array.isArray(reworded) &&
    reworded.every(isText);
  if (!isRecord) return NO_PROGRESS;
  return {
    outcomes: new Map(Object.entries(outcomes)),
    asked: new Map(Object.entries(asked)),
    reworded: new Set(reworded),
  };
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

/**
 * An entry without a digest proves nothing; it is well-formed all the same, and simply never
 * matches.
 */
function isEntry(value: unknown): value is Entry {
  return (
    isObject(value) && ACTIONS.includes(value.action) && (value.q === undefined || isText(value.q))
  );
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
