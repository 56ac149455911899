/** Attaches tools to a low-level Server, beside its own. */
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
import { callFor } from './runCall.js';
import type { Answer } from './runCall.js';
import type { ToolDefinition } from './definitions.js';
import { parseArguments } from './requestArguments.js';
import { standBeside } from './sharedMethods.js';
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
  standBeside(server, 'tools/list', {
    list: 'tools',
    answer: () => ({ tools: [...tools.values()].map(({ tool }) => listed(tool)) }),
  });
  standBeside(server, 'tools/call', {
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

interface Call {
  readonly params: Readonly<Record<string, unknown>>;
  readonly ctx: ServerContext;
}

async function callTool(
  server: Server,
  attached: Attached | undefined,
  { params, ctx }: Call,
): Promise<Answer<CallToolResult>> {
  if (attached === undefined) {
    const problem = `Tool ${String(params.name)} not found`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
  }
  const { tool, options } = attached;
  const parsed = await parseArguments(tool, params.arguments);
  if ('problem' in parsed) return parsed.problem;
  const result = await callFor(server, tool, { args: parsed.args, ctx, settings: options });
  if (isInputRequiredResult(result)) return result;
  return server.projectCallToolResult(
    result,
    tool.advertisedOutput && outputJson(tool.advertisedOutput),
  );
}
