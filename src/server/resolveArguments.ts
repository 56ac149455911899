/**
 * Resolves the parameters of a plan for one request, in either era. Each pass of the loop runs the
 * resolvers that can run. A failure ends the call before any question is sent. If no question is
 * open, the values are complete. Otherwise a client of 2026-07-28 or later gets all open questions
 * in one result and retries with the answers. An older client gets the first question, and the loop
 * goes on with its answer.
 */
import type {
  InputRequiredResult,
  InputRequests,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { CallContext } from '../define/context.js';
import type { End } from '../define/model.js';
import { isRefusal } from '../errors.js';
import type { Plan } from '../plan/plan.js';
import { isThenable } from '../platform.js';
import { Disposals } from '../engine/disposals.js';
import { Ledger } from '../engine/ledger.js';
import { Round } from '../engine/round.js';
import type { UnansweredQuestion } from '../engine/round.js';
import { STANDARD_ERROR } from '../state/warnings.js';
import type { Logger } from '../state/warnings.js';
import { boundaryOf } from './boundary.js';
import { assertCanAsk, pushQuestion } from './askClient.js';
import { claimRequest, beginCall, keepRecord } from './callRecord.js';
import type { CurrentCall } from './callRecord.js';
import type { CallWatch } from './callWatch.js';
import { CallSignal, createContext } from './callContext.js';
import type { OuterCall } from './callContext.js';
import { isModern } from './clientFacts.js';
import type { ClientFacts } from './clientFacts.js';
import { warnFailedDispose, warnMovingQuestion, warnUnsealedState } from './operator.js';

/** The request that parameters are resolved for. */
export interface ResolveOptions extends ClientFacts {
  readonly ctx: ServerContext;
  /**
   * The time, in milliseconds, that a client of the 2025 era has to answer a question. Default: ten
   * minutes.
   */
  readonly askTimeoutMs?: number;
  /** Receives the errors of `dispose` and of nested calls. Default: a warning. */
  readonly onUnexpectedError?: (error: unknown) => void;
  /** The destination of warnings. Default: standard error. */
  readonly logger?: Logger;
}

/** All values of the parameters. */
export interface Resolved {
  readonly done: true;
  /** The values by parameter. */
  readonly values: Record<string, unknown>;
  /** The context for the body, which is the same as for the resolvers. */
  readonly ctx: CallContext;
  /**
   * Ends the call. It disposes of the values of resolvers with `dispose`, once, and stops listening
   * to the request. Always call it when the body has ended. With `completed` it throws the error of
   * a failed `dispose`.
   */
  readonly dispose: (end: End) => Promise<void>;
}

/** All values, or the result with the open questions. */
export type Resolution = Resolved | { readonly done: false; readonly result: InputRequiredResult };

/** Ten minutes. */
export const DEFAULT_ASK_TIMEOUT_MS = 600_000;

/**
 * Runs the resolvers of a plan. `args` are the tool's arguments after validation.
 *
 * @example
 *
 * ```ts
 * const resolution = await resolveArguments(
 *   planResolvers({ name: 'pay_invoice', resolve: { euros: amountDue } }, ['invoice']),
 *   { invoice: 'INV-1' },
 *   { ctx, protocolVersion, clientCapabilities },
 * );
 * if (!resolution.done) return resolution.result;
 * const { values, dispose } = resolution;
 * await dispose('completed');
 * return `Paid ${String(values['euros'])} euros.`;
 * ```
 *
 * @throws {ToolError} If a question was declined and its consumer wanted the bare value.
 * @throws {ProtocolError} If the client cannot answer a question. Errors of resolvers pass
 *   unchanged.
 */
export async function resolveArguments(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  options: ResolveOptions,
): Promise<Resolution> {
  const { logger = STANDARD_ERROR } = options;
  const definition = `resolveArguments ${plan.name}`;
  const subject = { definition, origin: 'engine', resolves: plan.nodes.length > 0 } as const;
  const begun = beginCall({ ...options, ...subject, logger });
  return resolveCall(plan, args, {
    options,
    call: isThenable(begun) ? await begun : begun,
    watch: undefined,
    outer: { report: options.onUnexpectedError, logger, isDirect: false },
  });
}

/** A call that has begun. */
export interface CallInProgress {
  readonly options: ResolveOptions;
  readonly call: CurrentCall;
  /** Reports the events of the call. `undefined` if there is no listener. */
  readonly watch: CallWatch | undefined;
  /** The settings for nested calls, and for the questions of this one. */
  readonly outer: OuterCall;
}

/** Runs the resolvers of a plan for a call that has begun. */
export async function resolveCall(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  { options, call, watch, outer }: CallInProgress,
): Promise<Resolution> {
  const { protocolVersion, clientCapabilities, askTimeoutMs = DEFAULT_ASK_TIMEOUT_MS } = options;
  if (call.conflict !== undefined) throw call.conflict;
  const boundary = boundaryOf(options.ctx);
  const request = options.ctx.mcpReq.signal;
  const callSignal = new CallSignal(request);
  const ctx = createContext(options.ctx, {
    protocolVersion,
    clientCapabilities,
    callId: call.id,
    signal: callSignal.signal,
    outer,
  });
  const ledger = openLedger(plan, call, options);
  const disposals = new Disposals(
    options.onUnexpectedError ??
      ((error) => {
        warnFailedDispose(outer.logger, error);
      }),
  );
  const dispose = disposing(disposals, callSignal);
  const round = new Round(plan, { args, ctx, ledger, disposals, watch: watch?.step });
  callSignal.onCancel = (reason) => {
    round.stop(reason);
  };
  try {
    for (;;) {
      request.throwIfAborted();
      await round.run();
      if (round.failure !== undefined) throw round.failure.error;
      const open = round.openQuestions();
      const [first] = open;
      if (first === undefined) return { done: true, values: round.bodyValues(), ctx, dispose };
      assertCanAsk(open, options, outer);
      claimRequest(call, options.ctx);
      if (isModern(protocolVersion)) {
        for (const question of open) noteAsked(question, watch);
        if (boundary === undefined) warnUnsealedState(outer.logger);
        const requestState = await keepRecord(call, ledger.next(), options.ctx);
        await dispose('asked');
        watch?.ended('asked');
        return { done: false, result: resultAsking(open, requestState) };
      }
      noteAsked(first, watch);
      await boundary?.seal.warnIfAnonymous(options.ctx);
      await round.answerOpen(first, await pushQuestion(first, { ctx, askTimeoutMs }));
    }
  } catch (error) {
    const end = request.aborted ? 'cancelled' : 'failed';
    callSignal.abort();
    await disposals.close(end);
    // `runCall` reports the end of a refused call when it records the refusal.
    if (!isRefusal(error)) watch?.ended(end);
    throw error;
  } finally {
    // The body may run for a long time and must not keep the round in memory.
    callSignal.onCancel = undefined;
  }
}

/**
 * Creates the `dispose` function. It is created here, so that it does not keep the round in memory.
 */
function disposing(disposals: Disposals, callSignal: CallSignal): Resolved['dispose'] {
  return async (end) => {
    try {
      await disposals.close(end);
    } finally {
      callSignal.release();
    }
  };
}

/** Creates the ledger of a call. A client of the 2025 era sends no answers with its request. */
function openLedger(
  plan: Plan,
  call: CurrentCall,
  { ctx, protocolVersion, logger = STANDARD_ERROR }: ResolveOptions,
): Ledger {
  return new Ledger({
    before: call.progress,
    responses: (isModern(protocolVersion) ? ctx.mcpReq.inputResponses : undefined) ?? {},
    keepsPins: boundaryOf(ctx) !== undefined,
    onMovingQuestion: (key) => {
      warnMovingQuestion(logger, plan.name, key);
    },
  });
}

function noteAsked({ node, asked }: UnansweredQuestion, watch: CallWatch | undefined): void {
  const { params: question } = asked.rendered;
  watch?.step({ type: 'asked', resolver: node.key, kind: asked.data.kind, question });
}

function resultAsking(
  open: readonly UnansweredQuestion[],
  requestState: string,
): InputRequiredResult {
  const requests = open.map(({ node, asked }) => {
    const { method, params } = asked.rendered;
    return [node.key, params === undefined ? { method } : { method, params }] as const;
  });
  const inputRequests = Object.fromEntries(requests) as InputRequests;
  return { resultType: 'input_required', inputRequests, requestState };
}
