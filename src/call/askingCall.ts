/**
 * Lets only one call ask in each request. The answers and the state of a request belong to one
 * call, so a second definition that a handler calls in the same request must neither ask nor go on
 * with the call of the first.
 *
 * Hosts copy contexts and may replace the signal. So a request is known by its signal, its answers
 * and its boundary, or by a function of its context together with its id and origin. All copies of
 * this package share the calls.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { lazily } from '../platform.js';
import { isObject } from '../values.js';
import { boundaryOf } from './requestBoundary.js';

/** The call that asks in a request. */
export interface AskingCall {
  readonly call: object;
  /** The parts that identify the request together with a function of its context. */
  readonly request: readonly unknown[];
  /** The state that it returned. For a legacy client, the SDK brings it back in the same request. */
  sent?: string;
}

const ASKING_CALL = Symbol.for('mcp-resolve.askingCall');
const ASKING_CALLS = Symbol.for('mcp-resolve.askingCalls');

type Calls = WeakMap<object, AskingCall>;
type NextContext = ServerContext & { readonly [ASKING_CALL]?: AskingCall };

/** The calls of the process, or of this copy if `globalThis` cannot be extended. */
const calls = /* @__PURE__ */ lazily((): Calls => {
  const shared = globalThis as { [ASKING_CALLS]?: Calls };
  const found = shared[ASKING_CALLS] ?? new WeakMap<object, AskingCall>();
  if (Object.isExtensible(shared)) shared[ASKING_CALLS] = found;
  return found;
});

/** Returns the objects that only one request has. */
function identitiesOf(ctx: ServerContext): readonly object[] {
  const { signal, inputResponses } = ctx.mcpReq;
  return [signal, inputResponses, boundaryOf(ctx)?.received].filter((one) => isObject(one));
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
    const asking = calls().get(identity);
    if (asking !== undefined) return asking;
  }
  const shared = functionOf(ctx);
  const asking = shared && calls().get(shared);
  const same = asking && requestOf(ctx).every((part, index) => part === asking.request[index]);
  return same ? asking : ctx[ASKING_CALL];
}

/** Makes a call the one that asks in its request. */
export function setAskingCall(ctx: ServerContext, call: object): AskingCall {
  const asking: AskingCall = { call, request: requestOf(ctx) };
  const shared = functionOf(ctx);
  for (const identity of identitiesOf(ctx)) calls().set(identity, asking);
  if (shared !== undefined) calls().set(shared, asking);
  return asking;
}

/** Returns a copy of the context that keeps the call that asks in its request. */
export function withAskingCall(ctx: ServerContext, asking: AskingCall): ServerContext {
  return Object.assign({}, ctx, { [ASKING_CALL]: asking });
}
