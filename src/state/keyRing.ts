/** Validates and copies the secrets that an author configures. */
import { concat, environment, equalBytes, utf8 } from '../platform.js';
import { findKeyMistake } from './keyMistakes.js';

/** A secret of at least 32 bytes, as a string or a `Uint8Array`. */
export type RequestStateKey = string | Uint8Array;

const LEAST_BYTES = 32;

/**
 * The least number of different bytes in a secret. 32 random hexadecimal digits have fewer in less
 * than one of ten million cases.
 */
const LEAST_DIFFERENT_BYTES = 8;

const ADVICE = 'Create one with: npx mcp-resolve key';

/**
 * Reads an array of secrets. The bytes are copied, so the caller cannot change them later.
 *
 * @throws {TypeError} If the array is empty, or a secret is too short, duplicated, obviously not
 *   random, a placeholder or of another type.
 */
export function readKeys(keys: readonly RequestStateKey[]): readonly Uint8Array[] {
  if (!Array.isArray(keys)) {
    throw new TypeError(
      'requestStateSeal(): `keys` must be an array of secrets, or a function that returns one. Write keys: [key].',
    );
  }
  if (keys.length === 0) {
    throw new TypeError(`requestStateSeal() requires at least one key in \`keys\`. ${ADVICE}`);
  }
  const ring = keys.map((key: unknown, index) =>
    readKey(key, `requestStateSeal(): \`keys[${index}]\``),
  );
  checkTogether(keys, 'requestStateSeal(): `keys`');
  const duplicate = duplicateIn(ring);
  if (duplicate === undefined) return ring;
  throw new TypeError(`keys[${duplicate}] duplicates an earlier ring key`);
}

/** The environment variable with the keys of servers that have no seal of their own. */
export const KEYS_VARIABLE = 'MCP_RESOLVE_KEYS';

/**
 * Reads the secrets of the environment, which are separated by commas. The first one seals.
 *
 * @returns `undefined` if the variable is not set.
 * @throws {TypeError} If the variable is empty, or a secret is too short, duplicated, obviously not
 *   random or a placeholder.
 */
export function keysOfEnvironment(): readonly Uint8Array[] | undefined {
  const value = environment()[KEYS_VARIABLE];
  if (value === undefined) return undefined;
  const keys = value.split(',').map((key) => key.trim());
  const ring = keys.map((key, index) => readKey(key, `${KEYS_VARIABLE}: key ${index + 1}`));
  checkTogether(keys, KEYS_VARIABLE);
  const duplicate = duplicateIn(ring);
  if (duplicate === undefined) return ring;
  throw new TypeError(`${KEYS_VARIABLE}: key ${duplicate + 1} duplicates an earlier key.`);
}

/** Returns the place of the first secret that occurs before. */
function duplicateIn(ring: readonly Uint8Array[]): number | undefined {
  const place = ring.findIndex((key, index) =>
    ring.slice(0, index).some((earlier) => equalBytes(earlier, key)),
  );
  return place === -1 ? undefined : place;
}

/** Refuses the parts of one wrong text that was split at its commas, such as `"key1,key2"`. */
function checkTogether(keys: readonly unknown[], place: string): void {
  if (keys.every((key) => typeof key === 'string'))
    checkText(keys.join(','), `${place} as a whole`);
}

function checkText(key: RequestStateKey, place: string): void {
  const mistake = findKeyMistake(key);
  if (mistake !== undefined) throw new TypeError(`${place} ${mistake} ${ADVICE}`);
}

/** Reads one secret. The messages start with `place`. */
function readKey(key: unknown, place: string): Uint8Array {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
    const type = key === null ? 'null' : typeof key;
    const hint = key === undefined ? ` Is its environment variable set? ${ADVICE}` : '';
    throw new TypeError(
      `${place} must be a string or a Uint8Array, got a value of type ${type}.${hint}`,
    );
  }
  checkText(key, place);
  const bytes = typeof key === 'string' ? utf8(key) : concat(key);
  if (bytes.length < LEAST_BYTES) {
    throw new TypeError(
      `${place} must have at least ${LEAST_BYTES} bytes, got ${bytes.length}. ${ADVICE}`,
    );
  }
  const different = new Set(bytes).size;
  if (different < LEAST_DIFFERENT_BYTES) {
    throw new TypeError(
      `${place} is not random, because it has only ${different} different ${different === 1 ? 'byte' : 'bytes'}. ${ADVICE}`,
    );
  }
  return bytes;
}
