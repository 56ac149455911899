/** What tools, prompts and resources have in common, as they are kept and as authors hold them. */
import type {
  CacheHint,
  CallToolResult,
  GetPromptResult,
  Icon,
  McpServer,
  ReadResourceResult,
  ResourceMetadata as ListedMetadata,
  ResourceTemplate,
  ScopeChallengeHandler,
  Server,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { kindOf } from '../define/brand.js';
import type { KIND } from '../define/brand.js';
import type { CallContext } from '../define/context.js';
import type { Raw } from '../define/infer.js';
import type { InputOf, Schema } from '../define/schema.js';
import { InvalidGraphError } from '../errors.js';
import type { Capability } from '../question/capability.js';
import type { Address } from './address.js';
import type { Callable } from './callable.js';
import type { InstallOptions } from './installOptions.js';

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

/** The fields of a tool that go to the SDK as they are. */
export interface ToolMetadata extends Metadata {
  readonly annotations?: ToolAnnotations;
}

/** A tool, as the library runs it. */
export interface ToolDefinition extends Definition<CallToolResult> {
  readonly metadata: ToolMetadata;
  /** The schema of the arguments, in its lasting form. */
  readonly inputSchema: Schema | undefined;
  /** The schema of the result for the SDK, in its lasting form. */
  readonly advertisedOutput: Schema | undefined;
  /** What it is registered with on an McpServer, besides the schema of the arguments. */
  readonly registration: ToolMetadata & { readonly outputSchema?: Schema };
}

/** A defined tool, ready to be installed. */
export interface Tool<in Args = never> extends Installable {
  /**
   * Calls the tool directly. Without a context there is nobody to ask; with the one that a resolver
   * or a body of this library was given, questions go to its client, where its protocol allows it.
   */
  readonly call: (args: Args, ctx?: ServerContext) => Promise<CallToolResult>;
  readonly [KIND]: 'tool';
  readonly '~definition': ToolDefinition;
}

/** A prompt, as the library runs it. */
export interface PromptDefinition extends Definition<GetPromptResult> {
  readonly metadata: Metadata;
  /** The schema of the arguments, in its lasting form. */
  readonly argsSchema: Schema | undefined;
}

/** A defined prompt, ready to be installed. */
export interface Prompt<in Args = never> extends Installable {
  /**
   * Gets the prompt directly. Without a context there is nobody to ask; with the one that a
   * resolver or a body of this library was given, questions go to its client, where its protocol
   * allows it.
   */
  readonly get: (args: Args, ctx?: ServerContext) => Promise<GetPromptResult>;
  readonly [KIND]: 'prompt';
  readonly '~definition': PromptDefinition;
}

/** The fields of a resource that go to the SDK as they are. */
export interface ResourceMetadata
  extends Metadata, Readonly<Pick<ListedMetadata, 'mimeType' | 'size' | 'annotations'>> {
  /** How long clients of 2026-07-28 may keep what they read. */
  readonly cacheHint?: CacheHint;
}

/** The context in which a resource is read. */
export interface ReadContext extends CallContext {
  /** What is read. */
  readonly uri: URL;
  /** The variables of the template as they stand in the URI, before any schema. */
  readonly variables: Raw;
}

/** Where a resource is: at one uri, or wherever a template matches. */
export type Location = string | ResourceTemplate;

/** A resource, as the library runs it. */
export interface ResourceDefinition extends Omit<Definition<ReadResourceResult>, 'finish'> {
  readonly metadata: ResourceMetadata;
  readonly location: Location;
  /** The schema of the variables, in its lasting form. */
  readonly variables: Schema | undefined;
  /** The same resource, about to be read at one uri. */
  readonly at: (uri: URL) => Definition<ReadResourceResult>;
}

/** A defined resource, ready to be installed. */
export interface Resource extends Installable {
  /**
   * Reads the resource directly. Without a context there is nobody to ask; with the one that a
   * resolver or a body of this library was given, questions go to its client, where its protocol
   * allows it.
   */
  readonly read: (uri: string | URL, ctx?: ServerContext) => Promise<ReadResourceResult>;
  readonly [KIND]: 'resource';
  readonly '~definition': ResourceDefinition;
}

/** What can be installed. */
export type AnyDefinition = Tool | Prompt | Resource;

/** The same, by kind. */
export type Installed =
  | { readonly kind: 'tool'; readonly definition: ToolDefinition }
  | { readonly kind: 'prompt'; readonly definition: PromptDefinition }
  | { readonly kind: 'resource'; readonly definition: ResourceDefinition };

/** @throws {@link InvalidGraphError} If it is not a list of definitions. */
export function readDefinitions(definitions: readonly AnyDefinition[]): readonly Installed[] {
  if (!Array.isArray(definitions)) {
    throw invalid('the second argument is a list of definitions: install(server, [refundOrder]).');
  }
  const all: Installed[] = [];
  // Counted, because map() would pass over what is missing from a list.
  for (let index = 0; index < definitions.length; index += 1) {
    const installed = read(definitions[index] as AnyDefinition | undefined);
    if (installed === undefined) {
      throw invalid(
        `entry ${index} of the list is not a definition; make one with defineTool(name, config, body).`,
      );
    }
    all.push(installed);
  }
  return all;
}

function read(given: AnyDefinition | undefined): Installed | undefined {
  switch (kindOf(given)) {
    case 'tool':
      return { kind: 'tool', definition: (given as Tool)['~definition'] };
    case 'prompt':
      return { kind: 'prompt', definition: (given as Prompt)['~definition'] };
    case 'resource':
      return { kind: 'resource', definition: (given as Resource)['~definition'] };
    default:
      return undefined;
  }
}

function invalid(problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `install(): ${problem}`);
}
