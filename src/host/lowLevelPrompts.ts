/**
 * Attaches prompts and resources to a low-level Server. They are registered on a backing McpServer
 * that is never connected. Its handlers list, match and complete them for the low-level Server.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { registerPrompt, registerResource } from './attachMcpServer.js';
import { answer, declareCapability } from './lowLevelAnswers.js';
import type { SdkHandler } from './lowLevelAnswers.js';
import { ensureRoutes } from './sdkInternals.js';
import type { Definition } from '../definition/definitions.js';
import type { Installation } from './attachMcpServer.js';

type PromptOrResource = Exclude<Definition, { readonly kind: 'tool' }>;

interface BackingServer {
  readonly mcp: McpServer;
  /** The handlers that the McpServer has set so far. */
  readonly handlers: Map<string, SdkHandler>;
}

const BACKING_SERVER = Symbol.for('mcp-resolve.backing');

export function addPromptOrResource(
  { server, options }: Installation,
  added: PromptOrResource,
): void {
  const { mcp, handlers } = ensureBacking(server);
  const installation = { mcp, server, options };
  if (added.kind === 'prompt') registerPrompt(installation, added);
  else registerResource(installation, added);
  const routes = ensureRoutes<ServerContext>(server);
  for (const [method, handler] of handlers) {
    if (routes.hasRoute(method)) continue;
    declareCapability(server, capabilityOf(method));
    answer(server, options, { [method]: handler });
  }
}

/** Returns the objects of the backing server of a server, if it has one. */
export function backingObjects(server: Server & { [BACKING_SERVER]?: BackingServer }): object[] {
  const backing = server[BACKING_SERVER];
  return backing === undefined ? [] : [backing, backing.mcp, backing.mcp.server];
}

function ensureBacking(server: Server & { [BACKING_SERVER]?: BackingServer }): BackingServer {
  const known = server[BACKING_SERVER];
  if (known !== undefined) return known;
  const handlers = new Map<string, SdkHandler>();
  const mcp = new McpServer({ name: 'backing', version: '0.0.0' });
  // Collects the handlers for the outer server, because the backing server has no client.
  Object.defineProperty(mcp.server, 'setRequestHandler', {
    value: (method: string, handler: SdkHandler) => handlers.set(method, handler),
  });
  const backing: BackingServer = { mcp, handlers };
  Object.defineProperty(server, BACKING_SERVER, { value: backing, configurable: true });
  return backing;
}

function capabilityOf(method: string): 'prompts' | 'resources' | 'completions' {
  if (method.startsWith('prompts/')) return 'prompts';
  return method.startsWith('resources/') ? 'resources' : 'completions';
}
