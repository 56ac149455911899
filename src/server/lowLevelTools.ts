/** Attaches tools to a low-level Server, next to its own tools. */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  Server,
  ServerContext,
  Tool as ListedTool,
} from '@modelcontextprotocol/server';
import { toJsonSchema } from '../define/schema.js';
import type { Schema } from '../define/schema.js';
import { callForRequest } from './runCall.js';
import type { CallResult } from './runCall.js';
import type { ToolDefinition } from './definitions.js';
import { parseArguments } from './requestArguments.js';
import { shareMethod } from './sharedMethods.js';
import type { CheckedOptions } from './installOptions.js';

interface Attached {
  readonly tool: ToolDefinition;
  readonly options: CheckedOptions;
}

/** The tools on a server, by name. */
type Tools = Map<string, Attached>;

const TOOLS = Symbol.for('mcp-resolve.tools');

/** Adds a tool to a server. */
export function attachTool(server: Server, tool: ToolDefinition, options: CheckedOptions): void {
  const tools = toolsOf(server);
  if (tools.has(tool.name)) throw new Error(`Tool ${tool.name} is already registered`);
  tools.set(tool.name, { tool, options });
}

function toolsOf(server: Server & { [TOOLS]?: Tools }): Tools {
  const known = server[TOOLS];
  if (known !== undefined) return known;
  const tools: Tools = new Map();
  if (server.getCapabilities().tools === undefined) server.registerCapabilities({ tools: {} });
  shareMethod(server, 'tools/list', {
    list: 'tools',
    answer: () => ({ tools: [...tools.values()].map(({ tool }) => listed(tool)) }),
  });
  shareMethod(server, 'tools/call', {
    owns: ({ name }) => tools.has(String(name)),
    answer: ({ params = {} }, ctx) =>
      callTool(server, tools.get(String(params.name)), { params, ctx }),
  });
  Object.defineProperty(server, TOOLS, { value: tools });
  return tools;
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

interface ToolRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly ctx: ServerContext;
}

async function callTool(
  server: Server,
  attached: Attached | undefined,
  { params, ctx }: ToolRequest,
): Promise<CallResult<CallToolResult>> {
  if (attached === undefined) {
    const problem = `Tool ${String(params.name)} not found`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
  }
  const { tool, options } = attached;
  const parsed = await parseArguments(tool, params.arguments);
  if ('problem' in parsed) return parsed.problem;
  const result = await callForRequest(server, tool, { args: parsed.args, ctx, settings: options });
  if (isInputRequiredResult(result)) return result;
  return server.projectCallToolResult(
    result,
    tool.advertisedOutput && outputJson(tool.advertisedOutput),
  );
}
