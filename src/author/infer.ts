/**
 * The type-level code of this library. It infers the values a function receives for its needs and
 * the arguments a graph requires of its tool. If the two do not fit, it yields a sentence: a string
 * literal type that the parameter cannot be assigned to, so the compiler prints it.
 */
import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type {
  Arg,
  DeskReq,
  Filler,
  Need,
  OptionalArg,
  OptionalReq,
  Outcome,
  OutcomeOf,
  Req,
  Resolver,
} from './model.js';
import type { AnyQuestion, Question } from './question.js';
import type { InputOf, OutputOf, Schema } from './schema.js';
import type { NoSchema, Sentences } from './sentences.js';

/** The needs of a resolver, or a sentence for each. */
// eslint-disable-next-line @typescript-eslint/consistent-indexed-object-style -- an interface is printed by its name, which leaves room for the sentence
export interface NeedsOrSentence {
  readonly [parameter: string]: Need | Sentences['need'];
}

/** The parameters that resolvers fill, or a sentence for each. */
export type FillersOrSentence = Readonly<Record<string, Filler | Sentences['filler']>>;

/** A schema, or a sentence for an object that is not a schema. */
export type SchemaOrSentence = Schema | NoSchema;

/** The value that a parameter receives for its need. */
export type ValueOf<N> =
  N extends Resolver<infer T, infer _R>
    ? T
    : N extends OptionalArg<infer T, infer _Name>
      ? T | undefined
      : N extends Arg<infer T, infer _Name>
        ? T
        : N extends OutcomeOf<infer T, infer _R>
          ? Outcome<T>
          : never;

/** The values that a function receives for all its needs. */
export type ValuesOf<N> = { -readonly [P in keyof N]: ValueOf<N[P]> };

/** The requirements that a need at parameter `P` has of the tool. */
export type ReqsOf<N, P> =
  N extends Resolver<infer _T, infer R>
    ? R
    : N extends OptionalArg<unknown, string | undefined>
      ? OptionalReqOf<N, P>
      : N extends Arg<infer T, infer Name extends string>
        ? Req<Name, T>
        : N extends Arg<infer T>
          ? Req<P & string, T>
          : N extends OutcomeOf<infer _T, infer R>
            ? R
            : never;

type OptionalReqOf<N, P> =
  N extends OptionalArg<infer T, infer Name>
    ? OptionalReq<Name extends string ? Name : P & string, T | undefined>
    : never;

/**
 * The value that consumers of a resolver receive, given its return type. The answer replaces the
 * question.
 */
export type ValueOfReturn<R> = OneType<Exclude<R, AnyQuestion>, AnswerTo<Extract<R, AnyQuestion>>>;

/** The part of a return type that is computed, without questions. */
export type Computed<R> = Exclude<R, AnyQuestion>;

/**
 * A sentence if a pinned value would be restored as a different type from the one the function
 * returns.
 */
export type CheckPin<P, R> = Schema extends P
  ? unknown // No pin.
  : [PinnedBy<P>] extends [ValueOfReturn<R>]
    ? unknown
    : 'The `pin` schema restores a different type than the resolver returns. Describe the whole value in the schema.';

type PinnedBy<P> = P extends Schema ? OutputOf<P> : never;

type AnswerTo<Q> = Q extends Question<infer T> ? T : never;

/** `A | B`, or just one of them if both are the same type. */
type OneType<A, B> = [A] extends [B] ? ([B] extends [A] ? B : A | B) : A | B;

/**
 * A sentence if a function asks without declaring it in `asks`, or asks something else.
 *
 * A generic function of an author can hide the types from the compiler. It then assumes `any` for
 * them and compares only the branch that this gives, which is `unknown`. So the call compiles.
 *
 * The sentence is the result of a function. Before the compiler has read a function, it knows only
 * the annotation of the resolver, and takes the function for one that cannot ask. At that time it
 * accepts the function for any other.
 */
export type CheckAsks<R, A> =
  AsksComplaint<Extract<R, AnyQuestion>, R, A> extends string
    ? (...args: never) => AsksComplaint<Extract<R, AnyQuestion>, R, A>
    : unknown;

