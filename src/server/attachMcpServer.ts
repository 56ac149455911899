/**
 * Attaches definitions to an McpServer: registered as any others, so listing, completing, enabling
 * and updating work.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type {
  McpServer,
  ReadResourceResult,
  ResourceTemplate,
  Server,
  ServerContext,
  Variables,
} from '@modelcontextprotocol/server';
import { boundaryOf } from './boundary.js';
import { callForRequest } from './runCall.js';
import type { CallResult, Arguments } from './runCall.js';
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from './definitions.js';
import { readVariables } from './requestArguments.js';
import { isShown } from './hideDefinitions.js';
import type { CheckedOptions } from './installOptions.js';

/** Where definitions are registered, and the server that answers for them. */
export interface Site {
  readonly mcp: McpServer;
  /** The server whose client is asked. */
  readonly server: Server;
  readonly options: CheckedOptions;
}

/** Registers a tool. */
export function registerTool({ mcp, server, options }: Site, tool: ToolDefinition): void {
  const { name, registration, inputSchema } = tool;
  const answer = async (args: Arguments, ctx: ServerContext) => {
    try {
      return await callForRequest(server, tool, { args, ctx, settings: options });
    } catch (error) {
      // McpServer would turn it into a tool error, so the boundary throws it and this answer is never seen.
      const boundary = boundaryOf(ctx);
      if (boundary === undefined || !bypassesMcpServer(error)) throw error;
      boundary.error = error;
      return { content: [], isError: true };
    }
  };
  if (inputSchema === undefined) mcp.registerTool(name, registration, (ctx) => answer({}, ctx));
  else
    mcp.registerTool(name, { ...registration, inputSchema }, (args, ctx) =>
      answer(args as Arguments, ctx),
    );
}

/** Registers a prompt. What it throws reaches the client as it is. */
export function registerPrompt({ mcp, server, options }: Site, prompt: PromptDefinition): void {
  const { name, metadata, argsSchema } = prompt;
  const answer = (args: Arguments, ctx: ServerContext) =>
    callForRequest(server, prompt, { args, ctx, settings: options });
  if (argsSchema === undefined) mcp.registerPrompt(name, metadata, (ctx) => answer({}, ctx));
  else
    mcp.registerPrompt(name, { ...metadata, argsSchema }, (args, ctx) =>
      answer(args as Arguments, ctx),
    );
}

/** Registers a resource. What it throws reaches the client as it is. */
export function registerResource(
  { mcp, server, options }: Site,
  resource: ResourceDefinition,
): void {
  const { name, location, metadata } = resource;
  const answer = async (
    uri: URL,
    raw: Variables,
    ctx: ServerContext,
  ): Promise<CallResult<ReadResourceResult>> => {
    const request = await readVariables(resource, { uri, raw, ctx });
    return callForRequest(server, resource.at(uri), { ...request, settings: options });
  };
  if (typeof location === 'string')
    mcp.registerResource(name, location, metadata, (uri, ctx) => answer(uri, {}, ctx));
  else {
    const shown = listingIf(location, (ctx) => isShown(resource, server, ctx));
    mcp.registerResource(name, shown, metadata, answer);
  }
}

/** The same template, which lists what it has only for clients that get to see it. */
function listingIf(
  template: ResourceTemplate,
  isShownTo: (ctx: ServerContext) => boolean,
): ResourceTemplate {
  const { listCallback: list } = template;
  if (list === undefined) return template;
  const value: typeof list = (ctx) => (isShownTo(ctx) ? list(ctx) : { resources: [] });
  return Object.create(template, { listCallback: { value } }) as ResourceTemplate;
}

const URL_ELICITATION_REQUIRED: number = ProtocolErrorCode.UrlElicitationRequired;

/** The one that McpServer lets through is left to the SDK, which has its own answer for each era. */
function bypassesMcpServer(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.code !== URL_ELICITATION_REQUIRED;
}
