/**
 * Reads and writes the record of a call between rounds. A definition goes on with a call only if a
 * seal opened its state for this request, and if the record names this definition and the digest of
 * these arguments.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError, ToolError } from '../errors.js';
import { asciiJson, digest, randomId } from '../platform.js';
import { NO_PROGRESS } from '../engine/ledger.js';
import type { Progress } from '../engine/ledger.js';
import type { Plan } from '../plan/plan.js';
import { keepArguments } from '../state/seal.js';
import { decodeRecord, encodeRecord, largestContributor } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { askingCallIn, noteRun, setAskingCall } from './askingCall.js';
import type { AskingCall } from './askingCall.js';
import { invalidState, boundaryOf } from './requestBoundary.js';
import type { RequestBoundary } from './requestBoundary.js';
import type { Call, CallRequest, CallSpan } from './call.js';
import type { Callable } from './callable.js';
import { watchCall } from './callWatch.js';
import { isModern } from './clientFacts.js';
import { warnUnsealedRequest } from './operator.js';

/** The error of two calls in one request. The operator reads it, too, because the author can fix it. */
export class CallConflict extends ToolError {}

/** The part of a definition that a call begins with. */
export interface CallSubject extends Pick<Callable<unknown>, 'name' | 'plan' | 'once'> {
  /** The method, or the name of the function that another library calls. */
  readonly method: string;
}

/**
 * Returns the call that a request continues, or a new one at once. Clients of the legacy era begin
 * and end a call in one request.
 *
 * @throws {ProtocolError} If no seal opened the state for this request, if the call has taken
 *   longer than its policy allows, or if its record of `once` is in another store.
 */
export function beginCall(subject: CallSubject, request: CallRequest): Call | Promise<Call> {
  const { ctx, origin } = request;
  const { name, method, once, plan } = subject;
  const base: CallBase = {
    ...request,
    name,
    definition: `${method} ${name}`,
    once,
    isModern: isModern(request.protocolVersion),
    boundary: boundaryOf(ctx),
  };
  // Without resolvers, a definition reads no state.
  const hasState = base.isModern && plan.nodes.length > 0;
  if (!hasState || origin === 'nested' || origin === 'direct') return newCall(base);
  const { boundary } = base;
  if (boundary !== undefined) {
    keepArguments(boundary.received);
    if (boundary.request !== boundary.received) keepArguments(boundary.request);
  }
  const state = readState(base);
  const record = state === undefined ? undefined : decodeRecord(state);
  if (state === undefined || record === undefined) return newCall(base);
  // A pinned value replaces a computed one, so it is never read from unsealed state.
  if (boundary === undefined)
    return newCall(base, { progress: { ...record.progress, pins: NO_PROGRESS.pins } });
  if (isTaken(ctx, state)) return newCall(base);
  return goOn({ record, state }, base, boundary);
}

/** The part of a call that does not depend on its state. */
type CallBase = CallRequest & Pick<Call, 'name' | 'definition' | 'once' | 'isModern' | 'boundary'>;

/** The part of a call that its state determines. */
type CallState = Pick<Call, 'id' | 'span' | 'progress' | 'resumed' | 'conflict'>;

/** Creates a call, which is new unless its state is known. */
export function newCall(base: CallBase, known: Partial<CallState> = {}): Call {
  const { name, report, settings, boundary } = base;
  const { id = randomId(), span, progress = NO_PROGRESS, resumed = false, conflict } = known;
  const onUnexpectedError = (error: unknown): void => {
    report(error, { definition: name, callId: id, failed: false });
  };
  const watch = watchCall({ id, name, resumed, boundary, settings, onUnexpectedError });
  return { ...base, id, span, progress, resumed, conflict, onUnexpectedError, watch };
}

/**
 * Returns the state of a request if a call wrote it. A handler's own state can contain any text,
 * also one that looks like a record.
 *
 * @throws {ProtocolError} If a handler passes on another state than the one that the seal opened.
 */
function readState({ ctx, origin, boundary, settings }: CallBase): string | undefined {
  const state = ctx.mcpReq.requestState<string>();
  if (state === undefined || (boundary === undefined && origin === 'engine')) return state;
  // For a legacy client, the SDK can bring back the state that a call has returned in this request.
  if (boundary !== undefined && state === askingCallIn(ctx)?.sent) return state;
  const opened = boundary?.opened;
  if (opened?.state === state) return opened.isRecord ? state : undefined;
  const { method } = ctx.mcpReq;
  if (boundary === undefined) warnUnsealedRequest(settings.logger, method);
  throw invalidState(boundary?.seal.reject(new InvalidRequestStateError('unsealed'), method));
}

/** Returns true if another call of the request goes on, with this state or without. */
function isTaken(ctx: ServerContext, state: string): boolean {
  const asking = askingCallIn(ctx);
  return asking !== undefined && asking.sent !== state;
}

/** Returns true if a resolver declares a question. */
export function declaresQuestions({ nodes }: Plan): boolean {
  return nodes.some(({ resolver }) => resolver.options.asks !== undefined);
}