type AsksComplaint<Q extends AnyQuestion, R, A> = [Q] extends [never]
  ? undefined extends A
    ? unknown
    : [AnyQuestion] extends [R] // `unknown` and `object` can hide a question.
      ? unknown
      : 'This function cannot ask. Remove `asks`.'
  : IsUnion<Q> extends true
    ? 'A resolver can ask only one question. Split it into one resolver per question.'
    : [true] extends [Declares<A, Q>]
      ? unknown
      : [A] extends [undefined]
        ? `This function can ask. Add { asks: '${Q['kind']}' }.`
        : `This function asks another question than \`asks\` declares. Write { asks: '${Q['kind']}' }.`;

/** True if one of the declarations `A` fits the question. */
type Declares<A, Q extends AnyQuestion> = A extends Schema
  ? Q extends Question<infer T>
    ? [T] extends [OutputOf<A>]
      ? true
      : false
    : false
  : A extends Q['kind']
    ? true
    : false;

type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/** The needs for the arguments of a schema, by name. */
export type ArgsOf<S extends Schema> =
  ArgumentsOf<S> extends infer A ? { readonly [N in keyof A & string]: Arg<A[N], N> } : never;

/**
 * The arguments of a tool by name, with optional ones as `T | undefined`. Index signatures are
 * dropped, because zod infers one for an empty object and every name would clash. The members of a
 * union are merged.
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
 * The variables of a resource by name. They come from its schema, or there are none if the URI is
 * fixed. A template without a schema allows any name, because the compiler cannot read the
 * template.
 */
export type VariablesOf<U, V> = V extends Schema ? ArgumentsOf<V> : U extends string ? {} : Raw;

/** The variables of a template without a schema. */
export type Raw = Readonly<Record<string, string | string[]>>;

/** The source of the arguments, as error messages name it. */
export type Source = 'inputSchema' | 'argsSchema' | 'variables';

/**
 * A sentence for each parameter of `resolve` that does not fit the arguments `A`, described by `S`,
 * or needs the desk `D`.
 */
export type CheckResolve<R, A, S extends Source = 'inputSchema', D = undefined> = {
  [P in keyof R]: string extends P
    ? unknown
    : IsClash<P, A> extends true
      ? `'${P & string}' is both an argument in \`${S}\` and a resolved parameter. Rename one of them.`
      : Unless<Complaint<ReqsOf<R[P], P>, A, { param: P & string; source: S; desk: D }>>;
};

/** A sentence for each guard that does not fit the arguments `A`, described by `S`. */
export type CheckGuards<G, A, S extends Source = 'inputSchema'> = {
  [I in keyof G]: [Extract<ReqsOf<G[I], I>, DeskReq>] extends [never]
    ? IsBoolean<G[I]> extends true
      ? Unless<Complaint<ReqsOf<G[I], I>, A, { param: 'guard'; source: S; desk: undefined }>>
      : 'A guard must return a boolean: return true to let the call go on, or throw a ToolError. A guard that asks uses confirm().'
    : 'A guard cannot wait for an approval, because guards run before the values that an approval is about. List the resolver under `resolve`.';
};

/** True if the value of a guard is a boolean, or if the compiler does not know its type. */
type IsBoolean<G> =
  G extends Resolver<infer T, infer _R>
    ? unknown extends T
      ? true
      : [T] extends [boolean]
        ? true
        : false
    : true;

/**
 * True if a parameter has the name of an argument. If any name can be an argument, the clash is
 * found at definition instead.
 */
type IsClash<P, A> = string extends keyof A ? false : P extends keyof A ? true : false;

/** A placeholder for the return type of a body that the compiler has not read yet. */
export interface Unread {
  readonly [UNREAD]: true;
}

declare const UNREAD: unique symbol;

/**
 * Delays a check of the configuration until the compiler has read the body. Otherwise a failed
 * check leaves the body's parameters untyped, and errors about implicit `any` hide the sentence.
 */
export type OnceRead<Returned, Check> = [Unread] extends [Returned]
  ? 0 extends 1 & Returned
    ? Check
    : unknown
  : Check;

type Unless<Sentence> = [Sentence] extends [never] ? unknown : Sentence;

/** The parameter that a sentence is about, and the source of the arguments. */
interface Place {
  readonly param: string;
  readonly source: Source;
  /** The type of the desk, or `undefined` without one. */
  readonly desk: unknown;
}

