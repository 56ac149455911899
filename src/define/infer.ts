/**
 * The type-level programming of this library, all of it. Three jobs: what a need hands to a
 * function, what a graph requires of a tool, and a sentence where the two do not fit. A sentence is
 * a string literal type that a parameter cannot be assigned to, so that the compiler prints it.
 */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
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

/** A sentence per parameter of `resolve` that does not fit the tool's arguments `A`. */
export type CheckResolve<R, A> = {
  [P in keyof R]: string extends P
    ? unknown
    : P extends keyof A
      ? `'${P & string}' is both an argument of inputSchema and a resolved parameter: rename one of them.`
      : Unless<Complaint<ReqsOf<R[P], P>, A, P & string>>;
};

/** A sentence per guard that does not fit the tool's arguments `A`. */
export type CheckGuards<G, A> = {
  [I in keyof G]: Unless<Complaint<ReqsOf<G[I], I>, A, 'guard'>>;
};

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

type Complaint<R, A, P extends string> =
  R extends Req<infer N, infer T>
    ? // `arg<T>('name')` keeps its name from the compiler; it is checked when the tool is defined.
      string extends N
      ? never
      : N extends keyof A
        ? A[N] extends T
          ? never
          : Exclude<A[N], undefined> extends T
            ? `'${P}' needs the argument '${N}', which is optional in inputSchema: make it required, give it a default, or let the resolver take undefined.`
            : `'${P}' needs the argument '${N}', which has another type in inputSchema.`
        : `'${P}' needs the argument '${N}', which inputSchema does not have.`
    : never;

/** What a body receives: the tool's arguments and the resolved values in one object. */
export type BodyValues<I, R> = I extends Schema
  ? Joined<OutputOf<I>, ValuesOf<R>>
  : Joined<{}, ValuesOf<R>>;

type Joined<A, B> = A extends unknown ? { [K in keyof (A & B)]: (A & B)[K] } : never;

/** What a body returns. */
export type BodyReturn<O> = O extends Schema ? InputOf<O> : string | CallToolResult;

/** A sentence, if what a body returns is not a result of the tool. */
export type CheckBody<Returned, O> = [Returned] extends [Unread]
  ? unknown
  : [Extract<Returned, Asking>] extends [never]
    ? CheckOutput<Returned, Constant<BodyReturn<O>>, O>
    : "A tool body cannot ask: return the question from a resolver and list that resolver under 'resolve'.";

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
