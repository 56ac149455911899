/**
 * Checks of inferred types, held by the compiler alone: `typeOf(value).is<string>()` compiles only
 * where `value` is exactly a `string`. `any` is a mismatch to everything but `any`, and an
 * intersection is a mismatch to the same members in one object, so what is checked is also what a
 * hover shows.
 */

/** Whether two types are identical, which the compiler only decides between generic functions. */
type Same<A, B> =
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- they are the means
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What can be claimed of a type. */
export interface Claims<Actual> {
  /** That it is this type, to the letter. */
  readonly is: <Expected>(
    ...mismatch: Same<Actual, Expected> extends true ? [] : [expected: Expected, actual: Actual]
  ) => void;
  /** The type of a parameter, if it is a function. */
  readonly parameter: <const I extends number>(
    index: I,
  ) => Claims<Actual extends (...parameters: infer P) => unknown ? P[I & keyof P] : never>;
}

const CLAIMS: Claims<never> = { is: () => undefined, parameter: () => CLAIMS };

/** The type of a value, to make claims of. */
export function typeOf<Actual>(_value: Actual): Claims<Actual> {
  return CLAIMS as unknown as Claims<Actual>;
}
