/**
 * The explanation of a definition as plain data, which survives a round trip through JSON.
 * Everything that draws or prints a graph starts from here.
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
  /** The uri of a resource, or its template. */
  readonly uri?: string;
  /** The arguments that the caller fills; for a tool, that is the model. */
  readonly arguments: readonly ExplainedArgument[];
  /** The resolvers in `guards`, in their order. */
  readonly guards: readonly string[];
  /** All resolvers, each one after those it needs. */
  readonly resolvers: readonly ExplainedResolver[];
  /** The parameters of the body that resolvers fill. */
  readonly parameters: readonly ExplainedParameter[];
  /** True if an approved call runs at most once. */
  readonly once: boolean;
  /** The capabilities that a client has to declare for the known questions. */
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
  /** True if it is in `guards`. */
  readonly guard: boolean;
  /** True if it finishes before the others start: a guard, or something that a guard needs. */
  readonly first: boolean;
  /** Its needs, in the order in which its author wrote them. */
  readonly needs: readonly ExplainedNeed[];
  /** The uses of its value. A guard's own value is dropped. */
  readonly usedBy: readonly ExplainedUse[];
  readonly asks: ExplainedQuestion;
  /** True if its value is computed once per call. */
  readonly pinned: boolean;
  /** True if its value is cleaned up after each round. */
  readonly disposed: boolean;
}

/** A parameter of a resolver, and the argument or resolver that fills it. */
export type ExplainedNeed =
  | { readonly parameter: string; readonly from: 'argument'; readonly argument: string }
  | {
      readonly parameter: string;
      readonly from: 'resolver';
      readonly resolver: string;
      /** True if it takes a decline as a value, rather than end the call with it. */
      readonly outcome: boolean;
    };

/** A parameter that takes the value of a resolver. */
export type ExplainedUse =
  | {
      readonly by: 'resolver';
      readonly resolver: string;
      readonly parameter: string;
      readonly outcome: boolean;
    }
  | { readonly by: 'body'; readonly parameter: string; readonly outcome: boolean };

/** The question of a resolver. */
export interface ExplainedQuestion {
  /** The kind of its question; `unknown` if it declares none and was not seen to ask. */
  readonly kind: Askable | 'nothing' | 'unknown';
  /** True if its author declares it with `asks`. */
  readonly declared: boolean;
  /** True if it asked in the given events. */
  readonly seen: boolean;
  /** The fields of the form, if `asks` is a schema. */
  readonly fields?: readonly string[];
}

/** A parameter of the body. */
export interface ExplainedParameter {
  readonly name: string;
  readonly resolver: string;
  readonly outcome: boolean;
}

/** A capability that a client has to declare to be asked a kind of question. */
export interface ExplainedCapability {
  readonly kind: Askable;
  /** A name for messages, such as `form elicitation`. */
  readonly name: string;
  /** The capability in the form in which a client declares it. */
  readonly required: Readonly<Record<string, unknown>>;
}
