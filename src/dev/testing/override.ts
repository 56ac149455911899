/** Replaces a resolver with a test value, without changing the definition. */
import { isKind, kindOf } from '../../author/brand.js';
import type { CallContext } from '../../author/context.js';
import type { AnyResolver, Reqs, Resolver } from '../../author/model.js';
import { isQuestion } from '../../author/question.js';
import { isThenable } from '../../values.js';

/** A resolver and the function that replaces its own. */
export interface Override {
  readonly resolver: AnyResolver;
  readonly give: (ctx: CallContext) => unknown;
}

/**
 * The replacement of a resolver: a value, or a function that computes it in every round. If the
 * value itself is a function, pass a function that returns it.
 */
export type Replacement<T> =
  Exclude<T, (...args: never) => unknown> | ((ctx: CallContext) => T | Promise<T>);

/**
 * Replaces a resolver with a value, in calls with this override in `overrides`. The override
 * matches the resolver by identity, so a renamed parameter changes nothing. The resolver's function
 * does not run, it asks nothing, and its needs do not run for it. The resolver keeps its pin. It
 * loses its `dispose`, because the test cleans up its own values.
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
 * @throws {TypeError} If the first argument is not a resolver, or the replacement is a question.
 */
export function override<T, R extends Reqs>(
  resolver: Resolver<T, R>,
  to: Replacement<NoInfer<T>>,
): Override;
export function override(resolver: AnyResolver, to: unknown): Override {
  if (!isKind(resolver, 'resolver')) throw new TypeError(noResolver(resolver));
  const give = typeof to === 'function' ? (to as Override['give']) : () => to;
  if (typeof to !== 'function') assertReplacement(to);
  return {
    resolver,
    give: (ctx) => {
      const given = give(ctx);
      return isThenable(given) ? given.then(assertReplacement) : assertReplacement(given);
    },
  };
}

function assertReplacement(value: unknown): unknown {
  if (!isQuestion(value)) return value;
  throw new TypeError(
    'override(): the replacement must be a value, not a question. To test the question, remove the override and script an answer.',
  );
}

function noResolver(given: unknown): string {
  const kind = kindOf(given);
  const was =
    kind === 'outcome'
      ? 'Pass the resolver without outcome().'
      : typeof given === 'function'
        ? 'A function is not a resolver.'
        : given === undefined
          ? 'It is undefined. Check that the resolver is exported and that its name is spelled correctly.'
          : `It is ${kind === undefined ? `a value of type '${typeof given}'` : `of kind '${kind}'`}.`;
  return `override(): the first argument must be a resolver, as in override(amountDue, 40). ${was}`;
}
