/**
 * Lets only one call ask in each request. The answers and the state of a request belong to one
 * call, so a second definition that a handler calls in the same request must neither ask nor go on
 * with the call of the first.
 *
 * Hosts copy contexts and may replace the signal. So a request is known by its signal, its answers
 * and its boundary, or by a function of its context together with its id and origin. If a host
 * copies all of them, two calls can go on with one answer, but only one of them may run its body.
 * All copies of this package share the calls.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { lazily } from '../platform.js';
import { boundaryOf } from './requestBoundary.js';

/** The call that asks in a request. */
export interface AskingCall {
  /** The object of the call, which {@link replaceAskingCall} replaces. */
  call: object;
  /** The parts that identify the request together with a function of its context. */
  readonly request: readonly unknown[];
  /** The state that it returned. For a legacy client, the SDK brings it back in the same request. */
  sent?: string;
}

const ASKING_CALL = Symbol.for('mcp-resolve.askingCall');
const ASKING_CALLS = Symbol.for('mcp-resolve.askingCalls');

interface Calls {
  /** The calls that ask, by what identifies their requests. */
  readonly asking: WeakMap<object, AskingCall>;
  /** The calls of handlers whose bodies ran, with the ids of their requests, the newest last. */
  readonly ran: Set<string>;
}

/** More bodies do not run between two calls of one request. */
const MAX_RAN = 10_000;
const LONGEST_ID = 64;

type NextContext = ServerContext & { readonly [ASKING_CALL]?: AskingCall };

/** Returns the calls of the process, or of this copy if `globalThis` cannot be extended. */
const calls = /* @__PURE__ */ lazily((): Calls => {
  const shared = globalThis as { [ASKING_CALLS]?: Calls };
  const found = shared[ASKING_CALLS] ?? { asking: new WeakMap(), ran: new Set() };
  if (Object.isExtensible(shared)) shared[ASKING_CALLS] = found;
  return found;
});

/** Returns the objects that only one request has. */
function identitiesOf(ctx: ServerContext): readonly object[] {
  const { signal, inputResponses } = ctx.mcpReq;
  const parts: readonly unknown[] = [signal, inputResponses, boundaryOf(ctx)?.received];
  return parts.filter((one): one is object => typeof one === 'object' && one !== null);
}

/**
 * Returns a function that the SDK creates for each request. A host may replace it by one that many
 * requests share, so it identifies a request only together with {@link requestOf}.
 */
function functionOf({ mcpReq }: ServerContext): object | undefined {
  const { id, elicitInput } = mcpReq as Partial<ServerContext['mcpReq']>;
  return id !== undefined && typeof elicitInput === 'function' ? elicitInput : undefined;
}

/** Returns the id of a request and what it came in. Users of one host may send the same ids. */
function requestOf({ mcpReq, http, sessionId }: ServerContext): readonly unknown[] {
  return [mcpReq.id, mcpReq.envelope, http, sessionId];
}

/** Returns the call that asks in the request of a context, or `undefined` if there is none. */
export function askingCallIn(ctx: NextContext): AskingCall | undefined {
  for (const identity of identitiesOf(ctx)) {
    const asking = calls().asking.get(identity);
    if (asking !== undefined) return asking;
  }
  const shared = functionOf(ctx);
  const asking = shared && calls().asking.get(shared);
  const same = asking && requestOf(ctx).every((part, index) => part === asking.request[index]);
  return same ? asking : ctx[ASKING_CALL];
}

/** Makes a call the one that asks in its request. */
export function setAskingCall(ctx: ServerContext, call: object): AskingCall {
  const asking: AskingCall = { call, request: requestOf(ctx) };
  const shared = functionOf(ctx);
  for (const identity of identitiesOf(ctx)) calls().asking.set(identity, asking);
  if (shared !== undefined) calls().asking.set(shared, asking);
  return asking;
}

/** Lets a call go on as another object. If it was the one that asks, it still is. */
export function replaceAskingCall(ctx: ServerContext, call: object, by: object): void {
  const asking = askingCallIn(ctx);
  if (asking?.call === call) asking.call = by;
}

/** Returns a copy of the context that keeps the call that asks in its request. */
export function withAskingCall(ctx: ServerContext, asking: AskingCall): ServerContext {
  return Object.assign({}, ctx, { [ASKING_CALL]: asking });
}

/**
 * Notes that the body of a call runs in a request. Returns false if it has run in this request, or
 * in any request if the host does not tell their ids. The client chooses an id, so a long one
 * counts as none. A part of it would keep all of it in memory.
 */
export function noteRun(callId: string, { mcpReq }: ServerContext): boolean {
  const id = String(mcpReq.id);
  const run = id.length > LONGEST_ID ? callId : `${callId} ${id}`;
  const { ran } = calls();
  if (ran.has(run)) return false;
  ran.add(run);
  const [oldest] = ran;
  if (oldest !== undefined && ran.size > MAX_RAN) ran.delete(oldest);
  return true;
}
