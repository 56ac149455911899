/**
 * Attaches tools to a low-level Server, beside its own handlers: ours answer for their names, the
 * author's for all others, whether they were set before or are set later.
 */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type {
  CallToolRequest,
  ListToolsRequest,
  ListToolsResult,
  Server,
  ServerContext,
  Tool as ListedTool,
} from '@modelcontextprotocol/server';
import { toJsonSchema } from '../../define/schema.js';
import type { Schema } from '../../define/schema.js';
import { callFor } from '../call/callFor.js';
import type { Answer } from '../call/callFor.js';
import type { ToolDefinition } from '../tool/definition.js';
import type { CheckedOptions } from './options.js';
import { handlersOf, replaceComing } from '../boundary/handlers.js';
import type { Handler } from '../boundary/handlers.js';
import { parseArguments } from '../tool/parseArguments.js';

interface Attached {
  readonly tool: ToolDefinition;
  readonly options: CheckedOptions;
}

/** The tools on a server, and the handlers of its author. */
interface Attachments {
  readonly tools: Map<string, Attached>;
  readonly authors: Map<string, Handler>;
}

const ATTACHMENTS = Symbol.for('mcp-resolve.attachments');

/** Adds a tool to a server. */
export function attachToServer(
  server: Server,
  tool: ToolDefinition,
  options: CheckedOptions,
): void {
  const { tools } = attachmentsOf(server);
  if (tools.has(tool.name)) throw new Error(`Tool ${tool.name} is already registered`);
  tools.set(tool.name, { tool, options });
}

function attachmentsOf(server: Server & { [ATTACHMENTS]?: Attachments }): Attachments {
  const known = server[ATTACHMENTS];
  if (known !== undefined) return known;
  const handlers = handlersOf(server);
  const authors = new Map([...handlers].filter(([method]) => METHODS.includes(method)));
  const attachments: Attachments = { tools: new Map(), authors };
  if (server.getCapabilities().tools === undefined) server.registerCapabilities({ tools: {} });
  server.setRequestHandler('tools/list', (request, ctx) => list(attachments, request, ctx));
  server.setRequestHandler('tools/call', (request, ctx) =>
    call(server, attachments, { request, ctx }),
  );
  standBeside(server, authors, new Map(handlers));
  Object.defineProperty(server, ATTACHMENTS, { value: attachments });
  return attachments;
}

const METHODS: readonly string[] = ['tools/list', 'tools/call'];

/** What the author sets later stands beside ours instead of replacing it. */
function standBeside(
  server: Server,
  authors: Map<string, Handler>,
  ours: ReadonlyMap<string, Handler>,
): void {
  replaceComing(server, METHODS, (method, handler) => {
    authors.set(method, handler);
    return ours.get(method) ?? handler;
  });
}

async function list(
  { tools, authors }: Attachments,
  request: ListToolsRequest,
  ctx: ServerContext,
): Promise<ListToolsResult> {
  const theirs = (await authors.get('tools/list')?.(request, ctx)) as ListToolsResult | undefined;
  // Ours stand on the first page.
  if (theirs !== undefined && request.params?.cursor !== undefined) return theirs;
  const ours = [...tools.values()].map(({ tool }) => listed(tool));
  return { ...theirs, tools: [...(theirs?.tools ?? []), ...ours] };
}

function listed({ name, metadata, inputSchema, advertisedOutput }: ToolDefinition): ListedTool {
  const { scopeChallenge: _, ...shown } = metadata;
  return {
    name,
    ...shown,
    inputSchema: {
      type: 'object',
      properties: {},
      ...(inputSchema && toJsonSchema(inputSchema, 'input')),
    },
    ...(advertisedOutput && { outputSchema: outputJson(advertisedOutput) }),
  };
}

function outputJson(schema: Schema): Record<string, unknown> {
  const json = toJsonSchema(schema, 'output');
  return json.type === undefined && 'properties' in json
    ? { type: 'object', ...json }
    : { ...json };
}

interface Call {
  readonly request: CallToolRequest;
  readonly ctx: ServerContext;
}

async function call(
  server: Server,
  { tools, authors }: Attachments,
  { request, ctx }: Call,
): Promise<Answer> {
  const { name, arguments: given } = request.params;
  const attached = tools.get(name);
  if (attached === undefined) {
    const theirs = authors.get('tools/call');
    if (theirs !== undefined) return (await theirs(request, ctx)) as Answer;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
  }
  const { tool, options } = attached;
  const parsed = await parseArguments(tool, given);
  if ('problem' in parsed) return parsed.problem;
  const result = await callFor(server, tool, { args: parsed.args, ctx, options });
  if (isInputRequiredResult(result)) return result;
  return server.projectCallToolResult(
    result,
    tool.advertisedOutput && outputJson(tool.advertisedOutput),
  );
}
