/** Validates and copies the secrets that an author configures. */
import { concat, environment, equalBytes, utf8 } from '../platform.js';

/** A secret of at least 32 bytes, as a string or a `Uint8Array`. */
export type RequestStateKey = string | Uint8Array;

const LEAST_BYTES = 32;

/**
 * The least number of different bytes in a secret. 32 random hexadecimal digits have fewer in less
 * than one of ten million cases.
 */
const LEAST_DIFFERENT_BYTES = 8;

/** A variable of a template or a shell that nothing replaced. */
const UNEXPANDED = /\$\{\{?\s*\w[\w.]{2,}.*?\}|\{\{-?\s*[.$\w][\w.]{2,}.*?\}\}/s;

/** Bytes that are text. Random bytes are not, but they can contain the characters of a variable. */
const PRINTABLE = /^[\x20-\x7e\s]*$/;

const ADVICE =
  "Create one with: node -e \"console.log(require('crypto').randomBytes(32).toString('base64url'))\"";

/**
 * Reads an array of secrets. The bytes are copied, so the caller cannot change them later.
 *
 * @throws {TypeError} If the array is empty, or a secret is too short, duplicated, obviously not
 *   random or of another type.
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
  const duplicate = duplicateIn(ring);
  if (duplicate === undefined) return ring;
  throw new TypeError(`keys[${duplicate}] duplicates an earlier ring key`);
}

/** The environment variable with the keys of servers that have no seal of their own. */
export const KEYS_VARIABLE = 'MCP_RESOLVE_KEYS';

/** Returns true if the environment variable is set, also if its value is wrong. */
export function hasKeysOfEnvironment(): boolean {
  return environment()[KEYS_VARIABLE] !== undefined;
}

/**
 * Reads the secrets of the environment, which are separated by commas. The first one seals.
 *
 * @returns `undefined` if the variable is not set.
 * @throws {TypeError} If the variable is empty, or a secret is too short, duplicated or obviously
 *   not random.
 */
export function keysOfEnvironment(): readonly Uint8Array[] | undefined {
  const value = environment()[KEYS_VARIABLE];
  if (value === undefined) return undefined;
  const ring = value
    .split(',')
    .map((key, index) => readKey(key.trim(), `${KEYS_VARIABLE}: key ${index + 1}`));
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

/** Reads one secret. The messages start with `place`. */
function readKey(key: unknown, place: string): Uint8Array {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
    const type = key === null ? 'null' : typeof key;
    const hint = key === undefined ? ` Is its environment variable set? ${ADVICE}` : '';
    throw new TypeError(
      `${place} must be a string or a Uint8Array, got a value of type ${type}.${hint}`,
    );
  }
  const bytes = typeof key === 'string' ? utf8(key) : concat(key);
  if (bytes.length < LEAST_BYTES) {
    throw new TypeError(
      `${place} must have at least ${LEAST_BYTES} bytes, got ${bytes.length}. ${ADVICE}`,
    );
  }
  const text = typeof key === 'string' ? key : new TextDecoder().decode(key);
  if ((typeof key === 'string' || PRINTABLE.test(text)) && UNEXPANDED.test(text)) {
    throw new TypeError(
      `${place} contains a variable that was not replaced, such as \${NAME} or {{NAME}}. Check how the key is passed to the process. ${ADVICE}`,
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
