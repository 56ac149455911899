/**
 * The brand that marks the library's objects. It is a registered symbol, because the ESM and the
 * CJS copy of this package may meet in one process and `instanceof` would then fail.
 */

/** The property that holds an object's kind. */
export const KIND = Symbol.for('mcp-resolve.kind');

/** The kinds of branded objects. */
export type Kind =
  'arg' | 'resolver' | 'outcome' | 'question' | 'tool' | 'prompt' | 'resource' | 'seal' | 'desk';

/** Returns true if `value` is a branded object of that kind. */
export function isKind(value: unknown, kind: Kind): boolean {
  return kindOf(value) === kind;
}

/** Returns the kind of a branded object, or `undefined` for any other value. */
export function kindOf(value: unknown): Kind | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { readonly [KIND]?: Kind })[KIND];
}

const NAMES = { arg: 'An argument', resolver: 'A resolver', outcome: 'An outcome()' } as const;

/**
 * Makes a need throw if it is used as a string or a number. Otherwise an author who forgets to list
 * a need would ask the user to pay `[object Object]`.
 */
export const NOT_A_VALUE = Object.freeze({
  [Symbol.toPrimitive](this: { readonly [KIND]: keyof typeof NAMES }): never {
    throw new TypeError(
      `${NAMES[this[KIND]]} was used as a string or a number. Add it to the needs, or to \`resolve\` of the tool, and use the value that the function receives.`,
    );
  },
});
