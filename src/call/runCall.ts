/** Runs one call, from validated arguments to the result. */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server';
import type { CallContext } from '../author/context.js';
import type { End } from '../author/model.js';
import { isQuestion } from '../author/question.js';
import { runInScope } from '../author/questionScope.js';
import { UNBOUND } from '../author/unbound.js';
import { isRefusal, messageOf, ToolError } from '../errors.js';
import type { OnceSettings } from '../once/onceSettings.js';
import { SingleUse } from '../once/singleUse.js';
import { recordUser } from '../store/recordStore.js';
import { isThenable } from '../values.js';
import { clientFacts } from './clientFacts.js';
import { bodyAskedError, shownFailure } from './callable.js';
import type { Call, CallRequest, CallSettings } from './call.js';
import { beginCall, CallConflict, claimAnswers } from './callRecord.js';
import type { Callable } from './callable.js';
import { findParked } from './findParked.js';
import type { Parking } from './parking.js';
import { exceptCancellation, reportError } from './operator.js';
import { resolveCall } from './resolveArguments.js';
import type { Resolved } from './resolveArguments.js';

export type Arguments = Readonly<Record<string, unknown>>;

/** The answer of a definition: a result, or questions. */
export type CallResult<Result> = Result | InputRequiredResult;

export interface DefinitionRequest {
  readonly args: Arguments;
  readonly ctx: ServerContext;
  readonly settings: CallSettings;
}

/** Calls a definition for a request that a server received. */
export function callForRequest<Result>(
  server: Server,
  definition: Callable<Result>,
  { args, ctx, settings }: DefinitionRequest,
): Promise<CallResult<Result>> {
  return runCall(definition, args, {
    ...clientFacts(server, ctx),
    settings,
    ctx,
    origin: 'request',
    report: exceptCancellation(ctx.mcpReq.signal, (error, place) => {
      reportError(server, error, { place, logger: settings.logger });
    }),
  });
}

/**
 * Calls a definition: resolves its parameters, asks open questions, runs the body, and returns the
 * answer. If a call with `once` has run before, it returns the recorded result.
 *
 * @throws {ProtocolError} If the call fails with a protocol error. Other errors become a result of
 *   the definition's kind.
 */
export async function runCall<Result>(
  definition: Callable<Result>,
  args: Arguments,
  request: CallRequest,
): Promise<Result | InputRequiredResult> {
  const { name, plan, address, once, approvals } = definition;
  const begun = beginCall({ name, plan, once, method: address.method }, request);
  let call = isThenable(begun) ? await begun : begun;
  try {
    if (approvals !== undefined) call = await findParked(approvals, args, call);
    call.watch?.reportStart(call.ctx.mcpReq.method);
    const singleUse = once && singleUseOf<Result>(once, call);
    try {
      return await answer({ definition, args, call, singleUse });
    } catch (error) {
      call.watch?.reportEnd(endOf(call));
      throw error;
    }
  } catch (error) {
    return failureResult(definition, error, call);
  }
}

/**
 * Creates the single-use check of a call with `once`. A call that has not asked needs none, because
 * the client has no token to send again. A call that has waited may have asked before.
 */
function singleUseOf<Result>(once: OnceSettings, call: Call): SingleUse<Result> | undefined {
  const { id, resumed, ctx, boundary, parking, onUnexpectedError } = call;
  if (!resumed) return undefined;
  const { signal } = ctx.mcpReq;
  // A client that has a handle was told how long the result can be read.
  const flowSeconds = Math.max(flowSecondsOf(call), parking?.keepSeconds ?? 0);
  const user = parking?.user ?? recordUser(boundary?.opened?.principal, ctx.http !== undefined);
  const onRecorded = parking?.noteRecorded;
  return new SingleUse(id, { ...once, flowSeconds, user, signal, onUnexpectedError, onRecorded });
}

/** Returns the longest time that a token of the call can live, in seconds. */
function flowSecondsOf({ span, boundary, parking }: Call): number {
  const sealed = [span, parking?.record].map((one) => (one ? one.deadline - one.start : 0));
  return Math.max(...sealed, parking && boundary ? boundary.seal.policy.maxFlowSeconds : 0);
}

interface Running<Result> {
  readonly definition: Callable<Result>;
  readonly args: Arguments;
  readonly call: Call;
  readonly singleUse: SingleUse<Result> | undefined;
}

