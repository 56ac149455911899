/** A defined tool: what authors hold, and what the library keeps in it. */
import type { CallToolResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type { KIND } from '../../define/brand.js';
import type { Schema } from '../../define/schema.js';
import type { Definition, Installable, Metadata } from './definition.js';

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
