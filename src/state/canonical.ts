/**
 * Canonical JSON: the same text for the same data, whatever the order of keys. ASCII only, keys
 * sorted by code point, numbers as `JSON.stringify` writes them, and by their names where it would
 * write null. The request binding is a digest of it.
 */
import { isObject } from '../define/schema.js';
import { digest, inAscii } from '../platform.js';

/** Data that is nested deeper is refused: nobody needs it, and the walk over it is recursive. */
export const MAX_DEPTH = 256;

/** Whether data is nested deeper than we follow. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  const members = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  return members.some((member) => isTooDeep(member, depth + 1));
}

/**
 * The digest of a request's arguments as they came over the wire. Absent, null and empty arguments
 * are equal. A member `__proto__` at the top is ignored: whether it is still there depends on where
 * in the SDK the request is seen.
 */
export function argumentsDigest(args: unknown): string | Promise<string> {
  return digest(canonicalJson(isObject(args) ? withoutProto(args) : (args ?? {})));
}

function withoutProto(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(args, '__proto__')) return args;
  const { ['__proto__']: _, ...rest } = args;
  return rest;
}

/** Writes JSON data canonically. */
export function canonicalJson(value: unknown): string {
  return inAscii(written(value));
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (!isObject(value)) return leaf(value ?? null);
  const members = sorted(Object.keys(value)).map(
    (key) => `${JSON.stringify(key)}:${written(value[key])}`,
  );
  return `{${members.join(',')}}`;
}

/** @throws {TypeError} For what is no data: two such values would read the same. */
function leaf(value: unknown): string {
  // A parser makes Infinity of 1e400.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError(`JSON has no word for a ${typeof value}.`);
  return json;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Most names are plain, and then the built-in order is the same and much faster. */
function sorted(keys: string[]): string[] {
  return keys.some((key) => SURROGATE.test(key)) ? keys.sort(byCodePoint) : keys.sort();
}

/** By code point; the built-in order is by UTF-16 unit, which differs beyond the basic plane. */
function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === shorter) return a.length - b.length;
  // The units differ, but a character may have begun with the one before.
  const start = at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at;
  return codePoint(a, start) - codePoint(b, start) || codePoint(a, at) - codePoint(b, at);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function codePoint(text: string, index: number): number {
  return text.codePointAt(index) ?? 0;
}
