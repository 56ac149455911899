/**
 * The way in: attaches definitions to a server, beside whatever handlers it has. Cheap, because
 * HTTP builds a server per request; all analysis was done when the definitions were made.
 */
import type { McpRequestContext, McpServer, Server } from '@modelcontextprotocol/server';
import { isKind } from '../../define/brand.js';
import { InvalidGraphError } from '../../errors.js';
import { attachToMcpServer } from './attachMcpServer.js';
import { attachToServer } from './attachServer.js';
import { protect } from '../boundary/boundary.js';
import type { Protection } from '../boundary/boundary.js';
import type { Tool, ToolDefinition } from '../tool/definition.js';
import { checkOptions } from './options.js';
import type { CheckedOptions, InstallOptions } from './options.js';
import { defaultPolicy, sealFor } from '../boundary/requestStateSeal.js';
import { isMcpServer, lowLevelServer } from './servers.js';

/**
 * Installs definitions on an `McpServer` or a low-level `Server`.
 *
 * @throws {@link InvalidGraphError} If what is given is not a server, or not a list of definitions.
 */
export function install(
  server: McpServer | Server,
  definitions: readonly Tool[],
  options?: InstallOptions,
): void {
  const checked = checkOptions(options);
  const wanted = namedBy(readDefinitions(definitions), checked.request);
  const target = lowLevelServer(server, 'install()');
  if (isMcpServer(server)) {
    protect(target, protection(target, checked));
    for (const tool of wanted) attachToMcpServer(server, tool, checked);
  } else {
    // Without a seal of the author's choice, a low-level Server's own handlers are left alone.
    const only = checked.seal === undefined ? { only: wanted.map(({ name }) => name) } : {};
    protect(target, { ...protection(target, checked), ...only });
    for (const tool of wanted) attachToServer(target, tool, checked);
  }
}

function protection(server: Server, { seal }: CheckedOptions): Protection {
  const policy = seal === undefined ? defaultPolicy() : seal['~policy'];
  return { seal: sealFor(policy, server), explicit: seal !== undefined };
}

function readDefinitions(definitions: readonly Tool[]): readonly ToolDefinition[] {
  if (!Array.isArray(definitions)) {
    throw invalid('the second argument is a list of definitions: install(server, [refundOrder]).');
  }
  return definitions.map((tool: Tool, index) => {
    if (isKind(tool, 'tool')) return tool['~definition'];
    throw invalid(
      `entry ${index} of the list is not a definition; make one with defineTool(name, config, body).`,
    );
  });
}

/**
 * Narrows the list to what an HTTP request names. The headers were checked against the body before
 * the server was made; a name that is not in the list changes nothing, so that the client gets the
 * usual error.
 */
function namedBy(
  tools: readonly ToolDefinition[],
  request: McpRequestContext | undefined,
): readonly ToolDefinition[] {
  const headers = request?.era === 'modern' ? request.requestInfo?.headers : undefined;
  if (headers?.get('mcp-method') !== 'tools/call') return tools;
  const named = tools.filter((tool) => tool.name === headers.get('mcp-name'));
  return named.length === 0 ? tools : named;
}

function invalid(problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `install(): ${problem}`);
}