async function answer<Result>(running: Running<Result>): Promise<Result | InputRequiredResult> {
  const { definition, args, call, singleUse } = running;
  // A call without a token has waited, and gets no result of an earlier run.
  const deadline = call.parking?.hasRun === true ? Infinity : call.span?.deadline;
  const known =
    deadline === undefined || singleUse === undefined
      ? undefined
      : await singleUse.recall(deadline);
  if (known !== undefined) {
    call.watch?.reportEnd('completed', true);
    return known.result;
  }
  if (call.parking?.spent !== undefined) throw call.parking.spent;
  try {
    const resolution = await resolveCall(definition.plan, args, call);
    if (!resolution.done) return resolution.result;
    return await runBody(running, resolution);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // The caller has declined, so nobody has to approve any more.
    if (call.parking !== undefined) await call.parking.drop().catch(call.onUnexpectedError);
    // A refusal is as final as a result, so it is recorded too.
    return await runOnce(running, () => {
      call.watch?.reportEnd('failed');
      return Promise.resolve(failureResult(definition, error, call));
    });
  }
}

/** Runs the work, or returns the recorded result if the work has run before. */
async function runOnce<Result>(
  { singleUse, call }: Running<Result>,
  work: () => Promise<Result>,
  onLost?: () => Promise<void>,
): Promise<Result> {
  if (singleUse === undefined) return work();
  const result = await singleUse.run(work, onLost);
  call.watch?.reportEnd('completed', true);
  return result;
}

async function runBody<Result>(running: Running<Result>, resolved: Resolved): Promise<Result> {
  const { definition, args, call } = running;
  const { ctx, dispose } = resolved;
  const { parking } = call;
  const work = async (): Promise<Result> => {
    hasRun = true;
    parking?.note();
    try {
      // Resolved values override arguments.
      const values = Object.assign({ ...args }, resolved.values);
      const result = await definition.finish(await callBody(definition, values, ctx));
      // A result that is not JSON can be neither sent nor recorded. It fails here, so that the
      // client gets an answer.
      JSON.stringify(result);
      await dispose('completed');
      call.watch?.reportEnd('completed');
      parking?.note('completed');
      return result;
    } catch (error) {
      const end = endOf(call);
      await dispose(end);
      call.watch?.reportEnd(end);
      parking?.note(end);
      return failureResult(definition, error, call);
    }
  };
  let hasRun = false;
  // Disposes if the body does not run, because the call has run before or the store failed.
  const giveUp = async (): Promise<void> => {
    if (!hasRun) await dispose(endOf(call));
  };
  try {
    call.ctx.mcpReq.signal.throwIfAborted();
    if (parking !== undefined) await claimApprovals(parking, resolved, call);
    if (running.singleUse !== undefined) return await runOnce(running, work, giveUp);
    claimAnswers(call);
    return await work();
  } finally {
    await giveUp();
    if (parking !== undefined) await parking.release().catch(call.onUnexpectedError);
  }
}

/** Claims the approvals of a call until none of its tokens can come back. */
function claimApprovals(parking: Parking, { values }: Resolved, call: Call): Promise<void> {
  return parking.claim({ values, tokensLiveMs: flowSecondsOf(call) * 1000 });
}

/**
 * Runs the body.
 *
 * @throws {Error} If the body created a question. The client never received it, and the body went
 *   on as if the answer were yes.
 */
async function callBody<Result>(
  { name, body }: Callable<Result>,
  values: Record<string, unknown>,
  ctx: CallContext,
): Promise<unknown> {
  const scope = { madeQuestion: false };
  const returned = await runInScope(scope, () => Reflect.apply(body, UNBOUND, [values, ctx]));
  if (scope.madeQuestion) throw bodyAskedError(name);
  return returned;
}

/** Returns the end of a call that did not complete. */
function endOf({ ctx }: Call): End {
  return ctx.mcpReq.signal.aborted ? 'cancelled' : 'failed';
}

/**
 * Returns the result for an error, and reports the error if it is unexpected.
 *
 * @throws {ProtocolError} If the error is a protocol error.
 */
function failureResult<Result>(
  definition: Callable<Result>,
  thrown: unknown,
  { id: callId, settings, report, onUnexpectedError }: Call,
): Result {
  const error = toReadable(thrown);
  if (error instanceof ProtocolError) throw error;
  if (error instanceof CallConflict) onUnexpectedError(error);
  if (error instanceof ToolError) return definition.fail(shownFailure(error));
  report(error, { definition: definition.name, callId, failed: true });
  const message = settings.errors === 'all' ? messageOf(error) : undefined;
  return definition.fail({ error, message, callId });
}

/** Returns the thrown value, or an error in its place if it is a question or cannot be read. */
function toReadable(thrown: unknown): unknown {
  try {
    // A proxy may throw here.
    const isExpected = thrown instanceof ProtocolError || thrown instanceof ToolError;
    return !isExpected && isQuestion(thrown) ? new Error(THROWN_QUESTION) : thrown;
  } catch {
    return new Error('The thrown value cannot be read. Throw an Error.');
  }
}

const THROWN_QUESTION = 'A question was thrown. Return it from the resolver instead.';
