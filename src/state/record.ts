/**
 * The record: a call as text, as it travels between rounds. Whatever is not exactly a record of
 * this version reads as a call that has just begun, and its questions are asked again; that is what
 * a rolling deploy needs.
 *
 * ```
 * {"v":4,"id":"…","start":1767225600.5,
 *  "outcomes":{"scope":{"action":"accept","data":{…},"q":"…"}},"asked":{"restock":"…"}}
 * ```
 */
import { isObject } from '../define/schema.js';
import { utf8 } from '../platform.js';
import type { Entry, Progress } from '../resolve/ledger.js';

/** Another shape takes a new number. */
const VERSION = 4;

/** A call between two rounds. */
export interface CallRecord {
  /** Names the call. */
  readonly id: string;
  /** When its first round was, in seconds. */
  readonly start: number;
  readonly progress: Progress;
}

/** Writes a call down. */
export function encodeRecord({ id, start, progress }: CallRecord): string {
  const { outcomes, asked, reworded } = progress;
  return JSON.stringify({
    v: VERSION,
    id,
    start,
    outcomes: Object.fromEntries(outcomes),
    asked: Object.fromEntries(asked),
    ...(reworded.size > 0 && { reworded: [...reworded] }),
  });
}

/** Reads a call back; `undefined` for what is no record. */
export function decodeRecord(text: string | undefined): CallRecord | undefined {
  const record = parse(text);
  if (!isObject(record) || record.v !== VERSION) return undefined;
  const { id, start, outcomes, asked, reworded = [] } = record;
  if (!isText(id) || typeof start !== 'number') return undefined;
  if (!isMapOf(outcomes, isEntry) || !isMapOf(asked, isText)) return undefined;
  if (!Array.isArray(reworded) || !reworded.every(isText)) return undefined;
  const progress = {
    outcomes: new Map(Object.entries(outcomes)),
    asked: new Map(Object.entries(asked)),
    reworded: new Set(reworded),
  };
  return { id, start, progress };
}

/** The recorded answer that takes the most room, for the error about too many. */
export function largestAnswer({
  outcomes,
}: Progress): { readonly key: string; readonly bytes: number } | undefined {
  const sizes = [...outcomes].map(([key, entry]) => ({
    key,
    bytes: utf8(JSON.stringify(entry)).length,
  }));
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

/**
 * An entry without a digest proves nothing; it is well-formed all the same, and simply never
 * matches.
 */
function isEntry(value: unknown): value is Entry {
  if (!isObject(value) || !ACTIONS.includes(value.action)) return false;
  return value.q === undefined || isText(value.q);
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
