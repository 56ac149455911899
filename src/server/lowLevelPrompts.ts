/**
 * Attaches prompts and resources to a low-level Server. They are registered on a backing McpServer
 * that is never connected. Its handlers list, match and complete them for the low-level Server.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { Server } from '@modelcontextprotocol/server';
import { registerPrompt, registerResource } from './attachMcpServer.js';
import { answerShared } from './sharedMethods.js';
import type { SharedHandler } from './sharedMethods.js';
import type { Installed } from './definitions.js';
import type { LowLevelSite } from './attachMcpServer.js';

type PromptOrResource = Exclude<Installed, { readonly kind: 'tool' }>;

interface BackingServer {
  readonly mcp: McpServer;
  /** The handlers that the McpServer has set so far. */
  readonly handlers: Map<string, SharedHandler>;
  readonly definitions: PromptOrResource[];
  /** The methods that the outer server answers with these handlers. */
  readonly shared: Set<string>;
}

const BACKING_SERVER = Symbol.for('mcp-resolve.backing');

/** Adds a prompt or a resource to a server. */
export function addPromptOrResource(
  { server, options, undo }: LowLevelSite,
  added: PromptOrResource,
): void {
  const backing = backingServerOf(server);
  const site = { mcp: backing.mcp, server, options, undo };
  if (added.kind === 'prompt') registerPrompt(site, added.definition);
  else registerResource(site, added.definition);
  backing.definitions.push(added);
  undo.push(() => void backing.definitions.pop());
  const { logger } = options;
  for (const [method, answer] of backing.handlers) {
    if (backing.shared.has(method)) continue;
    declare(server, method);
    backing.shared.add(method);
    answerShared(server, method, { answer, definitions: backing.definitions, logger });
  }
}

function backingServerOf(server: Server & { [BACKING_SERVER]?: BackingServer }): BackingServer {
  const known = server[BACKING_SERVER];
  if (known !== undefined) return known;
  const handlers = new Map<string, SharedHandler>();
  const mcp = new McpServer({ name: 'backing', version: '0.0.0' });
  // Collects the handlers for the outer server, because the backing server has no client.
  Object.defineProperty(mcp.server, 'setRequestHandler', {
    value: (method: string, handler: SharedHandler) => handlers.set(method, handler),
  });
  const backing: BackingServer = { mcp, handlers, definitions: [], shared: new Set() };
  Object.defineProperty(server, BACKING_SERVER, { value: backing });
  return backing;
}

/** Declares the capability of a method, unless the author has declared it. */
function declare(server: Server, method: string): void {
  const capability = method.startsWith('prompts/')
    ? 'prompts'
    : method.startsWith('resources/')
      ? 'resources'
      : 'completions';
  if (server.getCapabilities()[capability] === undefined)
    server.registerCapabilities({ [capability]: {} });
}
