/**
 * The types of a definition: needs, resolvers, outcomes and the requirements of a graph.
 *
 * The requirements of a resolver are a _union_ of `Req<'order_id', string> | …`, never an object
 * type. In the compiler a union grows linearly with the graph, an object type exponentially.
 */
import type { KIND } from './brand.js';
import type { AskedKind, CallContext } from './context.js';
import type { Schema } from './schema.js';

declare const TYPES: unique symbol;

/** A requirement: the tool's argument `N` must be a `T`. */
export interface Req<out N extends string, out T> {
  readonly name: N;
  readonly type: T;
}

/** A requirement that a tool without the argument `N` meets, too. */
export interface OptionalReq<out N extends string, out T> extends Req<N, T> {
  readonly isOptional: true;
}

/** The requirement of a resolver that asks for an approval: the tool must have a desk. */
export type DeskReq = Req<'approvals: desk', unknown>;

/** Any requirements. */
export type Reqs = Req<string, unknown>;

/** A need for the tool's argument `N`. If `N` is `undefined`, the parameter's own name is used. */
export interface Arg<out T, out N extends string | undefined = undefined> {
  readonly [KIND]: 'arg';
  readonly name: N;
  readonly [TYPES]?: T;
}

/** A need for the argument `N` of tools that have it. In the others it fills `undefined`. */
export interface OptionalArg<out T, out N extends string | undefined = undefined> extends Arg<
  T | undefined,
  N
> {
  readonly isOptional: true;
}

/** Fills a parameter with a `T`, in a tool that meets the requirements `R`. */
export interface Resolver<out T, out R extends Reqs = never> {
  readonly [KIND]: 'resolver';
  readonly needs: Needs;
  readonly fn: ResolverFn;
  readonly options: ResolverOptions;
  readonly [TYPES]?: { readonly value: T; readonly reqs: R } | undefined;
}

/** A need for the outcome of a resolver, instead of its bare value. */
export interface OutcomeOf<out T, out R extends Reqs = never> {
  readonly [KIND]: 'outcome';
  readonly resolver: Resolver<T, R>;
}

/** The outcome of a resolver: a value, answered or computed, or a refusal. */
export type Outcome<T> =
  | {
      readonly action: 'accept';
      readonly data: T;
      /** True if the value is an answer. False if it was computed or is a fallback. */
      readonly asked: boolean;
      /** Set if the client does not support the question and `otherwise` supplied the value. */
      readonly fallback?: true;
    }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Any resolver. */
export type AnyResolver = Resolver<unknown, Reqs>;

/** A need that can fill a parameter of a tool. */
export type Filler = AnyResolver | OutcomeOf<unknown, Reqs>;

/** A need of a resolver. */
export type Need = Arg<unknown, string | undefined> | Filler;

/** The needs of a resolver, by parameter. */
export type Needs = Readonly<Record<string, Need>>;

/** The function of a resolver, without its types. */
export type ResolverFn = (values: Record<string, unknown>, ctx: CallContext) => unknown;

/** The way the work for one request ended. Cleanup functions receive it. */
export type End =
  /** The body ran, and its result is valid. */
  | 'completed'
  /** The round ended with questions. A legacy client is asked in the middle of a call instead. */
  | 'asked'
  /** Something threw, or the user refused. */
  | 'failed'
  /** The client no longer wants the result. */
  | 'cancelled';

/** Cleans up after a value, given how the request ended. */
export type Dispose<in T> = (value: T, end: End) => unknown;

/** Returns the declared kind of question, or `undefined` if none is declared. */
export function declaredKind({ options: { asks } }: AnyResolver): AskedKind | undefined {
  return typeof asks === 'object' || typeof asks === 'function' ? 'form' : asks;
}

/** A number of attempts. SDK clients give up after ten rounds. */
export type Attempts = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** The declaration of a question: its kind, or the schema of the form. */
export type Asks = Schema | AskedKind;

/** The options of a resolver. */
export interface ResolverOptions<
  in T = never,
  out P = Schema,
  out A = Asks | undefined,
  out M = Attempts,
> {
  /** The wire key of its question and its name in errors. Default: the parameter it fills. */
  readonly name?: string;
  /**
   * The question that the function can return: its kind, or the schema of the form. Required if it
   * can return one. A call in which it returns another question fails.
   */
  readonly asks?: A;
  /**
   * The number of times that the form is shown in all, if the answer is empty or does not fit the
   * schema. The user sees the messages of the schema and what was typed. Default: 1.
   */
  readonly attempts?: M;
  /**
   * Computes the value once per call. While questions are open, the value is sealed as JSON. Later
   * rounds restore it through this schema instead of computing it again. Do not pin an identity or
   * a permission.
   */
  readonly pin?: P;
  /**
   * Cleans up after each computed or fallback value, in reverse order, when the round has ended. An
   * error thrown for `completed` fails the call. `'auto'` calls the value's `Symbol.asyncDispose`
   * or `Symbol.dispose`.
   */
  readonly dispose?: Dispose<T> | 'auto';
}
