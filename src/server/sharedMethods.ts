/**
 * A method of a low-level Server that our definitions share with its author's handler: ours answer
 * for what they own, the author's for everything else, whether it was set before or is set later.
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { handlersOf, replaceComing } from './sdkInternals.js';
import type { Handler } from './sdkInternals.js';

/** A request, as far as it matters for whose it is. */
export interface SharedRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A handler as the SDK takes it. */
export type SharedHandler = (
  request: SharedRequest,
  ctx: ServerContext,
) => Result | Promise<Result>;

/** Our part in a method: to answer what we own, or to add to a list. */
export type Share = { readonly answer: SharedHandler } & (
  | { readonly owns: (params: Readonly<Record<string, unknown>>) => boolean }
  | { readonly list: string }
);

/** Answers a method beside its author. */
export function shareMethod(server: Server, method: string, share: Share): void {
  const handlers = handlersOf(server);
  let theirs = handlers.has(method) ? handlers.get(method) : undefined;
  const route: SharedHandler = (request, ctx) => {
    if ('list' in share) return joined(share.list, { request, ctx, ours: share.answer, theirs });
    if (theirs === undefined || share.owns(request.params ?? {})) return share.answer(request, ctx);
    return theirs(request, ctx);
  };
  const set = server.setRequestHandler.bind(server) as (m: string, h: SharedHandler) => void;
  set(method, route);
  const ours = handlers.get(method);
  replaceComing(server, method, (_, handler) => {
    theirs = handler;
    return ours ?? handler;
  });
}

interface Listing {
  readonly request: SharedRequest;
  readonly ctx: ServerContext;
  readonly ours: SharedHandler;
  readonly theirs: Handler | undefined;
}

/** Their list and ours; ours stands on the first page. */
async function joined(member: string, { request, ctx, ours, theirs }: Listing): Promise<Result> {
  const listed = await theirs?.(request, ctx);
  if (listed !== undefined && request.params?.cursor !== undefined) return listed;
  const added = await ours(request, ctx);
  return { ...listed, [member]: [...membersOf(listed, member), ...membersOf(added, member)] };
}

function membersOf(result: Result | undefined, member: string): readonly unknown[] {
  const members = result?.[member];
  return Array.isArray(members) ? members : [];
}
