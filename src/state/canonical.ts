/**
 * Canonical JSON: equal data produces the same string, regardless of the order of keys. It is ASCII
 * only, with keys sorted by code point. Numbers are written as `JSON.stringify` does, except that
 * `-0`, `Infinity` and `-Infinity` stay as they are. The request binding is a digest of this
 * string.
 *
 * Arguments that a host has validated can hold more than JSON. Dates, `undefined` and bigints have
 * a form of their own, and other objects are refused: two of them must not look the same.
 */
import { isObject, isPlainObject } from '../values.js';
import { asText, base64url, digest, escapeToAscii, sha256 } from '../platform.js';

/** The maximum nesting depth. Deeper data is rejected, because the functions here are recursive. */
export const MAX_DEPTH = 256;

/** Returns true if data is nested deeper than {@link MAX_DEPTH}. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  const members = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  for (const member of members) {
    if (typeof member === 'object' && isTooDeep(member, depth + 1)) return true;
  }
  return false;
}

/**
 * Returns the digest of a request's arguments, as the client sent them. Missing, null and empty
 * arguments are equal. A top-level property `__proto__` is ignored, because some parts of the SDK
 * have already removed it.
 */
export function argumentsDigest(args: unknown): string | Promise<string> {
  return digest(canonicalAscii(isObject(args) ? withoutProto(args) : (args ?? {})));
}

/**
 * Returns the whole SHA-256 of data, in base64url.
 *
 * @throws {TypeError} If the data has a value that canonical JSON has no form for.
 */
export async function dataDigest(data: unknown): Promise<string> {
  return base64url(await sha256(canonicalAscii(data)));
}

function withoutProto(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(args, '__proto__')) return args;
  const { ['__proto__']: _, ...rest } = args;
  return rest;
}

/**
 * Returns a copy of data, so that a later change of the data does not change the digest. What has
 * no canonical form is not copied, and is refused later.
 */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return hasOnlyElements(value) ? Array.from(value, copyOf) : value;
  if (value instanceof Date) return new Date(value);
  if (!isPlainObject(value)) return value;
  // A spread keeps an own property `__proto__`.
  const copy: Record<string, unknown> = { ...value };
  for (const [key, member] of Object.entries(copy)) {
    if (typeof member === 'object') copy[key] = copyOf(member);
  }
  return copy;
}

/** Converts JSON data to canonical JSON. */
export function canonicalJson(value: unknown): string {
  return asText(canonicalAscii(value));
}

/** Returns canonical JSON as a string, or as bytes if that is cheaper. */
function canonicalAscii(value: unknown): string | Uint8Array {
  return escapeToAscii(canonicalText(value));
}

/** Returns canonical JSON before it is escaped. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return arrayText(value);
  if (!isPlainObject(value)) return leaf(value);
  const keys = Object.keys(value);
  if (Reflect.ownKeys(value).length > keys.length) throw noFormError();
  let members = '';
  for (const key of sortKeys(keys)) {
    const separator = members === '' ? '' : ',';
    members += `${separator}${JSON.stringify(key)}:${canonicalText(value[key])}`;
  }
  return `{${members}}`;
}

/**
 * Returns the text of an array.
 *
 * @throws {TypeError} If it has other properties than its elements, as the match of a regular
 *   expression has. The text would not show them.
 */
function arrayText(array: readonly unknown[]): string {
  if (!hasOnlyElements(array)) throw noFormError();
  // `Array.from()` reads the holes of a sparse array, which `map()` would skip.
  return `[${Array.from(array, canonicalText).join(',')}]`;
}

function hasOnlyElements(array: readonly unknown[]): boolean {
  // The elements come first, and then `length`, before any other property.
  return Reflect.ownKeys(array).at(-1) === 'length';
}

/**
 * Returns the text of a value that is neither a plain object nor an array.
 *
 * @throws {TypeError} If the value has no form here.
 */
function leaf(value: unknown): string {
  switch (typeof value) {
    case 'number':
      // `JSON.parse` reads 1e400 as Infinity, and keeps the sign of -0.
      return Object.is(value, -0) ? '-0' : String(value);
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'undefined':
      return 'undefined';
    case 'bigint':
      return `${value}n`;
    default:
      if (value === null) return 'null';
      if (value instanceof Date) return `Date(${value.getTime()})`;
      throw noFormError();
  }
}

function noFormError(): TypeError {
  return new TypeError(
    'The arguments contain a value that is neither JSON nor a Date nor a bigint, so the call cannot ask.',
  );
}

const SURROGATE = /[\ud800-\udfff]/;

/** Sorts keys by code point. Without surrogates, the built-in order is the same. */
function sortKeys(keys: string[]): string[] {
  return keys.some((key) => SURROGATE.test(key)) ? keys.sort(byCodePoint) : keys.sort();
}

/**
 * Compares by code point. The built-in order compares UTF-16 units, which differs for surrogates.
 */
function byCodePoint(a: string, b: string): number {
  let at = 0;
  // Two keys differ at some unit, or one of them ends.
  while (a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  // The character that differs may start one unit before, with an equal high surrogate.
  return codePoint(a, at - 1) - codePoint(b, at - 1) || codePoint(a, at) - codePoint(b, at);
}

function codePoint(text: string, index: number): number {
  return text.codePointAt(index) ?? -1;
}
