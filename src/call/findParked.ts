/**
 * Looks up whether a call waits at a place, before any resolver runs. A call is known by everything
 * that it may depend on: audience, method, name, principal and validated arguments. So any client
 * of the same principal continues it by making it again.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '../engine/ledger.js';
import type { ToolError } from '../errors.js';
import { canonicalJson, dataDigest } from '../state/canonical.js';
import { recordUser } from '../store/recordStore.js';
import type { Caller } from '../state/seal.js';
import { replaceAskingCall } from './askingCall.js';
import type { Call } from './call.js';
import { newCall, NO_SEAL } from './callRecord.js';
import { refused } from './parking.js';
import type { Parking, ParkingPlace, TaskReplay } from './parking.js';
import type { RequestBoundary } from './requestBoundary.js';

/**
 * Returns the call as it goes on from its place, or the same call with its slot there.
 *
 * @throws {@link ToolError} If the call has no client or no principal, or if the store fails.
 */
export async function findParked(
  place: ParkingPlace,
  args: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<Call> {
  const { name, definition, ctx, origin, boundary } = call;
  if (origin !== 'request' && origin !== 'handler') throw directCallError(name);
  if (boundary === undefined) throw new Error(NO_SEAL);
  const { audience, principal } = await boundary.seal.callerOf(ctx);
  // Without principals, all users of a shared store or of an HTTP server would be one.
  const hasOneUser =
    place.store.onlyIn !== undefined && ctx.http === undefined && origin === 'request';
  if (principal === undefined && !hasOneUser) throw noPrincipalError();
  const key = await dataDigest([
    ...[audience ?? null, definition, principal ?? null],
    ...argumentsOf(args, boundary),
  ]);
  let current = call;
  const report = (error: unknown): void => current.onUnexpectedError(error);
  const user = recordUser(principal, ctx.http !== undefined);
  const whose = place.serveTasks && (await whoseOf({ audience, principal }));
  const replay = origin === 'request' ? (ctx as ReplayContext)[REPLAY] : undefined;
  const slot = { key, tool: name, audience, whose, user, report };
  const parking = replay?.begin(slot) ?? (await place.find(slot));
  const isChanged = replay && (replay.key !== key || replay.store !== place.store);
  if (isChanged && !parking.hasRun) throw changedToolError();
  current = { ...goOnFromPlace(call, parking), parking };
  replaceAskingCall(ctx, call, current);
  return current;
}

const REPLAY = Symbol.for('mcp-resolve.taskReplay');

/** The context of a round of a task. */
type ReplayContext = ServerContext & { readonly [REPLAY]?: TaskReplay };

/** Returns the context for a round of a task. It outlives the poll, so it reaches no client. */
export function replayContext(ctx: ServerContext, replay: TaskReplay): ServerContext {
  const { droppedInputResponseKeys: _, _meta: __, ...known } = ctx.mcpReq;
  const mcpReq: ServerContext['mcpReq'] = {
    ...known,
    method: 'tools/call',
    inputResponses: replay.answers,
    requestState: () => undefined,
    signal: new AbortController().signal,
    notify: () => Promise.resolve(),
    log: () => Promise.resolve(),
  };
  return Object.assign({}, ctx, { mcpReq, [REPLAY]: replay });
}

/** Returns a digest of a caller. */
export function whoseOf({ audience, principal }: Caller): Promise<string> {
  return dataDigest([audience ?? null, principal ?? null]);
}

/** Returns the call with the id and the progress of the call that waits, if one does. */
function goOnFromPlace(call: Call, { record, spent, ask }: Parking): Call {
  const isTask = ask !== undefined;
  const isOwn = isTask || (call.span !== undefined && call.id === record?.id);
  // Only a token of the call itself may ask for the result of a call that has run.
  if (record === undefined || (spent !== undefined && !isOwn)) return call;
  // The record of a task is the newest there is, because its client has no token.
  const progress = isTask ? record.progress : joinProgress(record.progress, call.progress, isOwn);
  const { span, conflict } = call;
  return newCall(call, { id: record.id, span, progress, resumed: true, conflict });
}

/**
 * Joins the progress of a token to that of the call that waits. The token of the same call is newer
 * and wins. Another token only brings the answers to the questions that it has asked.
 */
function joinProgress(parked: Progress, token: Progress, isOwn: boolean): Progress {
  const outcomes = new Map([...parked.outcomes, ...(isOwn ? token.outcomes : [])]);
  for (const key of token.asked.keys()) outcomes.delete(key);
  const pins = isOwn ? new Map([...parked.pins, ...token.pins]) : parked.pins;
  return { ...token, outcomes, pins };
}

function directCallError(name: string): ToolError {
  return refused(
    'direct_call',
    `'${name}' needs approvals, so only a client can call it, and not the code of another tool. Use its resolvers in the outer definition, or test it with run() of mcp-resolve/testing.`,
  );
}

function changedToolError(): ToolError {
  return refused(
    'changed',
    'the arguments mean something else than when the approval was requested, because the schema or the desk of the tool has changed. Nothing was done. Make the same call again to request a new approval.',
  );
}

function noPrincipalError(): ToolError {
  return refused(
    'no_principal',
    'this tool needs approvals, but the server does not know who is calling, so nothing was done. The operator of the server has to authenticate its users, or to set `principal` in requestStateSeal().',
  );
}

/** Returns the validated arguments, or those that the client sent if they are no JSON. */
function argumentsOf(
  args: Readonly<Record<string, unknown>>,
  { request }: RequestBoundary,
): readonly unknown[] {
  try {
    canonicalJson(args);
    return ['validated', args];
  } catch {
    return ['sent', request.params.arguments ?? {}];
  }
}
