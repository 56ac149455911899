/** The types of tools, prompts and resources, as authors hold them and as the library runs them. */
import type {
  AuthInfo,
  CacheHint,
  CallToolResult,
  GetPromptResult,
  Icon,
  JSONRPCRequest,
  ReadResourceResult,
  ResourceMetadata as ListedMetadata,
  ResourceTemplate,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { kindOf } from '../author/brand.js';
import type { KIND } from '../author/brand.js';
import type { CallContext } from '../author/context.js';
import type { Raw } from '../author/infer.js';
import type { InputOf, Schema } from '../author/schema.js';
import type { Capability } from '../question/capability.js';
import type { Callable } from '../call/callable.js';
import type { ReportThrown } from '../call/operator.js';

/** The part that all definitions have in common, as the library runs them. */
export interface RunnableDefinition<Result> extends Callable<Result> {
  /** The capabilities that a client needs to see it in a listing. */
  readonly shownWith: readonly Capability[];
}

/** The schema of a definition's arguments. If it throws, the arguments count as invalid. */
export interface ArgumentSchema extends Schema {
  /** Returns the same schema with another receiver of what it throws. Default: the log. */
  readonly reportingTo: (report: ReportThrown) => Schema;
  /**
   * Returns what the client sent for arguments that the schema returned. A host may call a
   * definition with arguments of its own, which stand for themselves.
   */
  readonly sentFor: (args: object) => unknown;
}

/** The arguments of a direct call. */
export type CallArguments<I> = I extends Schema
  ? InputOf<I>
  : Readonly<Record<string, never>> | undefined;

/** The scopes that a request requires, as in the SDK's `ScopeChallenge`. */
interface ScopeChallenge {
  scopes: readonly [string, ...string[]];
  errorDescription?: string;
}

/** The SDK's type of this name, written out because SDK 2.0 does not export it. */
type ScopeChallengeHandler = (context: {
  request: JSONRPCRequest;
  authInfo?: AuthInfo;
}) => ScopeChallenge | undefined | Promise<ScopeChallenge | undefined>;

/** The fields of all definitions that go to the SDK unchanged. */
export interface Metadata {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: Icon[];
  readonly scopeChallenge?: ScopeChallengeHandler;
  readonly _meta?: Record<string, unknown>;
}

/** The fields of all definitions that this library adds. */
export interface ResolvingConfig<R, G> {
  /** The parameters that resolvers fill. */
  readonly resolve?: R;
  /** Resolvers that finish before anything else starts. Only `true` lets the call go on. */
  readonly guards?: G;
  /**
   * Hides the definition from listings for clients that lack a capability which its resolvers
   * declare with `asks`. If no resolver declares one, the definition needs forms. A client that
   * calls it anyway gets the usual error.
   */
  readonly hideWhenCannotAsk?: boolean;
}

/** The fields of a tool that go to the SDK unchanged. */
export interface ToolMetadata extends Metadata {
  readonly annotations?: ToolAnnotations;
}

/** A tool as the library runs it. */
export interface ToolDefinition extends RunnableDefinition<CallToolResult> {
  readonly kind: 'tool';
  readonly metadata: ToolMetadata;
  /** The schema of the arguments, wrapped for the SDK. */
  readonly inputSchema: ArgumentSchema | undefined;
  /** The schema of the result, wrapped for the SDK. */
  readonly advertisedOutput: Schema | undefined;
  /** The configuration for an McpServer, without the schema of the arguments. */
  readonly registration: ToolMetadata & { readonly outputSchema?: Schema };
}

/** A defined tool, ready to be installed. */
export interface Tool<in Args = never> extends ToolMetadata {
  readonly name: string;
  /**
   * The schema of the arguments, for a host that registers the tool itself. It drops whatever is
   * sent under the name of a resolved parameter.
   */
  readonly inputSchema?: Schema;
  /** The schema of the result, for a host that registers the tool itself. */
  readonly outputSchema?: Schema;
  /**
   * Calls the tool directly. Without `ctx` there is no client to ask. With the context of a
   * resolver or body of this library, questions go to its client if the protocol allows it. If the
   * call fails with an unexpected error, the error is the `cause` of the result. It is not
   * enumerable, so a body can return the result without showing the error to the model.
   */
  readonly call: (
    args: Args,
    ctx?: ServerContext,
  ) => Promise<CallToolResult & { readonly cause?: unknown }>;
  readonly [KIND]: 'tool';
  readonly '~definition': ToolDefinition;
}

/** A prompt as the library runs it. */
export interface PromptDefinition extends RunnableDefinition<GetPromptResult> {
  readonly kind: 'prompt';
  readonly metadata: Metadata;
  /** The schema of the arguments, wrapped for the SDK. */
  readonly argsSchema: ArgumentSchema | undefined;
}

/** A defined prompt, ready to be installed. */
export interface Prompt<in Args = never> {
  readonly name: string;
  /**
   * Gets the prompt directly. Without `ctx` there is no client to ask. With the context of a
   * resolver or body of this library, questions go to its client if the protocol allows it.
   */
  readonly get: (args: Args, ctx?: ServerContext) => Promise<GetPromptResult>;
  readonly [KIND]: 'prompt';
  readonly '~definition': PromptDefinition;
}

/** The fields of a resource that go to the SDK unchanged. */
export interface ResourceMetadata
  extends Metadata, Readonly<Pick<ListedMetadata, 'mimeType' | 'size' | 'annotations'>> {
  /** The time that clients of 2026-07-28 may cache the content. */
  readonly cacheHint?: CacheHint;
}

/** The context for the body of a resource. */
export interface ReadContext extends CallContext {
  /** The requested uri. */
  readonly uri: URL;
  /** The variables of the template as they appear in the uri, before validation. */
  readonly variables: Raw;
}

/** The location of a resource: one uri, or a template that matches many. */
export type Location = string | ResourceTemplate;

/** A resource as the library runs it. */
export interface ResourceDefinition extends Omit<
  RunnableDefinition<ReadResourceResult>,
  'finish' | 'fail'
> {
  readonly kind: 'resource';
  readonly metadata: ResourceMetadata;
  readonly location: Location;
  /** The schema of the variables, wrapped for the SDK. */
  readonly variables: ArgumentSchema | undefined;
  /** Returns the definition for a read of one uri. */
  readonly at: (uri: URL) => RunnableDefinition<ReadResourceResult>;
}

/** A defined resource, ready to be installed. */
export interface Resource {
  readonly name: string;
  /**
   * Reads the resource directly. Without `ctx` there is no client to ask. With the context of a
   * resolver or body of this library, questions go to its client if the protocol allows it.
   */
  readonly read: (uri: string | URL, ctx?: ServerContext) => Promise<ReadResourceResult>;
  readonly [KIND]: 'resource';
  readonly '~definition': ResourceDefinition;
}

/** Any definition that can be installed. */
export type AnyDefinition = Tool | Prompt | Resource;

/** A definition of any kind as the library runs it. */
export type Definition = ToolDefinition | PromptDefinition | ResourceDefinition;

/** Returns true for a tool, a prompt or a resource. */
export function isDefinition(value: unknown): value is AnyDefinition {
  const kind = kindOf(value);
  return kind === 'tool' || kind === 'prompt' || kind === 'resource';
}

/**
 * Returns the definitions as the library runs them.
 *
 * @throws {TypeError} If `definitions` is not an array of definitions.
 */
export function readDefinitions(definitions: readonly AnyDefinition[]): readonly Definition[] {
  if (!Array.isArray(definitions)) {
    throw invalid('`definitions` must be an array. Write install(server, [refundOrder]).');
  }
  const all: Definition[] = [];
  // An index loop, because `map()` would skip the holes of a sparse array.
  for (let index = 0; index < definitions.length; index += 1) {
    const given: unknown = definitions[index];
    if (!isDefinition(given)) {
      throw invalid(
        `\`definitions[${index}]\` is not a definition. Create one with defineTool(name, config, body).`,
      );
    }
    all.push(given['~definition']);
  }
  return all;
}

function invalid(problem: string): TypeError {
  return new TypeError(`install(): ${problem}`);
}
