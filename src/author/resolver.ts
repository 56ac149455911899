/**
 * A resolver: a function that fills a parameter, with its needs. The frozen object is its identity.
 * If two parameters use it, it is one resolver and runs at most once per round. The needs are read
 * when a tool is defined, because that requires the whole graph.
 */
import { KIND, kindOf, NOT_A_VALUE } from './brand.js';
import { KINDS } from './context.js';
import type { CallContext } from './context.js';
import type {
  CheckAsks,
  CheckPin,
  Computed,
  NeedsOrSentence,
  ReqsOf,
  ValueOf,
  ValueOfReturn,
} from './infer.js';
import type { Attempts, Needs, Req, Resolver, ResolverFn, ResolverOptions } from './model.js';
import { isSchema } from './schema.js';
import { knownOptions, rejectUnknownOptions } from '../options.js';
import { isObject, isPlainObject } from '../values.js';
import type { Schema } from './schema.js';
import type { NoSchema, Sentences } from './sentences.js';

/** A call without needs does not compile, and the compiler prints the sentence. */
export function resolver(needs: Sentences['needs']): never;
/**
 * Creates a resolver. `fn` receives the values of its needs and the context of the call. It returns
 * a value or one question, or a promise of either. If it can return a question, `asks` is
 * required.
 *
 * @example
 *
 * ```ts
 * const amountDue = resolver({ id: args.invoice }, ({ id }) => invoices.get(id) ?? 0);
 *
 * const approval = resolver(
 *   { euros: amountDue },
 *   ({ euros }) => (euros < 100 ? true : confirm(`Pay ${euros} euros?`)),
 *   { asks: 'form' },
 * );
 * ```
 *
 * @throws {TypeError} If the needs, the function or the options are malformed.
 */
// The return type is written out instead of using an alias. With an alias, the declarations of a
// project that exports resolvers would repeat every dependency.
export function resolver<
  const N extends NeedsOrSentence | Readonly<Record<Sentences['needs'], never>>,
  Returned,
  P extends Schema | NoSchema | Sentences['pin'] = Schema,
  // Not `Asks`, so that the compiler prints the kinds.
  A extends (typeof KINDS)[number] | 'approval' | Schema | undefined = undefined,
  const M extends Attempts | Sentences['attempts'] = Attempts,
>(
  needs: N,
  fn: ((values: { -readonly [P in keyof N]: ValueOf<N[P]> }, ctx: CallContext) => Returned) &
    CheckAsks<Awaited<Returned>, A>,
  options?: ResolverOptions<Computed<Awaited<Returned>>, P & CheckPin<P, Awaited<Returned>>, A, M>,
): Resolver<
  ValueOfReturn<Awaited<Returned>>,
  | { [P in keyof N]: ReqsOf<N[P], P> }[keyof N]
  | ([A] extends ['approval'] ? Req<'approvals: desk', unknown> : never)
>;
export function resolver(
  needs: unknown,
  fn?: unknown,
  options: ResolverOptions = {},
): Resolver<unknown> {
  if (!isPlainObject(needs) || kindOf(needs) !== undefined) {
    throw new TypeError(
      'resolver(): `needs` must be an object, such as { id: args.order_id }, or {} if there are none. To name the resolver, use the option `name`.',
    );
  }
  if (typeof fn !== 'function') {
    throw new TypeError(
      'resolver(): `fn` must be a function. Write resolver({ id: args.order_id }, ({ id }) => …).',
    );
  }
  assertOptions(options);
  return Object.freeze({
    ...NOT_A_VALUE,
    [KIND]: 'resolver' as const,
    needs: needs as Needs,
    fn: fn as ResolverFn,
    options: Object.freeze({ ...options }),
  });
}

const OPTIONS: readonly string[] = ['name', 'asks', 'attempts', 'pin', 'dispose'];

function assertOptions(options: unknown): asserts options is ResolverOptions {
  if (!isObject(options)) {
    throw new TypeError(`resolver(): \`options\` must be an object. ${knownOptions(OPTIONS)}`);
  }
  rejectUnknownOptions(options, OPTIONS, 'resolver()');
  const { name, asks, attempts, pin, dispose } = options;
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw new TypeError('resolver(): `name` must be a non-empty string.');
  }
  if (asks !== undefined && !isSchema(asks) && !isKindOfQuestion(asks)) {
    throw new TypeError(
      `resolver(): \`asks\` must be ${KINDS.map((kind) => `'${kind}'`).join(', ')}, 'approval' or the schema of the form. Remove it if the resolver never asks.`,
    );
  }
  if (attempts !== undefined) assertAttempts(attempts, asks);
  if (pin !== undefined && !isSchema(pin)) {
    throw new TypeError(
      'resolver(): `pin` must be the schema of the value, such as z.object({ … }).',
    );
  }
  if (dispose !== undefined && dispose !== 'auto' && typeof dispose !== 'function') {
    throw new TypeError(
      "resolver(): `dispose` must be 'auto' or a function, such as (value, end) => value.close().",
    );
  }
  if (pin !== undefined && dispose !== undefined) {
    throw new TypeError(
      'resolver(): `pin` and `dispose` cannot be combined, because later rounds restore a pinned value and do not create it. Remove one of them.',
    );
  }
}

function isKindOfQuestion(value: unknown): boolean {
  return value === 'approval' || KINDS.some((kind) => kind === value);
}

/** SDK clients give up after ten rounds. */
const MOST_ATTEMPTS = 10;

function assertAttempts(attempts: unknown, asks: unknown): void {
  const isNumber = typeof attempts === 'number' && Number.isInteger(attempts);
  if (!isNumber || attempts < 1 || attempts > MOST_ATTEMPTS) {
    throw new TypeError(
      `resolver(): \`attempts\` must be an integer from 1 to ${MOST_ATTEMPTS}. It is the number of times that the form is shown in all.`,
    );
  }
  if (asks !== 'form' && !isSchema(asks)) {
    throw new TypeError(
      "resolver(): `attempts` needs a form. Add asks: 'form' or the schema of the form, or remove `attempts`.",
    );
  }
}
