/**
 * The type-level programming of this library, all of it. Three jobs: what a need hands to a
 * function, what a graph requires of a tool, and a sentence where the two do not fit. A sentence is
 * a string literal type that a parameter cannot be assigned to, so that the compiler prints it.
 */
import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Arg, Outcome, OutcomeOf, Req, Resolver } from './model.js';
import type { AnyQuestion, Question } from './question.js';
import type { InputOf, OutputOf, Schema } from './schema.js';

/** What a parameter receives for its need. */
export type ValueOf<N> =
  N extends Resolver<infer T, infer _R>
    ? T
    : N extends Arg<infer T, infer _Name>
      ? T
      : N extends OutcomeOf<infer T, infer _R>
        ? Outcome<T>
        : never;

/** What a function receives for all needs. */
export type ValuesOf<N> = { -readonly [P in keyof N]: ValueOf<N[P]> };

/** What a need at parameter `P` requires of the tool. */
export type ReqsOf<N, P> =
  N extends Resolver<infer _T, infer R>
    ? R
    : N extends Arg<infer T, infer Name extends string>
      ? Req<Name, T>
      : N extends Arg<infer T>
        ? Req<P & string, T>
        : N extends OutcomeOf<infer _T, infer R>
          ? R
          : never;

/**
 * What consumers of a resolver get, given what its function returns: the answer stands for the
 * question.
 */
export type ValueOfReturn<R> = OneType<Exclude<R, AnyQuestion>, AnswerTo<Extract<R, AnyQuestion>>>;

/** What a function computes, given what it returns: questions are asked and not computed. */
export type Computed<R> = Exclude<R, AnyQuestion>;

/** A sentence, if a pinned value would come back as another type than the function returns. */
export type CheckPin<P extends Schema, R> = Schema extends P
  ? unknown // There is no pin.
  : [OutputOf<P>] extends [ValueOfReturn<R>]
    ? unknown
    : 'The pin restores another type than the resolver returns: let its schema describe the whole value.';

type AnswerTo<Q> = Q extends Question<infer T> ? T : never;

/** `A | B`, written once where the two are the same type. */
type OneType<A, B> = [A] extends [B] ? ([B] extends [A] ? B : A | B) : A | B;

/** A sentence, if a function returns two different questions. */
export type OneQuestion<R> =
  IsUnion<Extract<R, AnyQuestion>> extends true
    ? 'A resolver asks one question: split this one into a resolver per question.'
    : unknown;

type IsUnion<T, U = T> = [T] extends [never]
  ? false
  : T extends unknown
    ? [U] extends [T]
      ? false
      : true
    : never;

/** The arguments of a schema as needs, by name. */
export type ArgsOf<S extends Schema> =
  ArgumentsOf<S> extends infer A ? { readonly [N in keyof A & string]: Arg<A[N], N> } : never;

/**
 * The arguments of a tool by name, optional ones as `T | undefined`. Index signatures are dropped
 * (zod infers one for an empty object, and every name would clash) and the members of a union are
 * merged. Computed once per tool, because all its requirements are held against it.
 */
export type ArgumentsOf<I> = I extends Schema ? Merged<Known<OutputOf<I>>> : {};

type Known<T> = T extends unknown
  ? { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] }
  : never;

type KeysOf<T> = T extends unknown ? keyof T : never;

type Merged<T> = { [K in KeysOf<T> & string]-?: PropertyOf<T, K> };

type PropertyOf<T, K> = T extends unknown
  ? K extends keyof T
    ? Pick<T, K> extends Required<Pick<T, K>>
      ? T[K]
      : T[K] | undefined
    : undefined
  : never;

/**
 * The variables of a resource by name: those of its schema, none at a fixed uri, and with a
 * template alone any name, since the compiler does not see the template's.
 */
export type VariablesOf<U, V> = V extends Schema ? ArgumentsOf<V> : U extends string ? {} : Raw;

/** The variables of a template, as a URI has them. */
export type Raw = Readonly<Record<string, string | string[]>>;

/** Where arguments come from, in the words of an error. */
export type Source = 'inputSchema' | 'argsSchema' | 'variables';

/** A sentence per parameter of `resolve` that does not fit the arguments `A`, which `S` describes. */
export type CheckResolve<R, A, S extends Source = 'inputSchema'> = {
  [P in keyof R]: string extends P
    ? unknown
    : IsClash<P, A> extends true
      ? `'${P & string}' is both an argument of ${S} and a resolved parameter: rename one of them.`
      : Unless<Complaint<ReqsOf<R[P], P>, A, { param: P & string; source: S }>>;
};

/** A sentence per guard that does not fit the arguments `A`, which `S` describes. */
export type CheckGuards<G, A, S extends Source = 'inputSchema'> = {
  [I in keyof G]: MayGiveNothing<G[I]> extends true
    ? 'A guard that gives undefined lets the call go on: give true or false, or throw.'
    : Unless<Complaint<ReqsOf<G[I], I>, A, { param: 'guard'; source: S }>>;
};

/** What a function gives that returns nothing. */
type Nothing = ReturnType<() => void>;

/** Whether a guard gives something at times and nothing at others, as `roles?.includes(…)` does. */
type MayGiveNothing<G> =
  G extends Resolver<infer T, infer _R>
    ? unknown extends T
      ? false
      : [T] extends [Nothing]
        ? false
        : undefined extends T
          ? true
          : false
    : false;

