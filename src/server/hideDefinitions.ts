/**
 * Leaves definitions out of lists for clients that could not answer their questions. Looked at anew
 * for each listing: on the modern era every request says what its client can do.
 */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import type { Capability } from '../question/capability.js';
import { wrapAll } from './sdkInternals.js';
import { clientFacts, isModern } from './clientFacts.js';
import type { Installed } from './definitions.js';

const HIDDEN = Symbol.for('mcp-resolve.hidden');

/** The lists, the member that holds them, and the definitions that stand there. */
const LISTS: Readonly<Record<string, readonly [member: string, kind: Installed['kind']]>> = {
  'tools/list': ['tools', 'tool'],
  'prompts/list': ['prompts', 'prompt'],
  'resources/list': ['resources', 'resource'],
  'resources/templates/list': ['resourceTemplates', 'resource'],
};

/** Hides definitions, where their authors want it, from clients that cannot be asked. */
export function hideFromIncapable(
  server: Server & { [HIDDEN]?: Installed[] },
  installed: readonly Installed[],
): void {
  const hidden = installed.filter(({ definition }) => definition.shownWith.length > 0);
  if (hidden.length === 0) return;
  const known = server[HIDDEN];
  if (known !== undefined) {
    known.push(...hidden);
    return;
  }
  const all = [...hidden];
  Object.defineProperty(server, HIDDEN, { value: all });
  wrapAll(server, Object.keys(LISTS), (method, handler) => async (request, ctx) => {
    const result = await handler(request, ctx);
    const [member = '', kind] = LISTS[method] ?? [];
    const ours = all.filter((one) => one.kind === kind);
    const listed = result[member];
    if (!Array.isArray(listed) || ours.length === 0) return result;
    const absent = ours.filter(({ definition }) => !isShown(definition, server, ctx));
    return {
      ...result,
      [member]: listed.filter((entry) => !absent.some((one) => isEntry(one, entry))),
      // What depends on who asks is not for everybody's cache.
      ...(isModern(server.getNegotiatedProtocolVersion()) && { cacheScope: 'private' }),
    };
  });
}

/** Whether the client of a request gets to see a definition. */
export function isShown(
  { shownWith }: { readonly shownWith: readonly Capability[] },
  server: Server,
  ctx: ServerContext,
): boolean {
  const { clientCapabilities = {} } = clientFacts(server, ctx);
  return shownWith.every(({ isDeclaredIn }) => isDeclaredIn(clientCapabilities));
}

/**
 * Whether an entry of a list stands for a definition: by its uri or its name. What a template lists
 * is seen to where it is registered, because a uri that it matches may be somebody else's.
 */
function isEntry({ kind, definition }: Installed, entry: unknown): boolean {
  if (!isObject(entry)) return false;
  if (kind === 'resource' && typeof entry.uri === 'string')
    return entry.uri === definition.address.target;
  const isTemplate = kind === 'resource' && definition.address.target === undefined;
  return entry.name === definition.name && (kind !== 'resource' || isTemplate);
}
