/**
 * Leaves definitions out of lists for clients that could not answer their questions. Looked at anew
 * for each listing: on the modern era every request says what its client can do.
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../../define/schema.js';
import { wrapAll } from '../boundary/handlers.js';
import { clientFacts } from '../call/era.js';
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
export function hideFromSilent(
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
    return without(
      result,
      method,
      all.filter((one) => !isShown(one, server, ctx)),
    );
  });
}

function isShown({ definition }: Installed, server: Server, ctx: ServerContext): boolean {
  const { clientCapabilities = {} } = clientFacts(server, ctx);
  return definition.shownWith.every(({ isDeclaredIn }) => isDeclaredIn(clientCapabilities));
}

function without(result: Result, method: string, hidden: readonly Installed[]): Result {
  const [member, kind] = LISTS[method] ?? ['', 'tool'];
  const listed = result[member];
  const ours = hidden.filter((one) => one.kind === kind);
  if (!Array.isArray(listed) || ours.length === 0) return result;
  return {
    ...result,
    [member]: listed.filter((entry) => !ours.some((one) => isEntry(one, entry))),
  };
}

/** Whether an entry of a list stands for a definition: a template's name, a uri, or a name. */
function isEntry({ kind, definition }: Installed, entry: unknown): boolean {
  if (!isObject(entry)) return false;
  if (kind === 'resource' && typeof entry.uri === 'string')
    return definition.address.matches(entry.uri);
  return entry.name === definition.name;
}