/**
 * Returns the digest of what a definition received: its arguments, or the uri of a resource, which
 * several definitions and templates can match.
 */
async function digestReceived({ seal, request }: RequestBoundary): Promise<string> {
  const { args, target } = await seal.bind(request);
  return request.method === 'resources/read' ? digest(asciiJson(target)) : args;
}

async function goOn(
  { record, state }: { readonly record: CallRecord; readonly state: string },
  base: CallBase,
  boundary: RequestBoundary,
): Promise<Call> {
  const { seal, request } = boundary;
  const { id, progress, definition, args, store, ...span } = record;
  if (definition !== base.definition) return conflictingCall(base);
  if (args !== (await digestReceived(boundary))) return conflictingCall(base);
  // Another call may have gone on in the meantime.
  if (isTaken(base.ctx, state)) return newCall(base);
  if (nowInSeconds() > span.deadline)
    throw invalidState(seal.reject(new InvalidRequestStateError('expired'), request.method));
  if (store !== base.once?.store.onlyIn)
    throw invalidState(seal.reject(anotherStoreError(base), request.method));
  const call = newCall(base, { id, span, progress, resumed: true });
  setAskingCall(base.ctx, call);
  return call;
}

/** Creates the error of a call that the store of its definition cannot know. */
function anotherStoreError({ name }: CallBase): InvalidRequestStateError {
  const cause = new Error(
    `The call began with another store for \`once\` of '${name}', which only its process could see. Create the store and the tool once, at module level, not in the function that creates a server. A call from before a restart ends in the same way.`,
  );
  return Object.assign(new InvalidRequestStateError('another store'), { cause });
}

/** Returns the call if the record is not its own. It fails if it asks. */
function conflictingCall(base: CallBase): Call {
  const conflict = new CallConflict(
    `The state of this request belongs to another call than this one of '${base.definition}': to another definition, or to other arguments. In every round, call the same function of toolHandler() with the same arguments. If a handler calls several of them, call the one that asks first.`,
  );
  return newCall(base, { conflict });
}

/**
 * Makes a call the only one of its request that asks. A call outside of any request has none.
 *
 * @throws {@link CallConflict} If another one asks, or the state of the request is of another one.
 */
export function claimRequest(call: Call): AskingCall | undefined {
  const { ctx, origin, conflict } = call;
  if (conflict !== undefined) throw conflict;
  if (origin === 'nested' || origin === 'direct') return undefined;
  const asking = askingCallIn(ctx) ?? setAskingCall(ctx, call);
  if (asking.call === call) return asking;
  throw new CallConflict(
    `'${call.definition}' cannot ask, because another call of the same request asks, and a request can continue only one. Call one function of toolHandler() in each request, or put the resolvers of both tools into one tool. If these are different requests, give each its own \`mcpReq.signal\`.`,
  );
}

/**
 * Makes a call without `once` the only one that runs its body on the answers of a request. Only a
 * handler can copy a request so that two of its calls go on with the same state.
 *
 * @throws {@link CallConflict} If another call has run its body on them.
 */
export function claimAnswers({ id, ctx, origin, resumed, definition }: Call): void {
  if (origin !== 'handler' || !resumed || noteRun(id, ctx)) return;
  throw new CallConflict(
    `'${definition}' cannot run, because this call has run in this request. Call one function of toolHandler() in each request. If the client sent the call again, add \`once\` to the tool, which returns the recorded result, or pass on \`mcpReq.id\` of the host's context, which tells requests apart.`,
  );
}

/**
 * Returns the encoded record of a call that has to ask. The first question sets the deadline of the
 * call, and later rounds keep it.
 *
 * @throws {Error} If no seal covers the request, or the sealed state would be larger than
 *   `maxStateBytes`.
 */
export async function keepRecord(call: Call, progress: Progress): Promise<string> {
  const { boundary } = call;
  if (boundary === undefined && call.origin === 'request') throw new Error(NO_SEAL);
  // An unsealed record needs neither arguments nor a deadline, because every round is a new call.
  const args = boundary === undefined ? '' : await digestReceived(boundary);
  const { id, definition, span = spanFromNow(boundary?.seal.policy.maxFlowSeconds ?? 0) } = call;
  const store = call.once?.store.onlyIn;
  const text = encodeRecord({ id, definition, args, store, ...span, progress });
  if (boundary === undefined) return text;
  assertFits(text, progress, boundary);
  boundary.reply.record = text;
  return text;
}

/** The error of a call that no seal protects. */
export const NO_SEAL =
  'No seal covers this request, so the state of the call would leave the server unsealed. Call install() on the server that receives the request.';

/**
 * Returns the record of a call that waits at a place. The place knows its arguments.
 *
 * @throws {Error} If the record would be larger than `maxStateBytes`.
 */
export function parkedRecord(call: Call, progress: Progress): CallRecord {
  const { id, definition, boundary } = call;
  if (boundary === undefined) throw new Error(NO_SEAL);
  const { span = spanFromNow(boundary.seal.policy.maxFlowSeconds) } = call;
  const record = { id, definition, args: '', ...span, progress };
  assertFits(encodeRecord(record), progress, boundary);
  return record;
}

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
