/** Validates and copies the secrets that an author configures. */
import { concat, equalBytes, utf8 } from '../platform.js';

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
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new TypeError(`requestStateSeal() requires at least one key in \`keys\`. ${ADVICE}`);
  }
  const ring: Uint8Array[] = [];
  keys.forEach((key: unknown, index) => {
    const bytes = readKey(key, index);
    if (ring.some((earlier) => equalBytes(earlier, bytes))) {
      throw new TypeError(`keys[${index}] duplicates an earlier ring key`);
    }
    ring.push(bytes);
  });
  return ring;
}

function readKey(key: unknown, index: number): Uint8Array {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
    const type = key === null ? 'null' : typeof key;
    const hint = key === undefined ? ` Is its environment variable set? ${ADVICE}` : '';
    throw new TypeError(
      `requestStateSeal(): \`keys[${index}]\` must be a string or a Uint8Array, got a value of type ${type}.${hint}`,
    );
  }
  const bytes = typeof key === 'string' ? utf8(key) : concat(key);
  if (bytes.length < LEAST_BYTES) {
    throw new TypeError(
      `requestStateSeal(): \`keys[${index}]\` must have at least ${LEAST_BYTES} bytes, got ${bytes.length}. ${ADVICE}`,
    );
  }
  const text = typeof key === 'string' ? key : new TextDecoder().decode(key);
  if ((typeof key === 'string' || PRINTABLE.test(text)) && UNEXPANDED.test(text)) {
    throw new TypeError(
      `requestStateSeal(): \`keys[${index}]\` contains a variable that was not replaced, such as \${NAME} or {{NAME}}. Check how the key is passed to the process. ${ADVICE}`,
    );
  }
  const different = new Set(bytes).size;
  if (different < LEAST_DIFFERENT_BYTES) {
    throw new TypeError(
      `requestStateSeal(): \`keys[${index}]\` is not random, because it has only ${different} different ${different === 1 ? 'byte' : 'bytes'}. ${ADVICE}`,
    );
  }
  return bytes;
}
