/**
 * A resolver: a function that fills a parameter, with its needs. The frozen object is its identity.
 * If two parameters use it, it is one resolver and runs at most once per round. The needs are read
 * when a tool is defined, because that requires the whole graph.
 */
import { InvalidGraphError } from '../errors.js';
import { KIND, kindOf } from './brand.js';
import type { CallContext } from './context.js';
import type { CheckPin, Computed, OneQuestion, ReqsOf, ValueOf, ValueOfReturn } from './infer.js';
import type { Needs, Resolver, ResolverFn, ResolverOptions } from './model.js';
import { isObject, isPlainObject, isSchema } from './schema.js';
import type { Schema } from './schema.js';

/**
 * Creates a resolver. `fn` receives the values of its needs and the context of the call. It returns
 * a value or one question, or a promise of either.
 *
 * @example
 *
 * ```ts
 * const amountDue = resolver({ id: args.invoice }, ({ id }) => invoices.get(id) ?? 0);
 *
 * const approval = resolver({ euros: amountDue }, ({ euros }) =>
 *   euros < 100 ? true : confirm(`Pay ${euros} euros?`),
 * );
 * ```
 *
 * @throws {@link InvalidGraphError} If the needs, the function or the options are malformed.
 */
// The return type is written out instead of using an alias. With an alias, the declarations of a
// project that exports resolvers would repeat every dependency.
export function resolver<const N extends Needs, Returned, P extends Schema = Schema>(
  needs: N,
  fn: ((values: { -readonly [P in keyof N]: ValueOf<N[P]> }, ctx: CallContext) => Returned) &
    OneQuestion<Awaited<Returned>>,
  options?: ResolverOptions<Computed<Awaited<Returned>>, P & CheckPin<P, Awaited<Returned>>>,
): Resolver<ValueOfReturn<Awaited<Returned>>, { [P in keyof N]: ReqsOf<N[P], P> }[keyof N]>;
export function resolver(
  needs: unknown,
  fn: unknown,
  options: ResolverOptions = {},
): Resolver<unknown> {
  if (!isPlainObject(needs) || kindOf(needs) !== undefined) {
    throw invalid(
      'resolver() takes its needs first: resolver({}, fn) where there are none, resolver({ id: args.order_id }, fn) where there are; a name is an option, { name }.',
    );
  }
  if (typeof fn !== 'function') {
    throw invalid(
      'resolver() takes its function second: resolver({ id: args.order_id }, ({ id }) => …).',
    );
  }
  assertOptions(options);
  return Object.freeze({
    [KIND]: 'resolver' as const,
    needs: needs as Needs,
    fn: fn as ResolverFn,
    options: Object.freeze({ ...options }),
  });
}

const OPTIONS: readonly string[] = ['name', 'asks', 'pin', 'dispose'];
const KINDS: readonly unknown[] = ['form', 'url', 'sample', 'roots', 'nothing'];

function assertOptions(options: unknown): asserts options is ResolverOptions {
  if (!isObject(options)) {
    throw invalid(`The options of resolver() are an object: { ${OPTIONS.join(', ')} }.`);
  }
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined)
    throw invalid(`resolver() has no option '${unknown}' (known: ${OPTIONS.join(', ')}).`);
  const { name, asks, pin, dispose } = options;
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw invalid('The name of a resolver is a text that is not empty.');
  }
  if (asks !== undefined && !isSchema(asks) && !KINDS.includes(asks)) {
    throw invalid(
      "What a resolver asks is a schema, 'form', 'url', 'sample', 'roots' or 'nothing'.",
    );
  }
  if (pin !== undefined && !isSchema(pin)) {
    throw invalid('The pin of a resolver is the schema of its value, such as z.object({ … }).');
  }
  if (dispose !== undefined && dispose !== 'auto' && typeof dispose !== 'function') {
    throw invalid("The dispose of a resolver is a function of the value and the end, or 'auto'.");
  }
  if (pin !== undefined && dispose !== undefined) {
    throw invalid(
      'A resolver has either pin or dispose: what is pinned is restored in later rounds without having been made there.',
    );
  }
}

function invalid(message: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', message);
}
