/**
 * Tools as lists show them: written by the SDK, once. To register a tool and to convert and check
 * its schema takes longer than to send it.
 */
import type { ListToolsResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import type { ToolDefinition } from '../tool/definition.js';
import { unconnectedServer } from './unconnected.js';

const written = new WeakMap<ToolDefinition, Tool>();

/** A tool as it stands in a list. */
export function listedTool(tool: ToolDefinition): Tool {
  let entry = written.get(tool);
  if (entry === undefined) {
    entry = write(tool);
    written.set(tool, entry);
  }
  // A copy, because whoever handles a list may change it.
  return { ...entry };
}

const nobody = {} as ServerContext;

function write({ name, registration, inputSchema }: ToolDefinition): Tool {
  const { mcp, handlers } = unconnectedServer();
  const config = inputSchema === undefined ? registration : { inputSchema, ...registration };
  mcp.registerTool(name, config, () => ({ content: [] }));
  const list = handlers.get('tools/list');
  const { tools } = list?.({ method: 'tools/list' }, nobody) as ListToolsResult;
  const [entry] = tools;
  if (entry === undefined) throw new Error(`Tool ${name} is not listed`);
  // The SDK takes it out of every entry that has it; ours never have one.
  const { execution: _, ...shown } = entry;
  return shown;
}
