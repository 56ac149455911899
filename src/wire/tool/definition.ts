/** A defined tool: what authors hold, and what the library keeps in it. */
import type {
  CallToolResult,
  Icon,
  McpServer,
  ScopeChallengeHandler,
  Server,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { KIND } from '../../define/brand.js';
import type { CallContext } from '../../define/context.js';
import type { Schema } from '../../define/schema.js';
import type { Plan } from '../../graph/plan.js';
import type { InstallOptions } from '../install/options.js';

/** The fields of a tool that go to the SDK as they are. */
export interface ToolMetadata {
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
  readonly icons?: Icon[];
  readonly scopeChallenge?: ScopeChallengeHandler;
  readonly _meta?: Record<string, unknown>;
}

/** A tool, as the library runs it. */
export interface ToolDefinition {
  readonly name: string;
  readonly metadata: ToolMetadata;
  /** The schema of the arguments, in its lasting form. */
  readonly inputSchema: Schema | undefined;
  /** The author's schema of the result. */
  readonly outputSchema: Schema | undefined;
  /** The same for the SDK, in its lasting form. */
  readonly advertisedOutput: Schema | undefined;
  readonly plan: Plan;
  readonly body: (values: Record<string, unknown>, ctx: CallContext) => unknown;
}

/** A defined tool, ready to be installed. */
export interface Tool<in Args = never> {
  /** The name by which clients call it. */
  readonly name: string;
  /** Installs this tool alone; the same as `install(server, [tool], options)`. */
  readonly register: (server: McpServer | Server, options?: InstallOptions) => void;
  /**
   * Calls the tool directly. Without a context there is nobody to ask; with the one that a resolver
   * or a body of this library was given, questions go to its client, where its protocol allows it.
   */
  readonly call: (args: Args, ctx?: ServerContext) => Promise<CallToolResult>;
  readonly [KIND]: 'tool';
  readonly '~definition': ToolDefinition;
}
