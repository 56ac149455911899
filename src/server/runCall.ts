/** The story of one call, from validated arguments to the result. */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server';
import type { CallContext } from '../define/context.js';
import type { CallEvent } from '../define/event.js';
import type { End } from '../define/model.js';
import { isQuestion } from '../define/question.js';
import { runInScope } from '../define/questionScope.js';
import { UNBOUND } from '../define/unbound.js';
import { errorOf, isRefusal, ToolError } from '../errors.js';
import { SingleUse } from '../once/singleUse.js';
import type { Rejection } from '../state/sealOptions.js';
import { boundaryOf } from './boundary.js';
import { clientFacts } from './clientFacts.js';
import type { ClientFacts } from './clientFacts.js';
import { bodyAskedError } from './callable.js';
import { beginCall } from './callRecord.js';
import type { CurrentCall } from './callRecord.js';
import { tell, watchCall } from './callWatch.js';
import type { CallWatch } from './callWatch.js';
import type { Callable, CallSettings } from './callable.js';
import { resolveCall } from './resolveArguments.js';
import type { Resolved } from './resolveArguments.js';

/** Arguments, after validation. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a definition answers: a result, or questions. */
export type CallResult<Result> = Result | InputRequiredResult;

/** One request for a definition. */
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
    ...settings,
    ctx,
    onUnexpectedError: (error) => {
      // A cancelled request is no news; what failed because of it is.
      const { signal } = ctx.mcpReq;
      if (!signal.aborted || error !== signal.reason) report(server, error);
    },
  });
}

/** What a call is made with, besides its arguments. */
export interface RunCallOptions extends CallSettings, ClientFacts {
  readonly ctx: ServerContext;
  /** Told of every error that was not meant for the model, so that nothing is lost. */
  readonly onUnexpectedError: (error: unknown) => void;
}

/**
 * Calls a definition: resolves its parameters, asks if it has to, runs the body, and answers. A
 * call that has run before, and is to run once, answers what it answered then.
 *
 * @throws {ProtocolError} For the client; everything else becomes a result of the definition's
 *   kind.
 */
export async function runCall<Result>(
  definition: Callable<Result>,
  args: Arguments,
  options: RunCallOptions,
): Promise<Result | InputRequiredResult> {
  try {
    const call = beginCall(options);
    const watch = watchCall(options, call, definition.name);
    watch?.started(options.ctx.mcpReq.method);
    const once = singleUseOf(definition, call, options);
    try {
      return await answer({ definition, args, options, call, watch, once });
    } catch (error) {
      watch?.ended(endOf(options));
      throw error;
    }
  } catch (error) {
    return failureResult(definition, error, options);
  }
}

/**
 * Watches over a call that is to run once. One that has not asked has no token that could be sent
 * again, so nothing is claimed for it.
 */
function singleUseOf<Result>(
  { once }: Callable<Result>,
  { id, resumed }: CurrentCall,
  { ctx, onUnexpectedError }: RunCallOptions,
): SingleUse<Result> | undefined {
  const boundary = boundaryOf(ctx);
  if (once === undefined || boundary === undefined || !resumed) return undefined;
  const { maxFlowSeconds } = boundary.seal.policy;
  const { signal } = ctx.mcpReq;
  return new SingleUse(id, { ...once, maxFlowSeconds, signal, onUnexpectedError });
}

interface StartedCall<Result> {
  readonly definition: Callable<Result>;
  readonly args: Arguments;
  readonly options: RunCallOptions;
  readonly call: CurrentCall;
  readonly watch: CallWatch | undefined;
  readonly once: SingleUse<Result> | undefined;
}

async function answer<Result>(hand: StartedCall<Result>): Promise<Result | InputRequiredResult> {
  const { definition, args, options, once, watch } = hand;
  const known = await once?.recall();
  if (known !== undefined) {
    watch?.ended('completed', true);
    return known.result;
  }
  try {
    const resolution = await resolveCall(definition.plan, args, hand);
    if (!resolution.done) return resolution.result;
    return await runBody(hand, resolution);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // A person's no is as final as a result.
    return await runOnce(hand, () => {
      watch?.ended('failed');
      return Promise.resolve(failureResult(definition, error, options));
    });
  }
}

/** Does the work, unless it has been done: then gives what came of it. */
async function runOnce<Result>(
  { once, watch }: StartedCall<Result>,
  work: () => Promise<Result>,
  onLost?: () => Promise<void>,
): Promise<Result> {
  if (once === undefined) return work();
  const result = await once.run(work, onLost);
  watch?.ended('completed', true);
  return result;
}

async function runBody<Result>(hand: StartedCall<Result>, resolved: Resolved): Promise<Result> {
  const { definition, args, options, watch } = hand;
  const { ctx, dispose } = resolved;
  const work = async (): Promise<Result> => {
    try {
      // The resolved values win.
      const values = { ...args, ...resolved.values };
      const result = await definition.finish(await callBody(definition, values, ctx));
      // What is not JSON can be neither sent nor recorded, and fails here, where that is an answer.
      if (definition.once !== undefined) JSON.stringify(result);
      await dispose('completed');
      watch?.ended('completed');
      return result;
    } catch (error) {
      const end = endOf(options);
      await dispose(end);
      watch?.ended(end);
      return failureResult(definition, error, options);
    }
  };
  // Where it has run before, or nobody can tell, the body does not run.
  const giveUp = (): Promise<void> => dispose(endOf(options));
  try {
    options.ctx.mcpReq.signal.throwIfAborted();
    return await runOnce(hand, work, giveUp);
  } finally {
    await giveUp();
  }
}

/**
 * Runs the body.
 *
 * @throws {@link ToolError} If it made a question. Nobody was asked, and the body went on as if the
 *   answer were yes.
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

/** How a call ended that did not complete. */
function endOf({ ctx }: RunCallOptions): End {
  return ctx.mcpReq.signal.aborted ? 'cancelled' : 'failed';
}

/** @throws {ProtocolError} If that is what the error is. */
function failureResult<Result>(
  definition: Callable<Result>,
  error: unknown,
  { errors, onUnexpectedError }: RunCallOptions,
): Result {
  if (error instanceof ProtocolError) throw error;
  if (!(error instanceof ToolError)) onUnexpectedError(error);
  return definition.fail(isQuestion(error) ? new ToolError(THROWN) : error, errors);
}

const THROWN = 'a question was thrown, so nobody was asked: a resolver returns it';

/** Tells a listener of rejected states. */
export function rejectionTeller(
  server: Server,
  onEvent: (event: CallEvent) => void,
): (rejection: Rejection) => void {
  const onUnexpectedError = (error: unknown): void => {
    report(server, error);
  };
  return ({ reason, method }) => {
    tell({ onEvent, onUnexpectedError }, { type: 'rejected', at: Date.now(), reason, method });
  };
}

/** Tells the server's operator; what their function throws must not change the answer. */
function report(server: Server, error: unknown): void {
  try {
    server.onerror?.(errorOf(error));
  } catch {
    // There is nobody left to tell.
  }
}
