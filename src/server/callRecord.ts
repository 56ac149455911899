/**
 * Reads and writes the record of a call between rounds. A definition goes on with a call only if a
 * seal opened its state for this request, and if the record names this definition and the digest of
 * these arguments.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError, ToolError } from '../errors.js';
import { randomId } from '../platform.js';
import { NO_PROGRESS } from '../engine/ledger.js';
import type { Progress } from '../engine/ledger.js';
import { decodeRecord, encodeRecord, largestContributor } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import type { Logger } from '../state/warnings.js';
import { askingCallIn, setAskingCall } from './askingCall.js';
import { invalidState, boundaryOf } from './boundary.js';
import type { RequestBoundary } from './boundary.js';
import { isModern } from './clientFacts.js';
import type { ClientFacts } from './clientFacts.js';
import { warnUnsealedRequest } from './operator.js';

/** The definition of a call, and the code that calls it. */
export interface CallSubject {
  /** The method and the name of the definition, such as `tools/call refund`. */
  readonly definition: string;
  /**
   * `request`: a server or a handler, whose state must be sealed. `engine`: another library, whose
   * state may be unsealed. `author`: a direct call, which has no state.
   */
  readonly origin: 'request' | 'engine' | 'author';
}

/** A call at the beginning of a round. */
export interface CurrentCall extends CallSubject {
  /** The same in all rounds of a sealed call. */
  readonly id: string;
  /** The time span of the call. `undefined` if it has not asked. */
  readonly span: CallSpan | undefined;
  readonly progress: Progress;
  /** True if sealed state proves that the call continues an earlier round. */
  readonly resumed: boolean;
  /** The error that ends the call, because the state belongs to another one. */
  readonly conflict?: CallConflict;
}

/**
 * The error of two calls in one request. It is a mistake of the author, so the operator reads it,
 * too.
 */
export class CallConflict extends ToolError {}

/** The times, in seconds since the epoch, of a call's first question and of its deadline. */
export type CallSpan = Pick<CallRecord, 'start' | 'deadline'>;

/** The request that begins or continues a call. */
export interface CallStart extends ClientFacts, CallSubject {
  readonly ctx: ServerContext;
  /** True if the definition has resolvers. Without them, it reads no state. */
  readonly resolves: boolean;
  readonly logger: Logger;
}

/**
 * Returns the call that a request continues, or a new one at once. Clients of the 2025 era begin
 * and end a call in one request.
 *
 * @throws {ProtocolError} If no seal opened the state for this request, or if the call has taken
 *   longer than its policy allows.
 */
export function beginCall(start: CallStart): CurrentCall | Promise<CurrentCall> {
  const { ctx, resolves, origin, protocolVersion } = start;
  if (!resolves || origin === 'author' || !isModern(protocolVersion)) return newCall(start);
  const boundary = boundaryOf(ctx);
  // Before the author's code, which can change the arguments.
  void boundary?.seal.bind(boundary.request);
  const state = readState(start, boundary);
  const record = decodeRecord(state);
  if (state === undefined || record === undefined) return newCall(start);
  // A pinned value replaces a computed one, so it is never read from unsealed state.
  if (boundary === undefined) return newCall(start, { ...record.progress, pins: NO_PROGRESS.pins });
  return isTaken(ctx, state) ? newCall(start) : goOn({ record, state }, start, boundary);
}

function newCall(
  { definition, origin }: CallSubject,
  progress: Progress = NO_PROGRESS,
): CurrentCall {
  return { id: randomId(), definition, origin, span: undefined, progress, resumed: false };
}

/**
 * Returns the state of a request.
 *
 * @throws {ProtocolError} If a handler passes on another state than the one that the seal opened.
 */
function readState(
  { ctx, origin, logger }: CallStart,
  boundary: RequestBoundary | undefined,
): string | undefined {
  const state = ctx.mcpReq.requestState<string>();
  if (boundary === undefined && origin === 'engine') return state;
  const isOpened = boundary !== undefined && state === boundary.opened?.state;
  // For a 2025 client, the SDK can bring back the state that a call has returned in this request.
  const isOwn = boundary !== undefined && state === askingCallIn(ctx)?.sent;
  if (state === undefined || isOpened || isOwn) return state;
  const { method } = ctx.mcpReq;
  if (boundary === undefined) warnUnsealedRequest(logger, method);
  throw invalidState(boundary?.seal.reject(new InvalidRequestStateError('unsealed'), method));
}

