/**
 * Attaches prompts and resources to a low-level Server. They are registered on a backing McpServer
 * that is never connected. Its handlers list, match and complete them for the low-level Server.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { Server } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import { registerPrompt, registerResource } from './attachMcpServer.js';
import { shareMethod } from './sharedMethods.js';
import type { Share, SharedHandler } from './sharedMethods.js';
import type { Installed } from './definitions.js';
import type { CheckedOptions } from './installOptions.js';

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
  server: Server,
  added: PromptOrResource,
  options: CheckedOptions,
): void {
  const backing = backingServerOf(server);
  const site = { mcp: backing.mcp, server, options };
  if (added.kind === 'prompt') registerPrompt(site, added.definition);
  else registerResource(site, added.definition);
  backing.definitions.push(added);
  for (const [method, answer] of backing.handlers) {
    if (backing.shared.has(method)) continue;
    backing.shared.add(method);
    declare(server, method);
    shareMethod(server, method, { answer, ...partIn(method, backing) } as Share);
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

/** The properties that hold the entries of listings, by method. */
const LISTS: Readonly<Record<string, string>> = {
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

function partIn(method: string, { definitions }: BackingServer): object {
  const list = LISTS[method];
  if (list !== undefined) return { list };
  if (method === 'completion/complete') {
    return { owns: ({ ref }: { ref?: unknown }) => definitions.some((one) => isAbout(ref, one)) };
  }
  const owns = ({ name, uri }: { name?: unknown; uri?: unknown }): boolean =>
    definitions.some(({ definition: { address } }) => {
      const target = method === 'resources/read' ? uri : name;
      return address.method === method && address.matches(String(target));
    });
  return { owns };
}

/** Returns true if a completion request refers to a definition. */
function isAbout(ref: unknown, { kind, definition }: PromptOrResource): boolean {
  if (!isObject(ref)) return false;
  if (kind === 'prompt') return ref.type === 'ref/prompt' && ref.name === definition.name;
  const { location } = definition;
  const shown = typeof location === 'string' ? location : location.uriTemplate.toString();
  return ref.type === 'ref/resource' && ref.uri === shown;
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
