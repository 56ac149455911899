/**
 * Registers definitions on an McpServer in the usual way, so that listing, completing, enabling and
 * updating work.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type {
  ReadResourceResult,
  ResourceTemplate,
  Server,
  ServerContext,
  Variables,
} from '@modelcontextprotocol/server';
import { asReceived, boundaryOf } from '../call/requestBoundary.js';
import { callForRequest } from '../call/runCall.js';
import type { CallResult, Arguments } from '../call/runCall.js';
import type {
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from '../definition/definitions.js';
import { readVariables } from '../definition/requestArguments.js';
import { schemaReporter } from '../call/operator.js';
import { clientFacts } from '../call/clientFacts.js';
import { isShown } from './definitionRoutes.js';
import type { CheckedOptions } from './installOptions.js';
import type { Registrar } from './sdkInternals.js';

export interface McpInstallation extends Installation {
  readonly mcp: Registrar;
}

/** The server and options of one installation. */
export interface Installation {
  /** The server whose client receives the questions. */
  readonly server: Server;
  readonly options: CheckedOptions;
}

export function registerTool(
  { mcp, server, options }: McpInstallation,
  tool: ToolDefinition,
): void {
  const { name, registration } = tool;
  const inputSchema = tool.inputSchema?.reportingTo(schemaReporter(server, options.logger));
  const answer = async (args: Arguments, ctx: ServerContext) => {
    const params = { name, arguments: tool.inputSchema?.sentFor(args) ?? args };
    const own = asReceived(ctx, { method: 'tools/call', params });
    try {
      return await callForRequest(server, tool, { args, ctx: own, settings: options });
    } catch (error) {
      // McpServer would turn the error into a tool result. The boundary throws it instead and
      // ignores the result below.
      const boundary = boundaryOf(ctx);
      if (boundary === undefined || !bypassesMcpServer(error)) throw error;
      boundary.reply.error = error;
      return { content: [], isError: true };
    }
  };
  if (inputSchema === undefined) mcp.registerTool(name, registration, (ctx) => answer({}, ctx));
  else {
    mcp.registerTool(name, { ...registration, inputSchema }, (args, ctx) =>
      answer(args as Arguments, ctx),
    );
  }
}

/** Registers a prompt. Its errors reach the client unchanged. */
export function registerPrompt(
  { mcp, server, options }: McpInstallation,
  prompt: PromptDefinition,
): void {
  const { name, metadata } = prompt;
  const argsSchema = prompt.argsSchema?.reportingTo(schemaReporter(server, options.logger));
  const answer = (args: Arguments, ctx: ServerContext) => {
    const params = { name, arguments: prompt.argsSchema?.sentFor(args) ?? args };
    const own = asReceived(ctx, { method: 'prompts/get', params });
    return callForRequest(server, prompt, { args, ctx: own, settings: options });
  };
  if (argsSchema === undefined) mcp.registerPrompt(name, metadata, (ctx) => answer({}, ctx));
  else {
    mcp.registerPrompt(name, { ...metadata, argsSchema }, (args, ctx) =>
      answer(args as Arguments, ctx),
    );
  }
}

/** Registers a resource. Its errors reach the client unchanged. */
export function registerResource(
  { mcp, server, options }: McpInstallation,
  resource: ResourceDefinition,
): void {
  const { name, location, metadata } = resource;
  const variables = resource.variables?.reportingTo(schemaReporter(server, options.logger));
  const answer = async (
    uri: URL,
    raw: Variables,
    ctx: ServerContext,
  ): Promise<CallResult<ReadResourceResult>> => {
    const own = asReceived(ctx, { method: 'resources/read', params: { uri: uri.href } });
    const request = await readVariables({ name, variables }, { uri, raw, ctx: own });
    return callForRequest(server, resource.at(uri), { ...request, settings: options });
  };
  const shownTo = (ctx: ServerContext): boolean => isShown(resource, clientFacts(server, ctx));
  if (typeof location === 'string')
    mcp.registerResource(name, location, metadata, (uri, ctx) => answer(uri, {}, ctx));
  else mcp.registerResource(name, listingIf(location, shownTo), metadata, answer);
}

/** Returns a copy of the template that lists its resources only for clients that may see them. */
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

/**
 * Returns true for a protocol error that McpServer would turn into a tool result. McpServer lets
 * `UrlElicitationRequired` through, and the SDK answers it in each era.
 */
function bypassesMcpServer(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.code !== URL_ELICITATION_REQUIRED;
}
