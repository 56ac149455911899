/**
 * The explanation of a definition as plain data that survives a round trip through JSON. Every
 * drawing and printout of a graph starts from here.
 *
 * Resolvers are identified by their wire keys, which are unique in a definition.
 */
import type { Askable, AskedKind } from '../../author/context.js';

/** A definition, explained. */
export interface Explanation {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly name: string;
  /** The author's description, if any. */
  readonly description?: string;
  /** The uri of a resource, or its template. */
  readonly uri?: string;
  /** The arguments that the caller fills. For a tool, the caller is the model. */
  readonly arguments: readonly ExplainedArgument[];
  /** The resolvers in `guards`, in their order. */
  readonly guards: readonly string[];
  /** All resolvers. Each comes after the resolvers that it needs. */
  readonly resolvers: readonly ExplainedResolver[];
  /** The parameters of the body that resolvers fill. */
  readonly parameters: readonly ExplainedParameter[];
  /** True if an approved call runs at most once. */
  readonly once: boolean;
  /**
   * Set if a client that declares the extension `io.modelcontextprotocol/tasks` gets a handle to
   * poll when a call waits for approval. All others read that they have to call again later.
   */
  readonly tasks?: true;
  /** The capabilities that a client must declare for the declared and observed questions. */
  readonly capabilities: readonly ExplainedCapability[];
  /**
   * The maximum number of rounds: one for each attempt of each declared or observed question in the
   * longest chain, and one for the result.
   */
  readonly atMostRounds: number;
  /** The resolvers whose questions make up `atMostRounds`, in the order in which they ask. */
  readonly chain: readonly string[];
}

/** An argument of a definition. */
export interface ExplainedArgument {
  readonly name: string;
  readonly required: boolean;
  /** A short description of the type, such as `string` or `"red" | "blue"`. */
  readonly type: string;
  readonly description?: string;
}

/** A resolver in the graph of a definition. */
export interface ExplainedResolver {
  /** Its name on the wire, in errors and in events. */
  readonly key: string;
  /** True if it is in `guards`. */
  readonly guard: boolean;
  /**
   * True if it finishes before other resolvers start, because it is a guard or a guard needs it.
   */
  readonly first: boolean;
  /** Its needs, in the author's order. */
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
  | {
      readonly parameter: string;
      readonly from: 'argument';
      readonly argument: string;
      /** Set if the definition may lack the argument. */
      readonly optional?: true;
    }
  | {
      readonly parameter: string;
      readonly from: 'resolver';
      readonly resolver: string;
      /** True if a decline is passed on as a value. Otherwise a decline ends the call. */
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
  /** The kind of its question. `nothing` if it computes its value. */
  readonly kind: AskedKind | 'nothing';
  /** True if the resolver declares it with `asks`. */
  readonly declared: boolean;
  /** True if the resolver asked in the given events. */
  readonly seen: boolean;
  /** The number of times that the form is shown in all, if it is more than one. */
  readonly attempts?: number;
  /** The fields of the form, if `asks` is a schema. */
  readonly fields?: readonly string[];
}

/** A parameter of the body. */
export interface ExplainedParameter {
  readonly name: string;
  readonly resolver: string;
  readonly outcome: boolean;
}

/** A capability that a client must declare to be asked a kind of question. */
export interface ExplainedCapability {
  readonly kind: Askable;
  /** A name for messages, such as `form elicitation`. */
  readonly name: string;
  /** The capability as a client declares it. */
  readonly required: Readonly<Record<string, unknown>>;
}
