/**
 * How our objects are told from others'. The mark is a registered symbol, because the ESM and the
 * CJS copy of this package may meet in one process and `instanceof` would then fail.
 */

/** The property that says what an object of ours is. */
export const KIND = Symbol.for('mcp-resolve.kind');

/** What an object of ours can be. */
export type Kind =
  'arg' | 'resolver' | 'outcome' | 'question' | 'tool' | 'prompt' | 'resource' | 'seal';

/** Whether `value` is one of our objects of that kind. */
export function isKind(value: unknown, kind: Kind): boolean {
  return kindOf(value) === kind;
}

/** What `value` is, if it is ours. */
export function kindOf(value: unknown): Kind | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { readonly [KIND]?: Kind })[KIND];
}