/** Where any name can be an argument, whether one clashes is seen when the definition is made. */
type IsClash<P, A> = string extends keyof A ? false : P extends keyof A ? true : false;

/** Stands for what a body returns, while the compiler has not read the body. */
export interface Unread {
  readonly [UNREAD]: true;
}

declare const UNREAD: unique symbol;

/**
 * A check of the configuration that waits until the body is read. Otherwise the body's parameters
 * have no types when the check fails, and the sentence drowns in errors about implicit `any`.
 */
export type OnceRead<Returned, Check> = [Unread] extends [Returned]
  ? 0 extends 1 & Returned
    ? Check
    : unknown
  : Check;

type Unless<Sentence> = [Sentence] extends [never] ? unknown : Sentence;

/** Whose need is looked at, and what describes the arguments. */
interface Place {
  readonly param: string;
  readonly source: Source;
}

type Complaint<R, A, P extends Place> =
  R extends Req<infer N, infer T>
    ? // `arg<T>('name')` keeps its name from the compiler; it is checked when the tool is defined.
      string extends N
      ? never
      : N extends keyof A
        ? A[N] extends T
          ? never
          : string extends keyof A
            ? `'${P['param']}' needs the argument '${N}' as another type than string | string[]: describe the template's variables with 'variables'.`
            : Exclude<A[N], undefined> extends T
              ? `'${P['param']}' needs the argument '${N}', which is optional in ${P['source']}: make it required, give it a default, or let the resolver take undefined.`
              : `'${P['param']}' needs the argument '${N}', which has another type in ${P['source']}.`
        : `'${P['param']}' needs the argument '${N}', which ${P['source']} does not have.`
    : never;

/** What a body receives: the tool's arguments and the resolved values in one object. */
export type BodyValues<I, R> = I extends Schema
  ? Joined<OutputOf<I>, ValuesOf<R>>
  : Joined<{}, ValuesOf<R>>;

/**
 * What the body of a resource receives. Beside resolved values, the variables of a template without
 * a schema are `unknown`: in TypeScript, "all other names" cannot have a type of its own.
 */
export type ReadValues<U, V, R> = V extends Schema
  ? BodyValues<V, R>
  : U extends string
    ? BodyValues<undefined, R>
    : [keyof R] extends [never]
      ? Raw
      : BodyValues<undefined, R> & Readonly<Record<string, unknown>>;

type Joined<A, B> = A extends unknown ? { [K in keyof (A & B)]: (A & B)[K] } : never;

/** What a body returns. */
export type BodyReturn<O> = O extends Schema ? InputOf<O> : string | CallToolResult;

/** A sentence, if what a body returns is not a result of the tool. */
export type CheckBody<Returned, O> = [Returned] extends [Unread]
  ? unknown
  : [Extract<Returned, Asking>] extends [never]
    ? CheckOutput<Returned, Constant<BodyReturn<O>>, O>
    : CannotAsk<'tool'>;

/** A sentence, if what a body returns is not the result of a prompt. */
export type CheckPromptBody<Returned> = CheckResult<
  Returned,
  string | GetPromptResult,
  { what: 'prompt'; results: 'a string or a GetPromptResult' }
>;

/** A sentence, if what a body returns is not the result of a resource. */
export type CheckResourceBody<Returned> = CheckResult<
  Returned,
  string | Uint8Array | ReadResourceResult,
  { what: 'resource'; results: 'a string, bytes or a ReadResourceResult' }
>;

type CheckResult<Got, Want, As extends { what: string; results: string }> = [Got] extends [Unread]
  ? unknown
  : [Extract<Got, Asking>] extends [never]
    ? [Got] extends [Want | Constant<Want>]
      ? unknown
      : `A ${As['what']} body returns ${As['results']}.`
    : CannotAsk<As['what']>;

type CannotAsk<What extends string> =
  `A ${What} body cannot ask: return the question from a resolver and list that resolver under 'resolve'.`;

type Asking = AnyQuestion | InputRequiredResult;

type CheckOutput<Got, Want, O> = [Got] extends [BodyReturn<O>]
  ? unknown
  : [Got] extends [Want]
    ? unknown
    : O extends Schema
      ? [WrongProperty<Got, Want>] extends [never]
        ? 'The body must return what outputSchema describes.'
        : WrongProperty<Got, Want>
      : 'A tool body returns a string or a CallToolResult: to return another value, declare outputSchema.';

type WrongProperty<Got, Want> = Want extends readonly unknown[]
  ? never
  : Got extends object
    ? {
        [K in keyof Want & string]: K extends keyof Got
          ? Got[K] extends Want[K]
            ? never
            : `The body returns '${K}' of another type than outputSchema has.`
          : Pick<Want, K> extends Required<Pick<Want, K>>
            ? `The body does not return '${K}', which outputSchema requires.`
            : never;
      }[keyof Want & string]
    : never;

/**
 * What a body returns is inferred as a constant, so that `'ok'` stays `'ok'`; its lists come out
 * readonly then, which says nothing about the author's code, so readonly lists are taken. What the
 * body returns stays as it is: mapped, a branded string or an instance would lose its nature.
 */
type Constant<T> = T extends Primitive | ((...args: never) => unknown)
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Constant<T[K]> }
    : T;

type Primitive = string | number | bigint | boolean | symbol | null | undefined;