type Complaint<R, A, P extends Place> =
  R extends Req<infer N, infer T>
    ? // `arg<T>('name')` hides its name from the compiler. It is checked when the tool is defined.
      string extends N
      ? never
      : N extends DeskReq['name']
        ? DeskComplaint<P>
        : N extends keyof A
          ? A[N] extends T
            ? never
            : string extends keyof A
              ? `'${P['param']}' needs the argument '${N}' with a type other than string | string[]. Describe the template's variables in \`variables\`. If the template does not have {${N}}, add it.`
              : Exclude<A[N], undefined> extends T
                ? `'${P['param']}' needs the argument '${N}', which is optional in \`${P['source']}\`. Make it required, give it a default, or let the resolver accept undefined.`
                : `'${P['param']}' needs the argument '${N}', which has a different type in \`${P['source']}\`. Make the types match.`
          : R extends OptionalReq<N, T>
            ? never
            : `'${P['param']}' needs the argument '${N}', which \`${P['source']}\` does not have.`
    : never;

type DeskComplaint<P extends Place> = P['source'] extends 'inputSchema'
  ? [P['desk']] extends [undefined]
    ? `'${P['param']}' asks for an approval, so the tool needs a desk. Add \`approvals: desk\`.`
    : never
  : `'${P['param']}' asks for an approval, but only the calls of a tool can wait. Use a tool.`;

/** The values that a body receives: the tool's arguments and the resolved values in one object. */
export type BodyValues<I, R> = I extends Schema
  ? Joined<OutputOf<I>, ValuesOf<R>>
  : Joined<{}, ValuesOf<R>>;

/**
 * The values that the body of a resource receives. If there are resolved values, the variables of a
 * template without a schema are `unknown`, because TypeScript has no type for "all other names".
 */
export type ReadValues<U, V, R> = V extends Schema
  ? BodyValues<V, R>
  : U extends string
    ? BodyValues<undefined, R>
    : [keyof R] extends [never]
      ? Raw
      : BodyValues<undefined, R> & Readonly<Record<string, unknown>>;

type Joined<A, B> = A extends unknown ? { [K in keyof (A & B)]: (A & B)[K] } : never;

/** The type that a tool body must return. */
export type BodyReturn<O> = O extends Schema ? InputOf<O> : string | CallToolResult;

/** A sentence if the body of a tool returns another type than its result. */
export type CheckBody<Returned, O> = [Returned] extends [Unread]
  ? unknown
  : [Extract<Returned, Asking>] extends [never]
    ? CheckOutput<Returned, Constant<BodyReturn<O>>, O>
    : CannotAsk<'tool'>;

/** A sentence if the body of a prompt returns another type than its result. */
export type CheckPromptBody<Returned> = CheckResult<
  Returned,
  string | GetPromptResult,
  { what: 'prompt'; results: 'a string or a GetPromptResult' }
>;

/** A sentence if the body of a resource returns another type than its result. */
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
      : `A ${As['what']} body must return ${As['results']}.`
    : CannotAsk<As['what']>;

type CannotAsk<What extends string> =
  `A ${What} body cannot ask a question. Return the question from a resolver and list that resolver under \`resolve\`.`;

type Asking = AnyQuestion | InputRequiredResult;

type CheckOutput<Got, Want, O> = [Got] extends [BodyReturn<O>]
  ? unknown
  : [Got] extends [Want]
    ? unknown
    : O extends Schema
      ? [Extract<Got, SdkResult>] extends [never]
        ? [WrongProperty<Got, Want>] extends [never]
          ? 'The body must return a value that matches `outputSchema`.'
          : WrongProperty<Got, Want>
        : 'With `outputSchema`, the body returns the value itself, not a CallToolResult.'
      : 'A tool body must return a string or a CallToolResult. To return another value, declare `outputSchema`.';

/** A result as tools without `outputSchema` return it. */
interface SdkResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
}

type WrongProperty<Got, Want> = Want extends readonly unknown[]
  ? never
  : Got extends object
    ? {
        [K in keyof Want & string]: K extends keyof Got
          ? Got[K] extends Want[K]
            ? never
            : `The body returns '${K}' with a type that does not match \`outputSchema\`.`
          : Pick<Want, K> extends Required<Pick<Want, K>>
            ? `The body does not return '${K}', which \`outputSchema\` requires.`
            : never;
      }[keyof Want & string]
    : never;

/**
 * Makes the properties and arrays of a wanted type readonly. The compiler infers a body's return
 * type as a constant, so that `'ok'` stays `'ok'`, which makes its arrays readonly. The wanted type
 * is mapped and not the returned one, because mapping would break branded strings and class
 * instances.
 */
type Constant<T> = T extends Primitive | ((...args: never) => unknown)
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Constant<T[K]> }
    : T;

type Primitive = string | number | bigint | boolean | symbol | null | undefined;
