/**
 * What there is to know about a definition before its first call, as plain data: JSON goes in and
 * out of it unchanged. Everything that draws or prints a graph starts from here.
 *
 * Resolvers are named by their wire keys, which are unique in a definition.
 */
import type { Askable } from '../../define/context.js';

/** A definition, explained. */
export interface Explanation {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly name: string;
  /** The author's description; absent where there is none. */
  readonly description?: string;
  /** Where a resource is: its uri, or its template. */
  readonly uri?: string;
  /** What the caller fills: the model, for a tool. */
  readonly arguments: readonly ExplainedArgument[];
  /** The resolvers that stand in `guards`, in their order. */
  readonly guards: readonly string[];
  /** All resolvers, each one after what it needs. */
  readonly resolvers: readonly ExplainedResolver[];
  /** The parameters of the body that resolvers fill. */
  readonly parameters: readonly ExplainedParameter[];
  /** Whether an approved call runs at most once. */
  readonly once: boolean;
  /** What a client has to declare to go through with it, as far as its questions are known. */
  readonly capabilities: readonly ExplainedCapability[];
  /**
   * The most rounds that a call takes if only those resolvers ask that declare it, or were seen to
   * ask: one for each question in the longest chain, and the last one, which answers.
   */
  readonly declaredRounds: number;
  /** The same if every resolver asks that does not say what it asks: an upper bound. */
  readonly atMostRounds: number;
  /** The resolvers whose questions make up `declaredRounds`, in the order in which they ask. */
  readonly chain: readonly string[];
  /** The resolvers that do not say what they ask, and were not seen to: they may, or may not. */
  readonly undeclared: readonly string[];
}

/** An argument of a definition. */
export interface ExplainedArgument {
  readonly name: string;
  readonly required: boolean;
  /** A few words about its type, such as `string` or `"red" | "blue"`. */
  readonly type: string;
  readonly description?: string;
}

/** A resolver in the graph of a definition. */
export interface ExplainedResolver {
  /** Its name on the wire, in errors and in events. */
  readonly key: string;
  /** Whether it stands in `guards`. */
  readonly guard: boolean;
  /** Whether it finishes before the others start: a guard, or something that a guard needs. */
  readonly first: boolean;
  /** What it needs, in the order in which its author wrote it. */
  readonly needs: readonly ExplainedNeed[];
  /** Who takes its value. A guard's own value is dropped. */
  readonly usedBy: readonly ExplainedUse[];
  readonly asks: ExplainedQuestion;
  /** Whether its value is computed once per call. */
  readonly pinned: boolean;
  /** Whether its value is cleaned up after each round. */
  readonly disposed: boolean;
}

/** A parameter of a resolver, and what fills it. */
export type ExplainedNeed =
  | { readonly parameter: string; readonly from: 'argument'; readonly argument: string }
  | {
      readonly parameter: string;
      readonly from: 'resolver';
      readonly resolver: string;
      /** Whether it takes a decline as a value, rather than end the call with it. */
      readonly outcome: boolean;
    };

/** Somebody who takes the value of a resolver. */
export type ExplainedUse =
  | {
      readonly by: 'resolver';
      readonly resolver: string;
      readonly parameter: string;
      readonly outcome: boolean;
    }
  | { readonly by: 'body'; readonly parameter: string; readonly outcome: boolean };

/** What a resolver asks. */
export interface ExplainedQuestion {
  /** The kind of its question; `unknown` where it does not say, and was not seen to ask. */
  readonly kind: Askable | 'nothing' | 'unknown';
  /** Whether its author says so, with `asks`. */
  readonly declared: boolean;
  /** Whether it was seen to ask, in the events that were given. */
  readonly seen: boolean;
  /** The fields of the form, where `asks` is a schema. */
  readonly fields?: readonly string[];
}

/** A parameter of the body. */
export interface ExplainedParameter {
  readonly name: string;
  readonly resolver: string;
  readonly outcome: boolean;
}

/** What a client has to declare to be asked a kind of question. */
export interface ExplainedCapability {
  readonly kind: Askable;
  /** For people, such as `form elicitation`. */
  readonly name: string;
  /** As it stands in the capabilities of a client. */
  readonly required: Readonly<Record<string, unknown>>;
}
