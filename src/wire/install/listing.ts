/**
 * Lists tools without registering them all, for a server that HTTP makes for one `tools/list` and
 * nothing else: the first is registered, and in the list all of them stand in its place.
 */
import type { Tool } from '@modelcontextprotocol/server';
import { handlersOf } from '../boundary/handlers.js';
import type { ToolDefinition } from '../tool/definition.js';
import { registerTool } from './attachMcpServer.js';
import type { Site } from './attachMcpServer.js';
import { listedTool } from './listed.js';

/** Puts tools into the list of a server. */
export function listTools(site: Site, tools: readonly ToolDefinition[]): void {
  const [first] = tools;
  if (first === undefined) return;
  registerTool(site, first);
  handlersOf(site.server).replace('tools/list', (_, list) => async (request, ctx) => {
    const result = await list(request, ctx);
    return { ...result, tools: inPlaceOf(first, tools, result.tools as readonly Tool[]) };
  });
}

/** @throws {Error} If one of the tools is in the list already, as it would if it was registered. */
function inPlaceOf(
  first: ToolDefinition,
  tools: readonly ToolDefinition[],
  listed: readonly Tool[],
): Tool[] {
  const names = new Set(tools.map(({ name }) => name));
  const twice = listed.find(({ name }) => name !== first.name && names.has(name));
  if (twice !== undefined) throw new Error(`Tool ${twice.name} is already registered`);
  return listed.flatMap((one) => (one.name === first.name ? tools.map(listedTool) : one));
}
