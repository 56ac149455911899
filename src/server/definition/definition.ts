/** What tools, prompts and resources have in common, as they are kept and as authors hold them. */
import type { Icon, McpServer, ScopeChallengeHandler, Server } from '@modelcontextprotocol/server';
import type { InputOf, Schema } from '../../define/schema.js';
import type { Capability } from '../../question/capability.js';
import type { Callable } from '../call/callable.js';
import type { InstallOptions } from '../installOptions.js';
import type { Address } from '../address.js';

/** A definition, as the library runs it. */
export interface Definition<Result> extends Callable<Result> {
  readonly address: Address;
  /** What a client has to be capable of to see it in a list. */
  readonly shownWith: readonly Capability[];
}

/** A definition, as authors hold it. */
export interface Installable {
  readonly name: string;
  /** Installs this definition alone; the same as `install(server, [definition], options)`. */
  readonly register: (server: McpServer | Server, options?: InstallOptions) => void;
}

/** What a definition is called with directly. */
export type CallArguments<I> = I extends Schema
  ? InputOf<I>
  : Readonly<Record<string, never>> | undefined;

/** The fields that all definitions hand to the SDK as they are. */
export interface Metadata {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: Icon[];
  readonly scopeChallenge?: ScopeChallengeHandler;
  readonly _meta?: Record<string, unknown>;
}

/** The fields of all definitions that are ours. */
export interface ResolvingConfig<R, G> {
  /** The parameters that resolvers fill. */
  readonly resolve?: R;
  /** Resolvers that finish before anything else starts; their values are dropped. */
  readonly guards?: G;
  /**
   * Leaves it out of lists for clients that have not declared what its resolvers declare to ask
   * with `asks`; a form, where none of them says. Such a client that calls it all the same gets the
   * usual error.
   */
  readonly hideWhenCannotAsk?: boolean;
}