/** Returns true if another call of the request goes on, with this state or without. */
function isTaken(ctx: ServerContext, state: string): boolean {
  const asking = askingCallIn(ctx);
  return asking !== undefined && asking.sent !== state;
}

async function goOn(
  { record, state }: { readonly record: CallRecord; readonly state: string },
  start: CallStart,
  { seal, request }: RequestBoundary,
): Promise<CurrentCall> {
  const { id, progress, definition, args, ...span } = record;
  const call: CurrentCall = { ...newCall(start, progress), id, span, resumed: true };
  if (definition !== start.definition) return otherCall(start);
  if (args !== (await seal.bind(request)).args) return otherCall(start);
  // Another call may have gone on in the meantime.
  if (isTaken(start.ctx, state)) return newCall(start);
  setAskingCall(start.ctx, call);
  if (nowInSeconds() <= span.deadline) return call;
  throw invalidState(seal.reject(new InvalidRequestStateError('expired'), request.method));
}

function otherCall(start: CallStart): CurrentCall {
  const conflict = new CallConflict(
    `The state of this request belongs to another call than this one of '${start.definition}': to another definition, or to other arguments. In every round, call the same function of toolHandler() with the same arguments. If a handler calls several of them, call the one that asks first.`,
  );
  return { ...newCall(start), conflict };
}

/**
 * Makes a call the only one of its request that asks.
 *
 * @throws {@link CallConflict} If another one asks.
 */
export function claimRequest(call: CurrentCall, ctx: ServerContext): void {
  if (call.origin === 'author') return;
  const asking = askingCallIn(ctx);
  if (asking === undefined) setAskingCall(ctx, call);
  if (asking === undefined || asking.call === call) return;
  throw new CallConflict(
    `'${call.definition}' cannot ask, because another call of the same request asks, and a request can continue only one. Call one function of toolHandler() in each request, or put the resolvers of both tools into one tool. If these are different requests, give each its own \`mcpReq.signal\`.`,
  );
}

/**
 * Returns the encoded record of a call that has to ask, and notes that the request sent it. The
 * first question sets the deadline of the call, and later rounds keep it.
 *
 * @throws {Error} If no seal covers the request, or the sealed state would be larger than
 *   `maxStateBytes`.
 */
export async function keepRecord(
  call: CurrentCall,
  progress: Progress,
  ctx: ServerContext,
): Promise<string> {
  const boundary = boundaryOf(ctx);
  if (boundary === undefined && call.origin === 'request') throw new Error(NO_SEAL);
  // An unsealed record needs neither arguments nor a deadline, because every round is a new call.
  const args = boundary === undefined ? '' : (await boundary.seal.bind(boundary.request)).args;
  const { id, definition, span = spanFromNow(boundary?.seal.policy.maxFlowSeconds ?? 0) } = call;
  const text = encodeRecord({ id, definition, args, ...span, progress });
  if (boundary !== undefined) assertFits(text, progress, boundary);
  const asking = askingCallIn(ctx);
  if (asking !== undefined) asking.sent = text;
  return text;
}

const NO_SEAL =
  'No seal covers this request, so the state of the call would leave the server unsealed. Call install() on the server that receives the request.';

/** @throws {Error} If the state would be too large. */
function assertFits(text: string, progress: Progress, { seal, request }: RequestBoundary): void {
  const { maxStateBytes } = seal.policy;
  const size = seal.sizeOf(text, request);
  if (size <= maxStateBytes) return;
  const largest = largestContributor(progress);
  const hint =
    largest === undefined
      ? ''
      : ` The largest ${largest.what} is that of '${largest.key}' with ${largest.bytes} bytes.`;
  throw new Error(
    `The state between rounds would take about ${size} bytes, but \`maxStateBytes\` allows only ${maxStateBytes}.${hint} Pin less, ask for less, or raise \`maxStateBytes\`.`,
  );
}

function spanFromNow(seconds: number): CallSpan {
  const start = nowInSeconds();
  return { start, deadline: start + seconds };
}

function nowInSeconds(): number {
  return Date.now() / 1000;
}
