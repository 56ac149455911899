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
import { describesObject, toJsonSchema } from '../author/schema.js';
import type { Schema } from '../author/schema.js';
import { schemaReporter } from '../call/operator.js';
import { callForRequest } from '../call/runCall.js';
import type { CallResult } from '../call/runCall.js';
import type { ToolDefinition } from '../definition/definitions.js';
import { parseArguments } from '../definition/requestArguments.js';
import { answer, declareCapability } from './lowLevelAnswers.js';
import type { Installation } from './attachMcpServer.js';
import type { CheckedOptions } from './installOptions.js';

interface Attached {
  readonly tool: ToolDefinition;
  readonly options: CheckedOptions;
}

/** The tools of a server, by name. */
type Tools = Map<string, Attached>;

const TOOLS = Symbol.for('mcp-resolve.tools');

export function attachTool({ server, options }: Installation, tool: ToolDefinition): void {
  const tools = openTools(server, options);
  if (tools.has(tool.name)) throw new Error(`Tool ${tool.name} is already registered`);
  tools.set(tool.name, { tool, options });
}

/** Returns the tools of a server. The first call makes the server answer for them. */
function openTools(server: Server & { [TOOLS]?: Tools }, options: CheckedOptions): Tools {
  const known = server[TOOLS];
  if (known !== undefined) return known;
  const tools: Tools = new Map();
  declareCapability(server, 'tools');
  answer(server, options, {
    'tools/list': () => ({ tools: [...tools.values()].map(({ tool }) => entryOf(tool)) }),
    'tools/call': ({ params = {} }, ctx) =>
      callTool(server, tools.get(String(params.name)), { params, ctx }),
  });
  Object.defineProperty(server, TOOLS, { value: tools, configurable: true });
  return tools;
}

function entryOf({ name, metadata, inputSchema, advertisedOutput }: ToolDefinition): ListedTool {
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

/** Converts the schema of a result as McpServer does, which declares the type of all objects. */
function outputJson(schema: Schema): Record<string, unknown> {
  const json = toJsonSchema(schema, 'output');
  return json.type === undefined && describesObject(json)
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
  const { name } = tool;
  const inputSchema = tool.inputSchema?.reportingTo(schemaReporter(server, options.logger));
  const parsed = await parseArguments({ name, inputSchema }, params.arguments);
  if ('problem' in parsed) return parsed.problem;
  const result = await callForRequest(server, tool, { args: parsed.args, ctx, settings: options });
  if (isInputRequiredResult(result)) return result;
  return server.projectCallToolResult(
    result,
    tool.advertisedOutput && outputJson(tool.advertisedOutput),
  );
}
