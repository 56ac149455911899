/**
 * The types of a definition: what can be needed, what fills it, and what a tool has to bring along.
 *
 * What a resolver requires of the tool is a _union_ of `Req<'order_id', string> | …`, never an
 * object type: a union grows linearly with the graph in the compiler, the object form
 * exponentially.
 */
import type { KIND } from './brand.js';
import type { Askable, CallContext } from './context.js';
import type { Schema } from './schema.js';

declare const TYPES: unique symbol;

/** A requirement: the tool's argument `N` has to be a `T`. */
export interface Req<out N extends string, out T> {
  readonly name: N;
  readonly type: T;
}

/** Any requirements. */
export type Reqs = Req<string, unknown>;

/** A need for the tool's argument `N`; where `N` is `undefined`, the parameter's own name is meant. */
export interface Arg<out T, out N extends string | undefined = undefined> {
  readonly [KIND]: 'arg';
  readonly name: N;
  readonly [TYPES]?: T;
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

/** How a resolver ended: with a value, asked for or computed, or with a refusal. */
export type Outcome<T> =
  | {
      readonly action: 'accept';
      readonly data: T;
      /** Whether somebody gave it, rather than the resolver computed it. */
      readonly asked: boolean;
      /** Set where the client could not be asked, and `otherwise` gave the value. */
      readonly fallback?: true;
    }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Any resolver. */
export type AnyResolver = Resolver<unknown, Reqs>;

/** What can fill a parameter of a tool. */
export type Filler = AnyResolver | OutcomeOf<unknown, Reqs>;

/** What a resolver can need. */
export type Need = Arg<unknown, string | undefined> | Filler;

/** The needs of a resolver, by parameter. */
export type Needs = Readonly<Record<string, Need>>;

/** The function of a resolver, whatever its types. */
export type ResolverFn = (values: Record<string, unknown>, ctx: CallContext) => unknown;

/** How the work for one request ended, as cleanup is told. */
export type End =
  /** The body ran, and its result is valid. */
  | 'completed'
  /** The round ended with questions; a 2025 client is asked in the middle of a call instead. */
  | 'asked'
  /** Something threw, or a person refused. */
  | 'failed'
  /** The client no longer wants the result. */
  | 'cancelled';

/** Cleans up after a value, given how it ended. */
export type Dispose<in T> = (value: T, end: End) => unknown;

/** How a resolver is known, what it may ask, and what happens to the value it computes. */
export interface ResolverOptions<in T = never, out P extends Schema = Schema> {
  /** The key of its question on the wire, and its name in errors. Default: the parameter it fills. */
  readonly name?: string;
  /**
   * The one question it may ask, as a schema or a kind, or that it asks nothing. Checked when a
   * tool is defined, and held to in every call.
   */
  readonly asks?: Schema | Askable | 'nothing';
  /**
   * Computes the value once per call: while questions are out it is sealed, as JSON, and restored
   * through this schema instead of being computed again. Never for an identity or a permission.
   */
  readonly pin?: P;
  /**
   * Cleans up after each value that it computes, in reverse order, when the round has ended. What
   * it throws under `completed` fails the call. `'auto'`: by `Symbol.asyncDispose` or
   * `Symbol.dispose`.
   */
  readonly dispose?: Dispose<T> | 'auto';
}
