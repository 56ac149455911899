/**
 * Checks inferred types at compile time: `typeOf(value).is<string>()` compiles only if `value` is
 * exactly a `string`. `any` matches only `any`, and an intersection does not match one object with
 * the same properties. So the checked type is also the type that a hover shows.
 */

/** True if two types are identical. The compiler decides that only between generic functions. */
type Same<A, B> =
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the comparison needs them
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The checks of a type. */
export interface Claims<Actual> {
  /** Compiles only if the type is exactly this one. */
  readonly is: <Expected>(
    ...mismatch: Same<Actual, Expected> extends true ? [] : [expected: Expected, actual: Actual]
  ) => void;
  /** The checks of a parameter's type, if the type is a function. */
  readonly parameter: <const I extends number>(
    index: I,
  ) => Claims<Actual extends (...parameters: infer P) => unknown ? P[I & keyof P] : never>;
}

const CLAIMS: Claims<never> = { is: () => undefined, parameter: () => CLAIMS };

/** Returns the checks of a value's type. */
export function typeOf<Actual>(_value: Actual): Claims<Actual> {
  return CLAIMS as unknown as Claims<Actual>;
}
