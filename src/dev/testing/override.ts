/** Puts a value of the test in a resolver's place, without touching the definition. */
import { isKind, kindOf } from '../../define/brand.js';
import type { CallContext } from '../../define/context.js';
import type { AnyResolver, Reqs, Resolver } from '../../define/model.js';
import { isQuestion } from '../../define/question.js';
import { isThenable } from '../../platform.js';

/** A resolver, and what a test puts in its place. */
export interface Override {
  readonly resolver: AnyResolver;
  readonly give: (ctx: CallContext) => unknown;
}

/**
 * What can stand for a resolver's value: the value, or what computes it in every round. A value
 * that is itself a function is given by one that returns it.
 */
export type Replacement<T> =
  Exclude<T, (...args: never) => unknown> | ((ctx: CallContext) => T | Promise<T>);

/**
 * Puts a value in a resolver's place, for the calls that are made with it in `overrides`. By
 * identity, so that a renamed parameter changes nothing. The resolver counts as computed: its
 * function does not run, nobody is asked, and what it needs does not run for it. Its pin stays; its
 * `dispose` does not, because what a test gives is the test's to clean up.
 *
 * @example
 *
 * ```ts
 * const { text } = await run(
 *   payInvoice,
 *   { invoice: 'INV-9' },
 *   { overrides: [override(amountDue, 40)] },
 * );
 * ```
 *
 * @throws {TypeError} If the first argument is not a resolver, or a question is to stand for it.
 */
export function override<T, R extends Reqs>(
  resolver: Resolver<T, R>,
  to: Replacement<NoInfer<T>>,
): Override;
export function override(resolver: AnyResolver, to: unknown): Override {
  if (!isKind(resolver, 'resolver')) throw new TypeError(noResolver(resolver));
  const give = typeof to === 'function' ? (to as Override['give']) : () => to;
  if (typeof to !== 'function') assertValue(to);
  return {
    resolver,
    give: (ctx) => {
      const given = give(ctx);
      return isThenable(given) ? given.then(assertValue) : assertValue(given);
    },
  };
}

function assertValue(value: unknown): unknown {
  if (!isQuestion(value)) return value;
  throw new TypeError(
    'override() gives the value itself, not a question: to have somebody asked, leave the resolver as it is and script the answer.',
  );
}

function noResolver(given: unknown): string {
  const kind = kindOf(given);
  const was =
    kind === 'outcome'
      ? 'take the resolver out of outcome(…)'
      : typeof given === 'function'
        ? 'a function is no resolver'
        : given === undefined
          ? 'it is undefined (is its name misspelt, or not exported?)'
          : `this is ${kind === undefined ? `of type ${typeof given}` : `a ${kind}`}`;
  return `override() takes the resolver itself first, as in override(amountDue, 40): ${was}.`;
}
