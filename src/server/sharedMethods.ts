/**
 * Shares a method of a low-level Server between definitions and the author's handler. The
 * definitions answer the requests that they own. The author's handler answers all others, even if
 * it is set later.
 */
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { handlersOf, replaceComing } from './sdkInternals.js';
import type { Handler } from './sdkInternals.js';

/** The part of a request that decides which handler answers it. */
export interface SharedRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A handler that the SDK accepts. */
export type SharedHandler = (
  request: SharedRequest,
  ctx: ServerContext,
) => Result | Promise<Result>;

/**
 * The library's part in a method: it answers the requests that it owns, or adds entries to a
 * listing.
 */
export type Share = { readonly answer: SharedHandler } & (
  | { readonly owns: (params: Readonly<Record<string, unknown>>) => boolean }
  | { readonly list: string }
);

/** Answers a method together with the author's handler. */
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

/** Joins the author's entries with the library's. The library's are on the first page. */
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
