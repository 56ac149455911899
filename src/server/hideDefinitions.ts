/**
 * Hides definitions from listings for clients that cannot answer their questions. Every listing
 * checks this, because in the modern era each request declares the capabilities of its client.
 */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Capability } from '../question/capability.js';
import { handlersOf } from './sdkInternals.js';
import { clientFacts, isModern } from './clientFacts.js';
import type { Installed } from './definitions.js';
import { isEntry, LISTINGS } from './requestMatching.js';

const HIDDEN = Symbol.for('mcp-resolve.hidden');

/** Hides definitions with `hideWhenCannotAsk` from clients that cannot answer their questions. */
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
  handlersOf(server).wrapAll([...LISTINGS.keys()], (method, handler) => async (request, ctx) => {
    const result = await handler(request, ctx);
    const { member = '', kind } = LISTINGS.get(method) ?? {};
    const ours = all.filter((one) => one.kind === kind);
    const listed = result[member];
    if (!Array.isArray(listed) || ours.length === 0) return result;
    const absent = ours.filter(({ definition }) => !isShown(definition, server, ctx));
    return {
      ...result,
      [member]: listed.filter((entry) => !absent.some((one) => isEntry(one, entry))),
      // The result depends on the client, so a shared cache must not keep it.
      ...(isModern(server.getNegotiatedProtocolVersion()) && { cacheScope: 'private' }),
    };
  });
}

/** Returns true if the client of a request may see a definition. */
export function isShown(
  { shownWith }: { readonly shownWith: readonly Capability[] },
  server: Server,
  ctx: ServerContext,
): boolean {
  const { clientCapabilities = {} } = clientFacts(server, ctx);
  return shownWith.every(({ isDeclaredIn }) => isDeclaredIn(clientCapabilities));
}
