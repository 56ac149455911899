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
import type { CallContext } from '../author/context.js';
import type { End } from '../author/model.js';
import { isRefusal } from '../errors.js';
import type { Plan } from '../plan/plan.js';
import { isThenable } from '../values.js';
import { Disposals } from '../engine/disposals.js';
import { Ledger } from '../engine/ledger.js';
import { Round } from '../engine/round.js';
import type { UnansweredQuestion } from '../engine/round.js';
import type { Logger } from '../log.js';
import { assertCanAsk, isForClient, pushQuestion } from './askClient.js';
import { DEFAULT_SETTINGS } from './call.js';
import type { Call, CallWatch } from './call.js';
import { CallSignal, createContext } from './callContext.js';
import { describeReturned } from './callable.js';
import { beginCall, claimRequest, declaresQuestions } from './callRecord.js';
import type { ClientFacts } from './clientFacts.js';
import {
  logError,
  warnGuardValue,
  warnMovingQuestion,
  warnUnasked,
  warnUndeclared,
  warnUnsealedState,
} from './operator.js';
import { keepProgress, park } from './park.js';

/** The request that parameters are resolved for. */
export interface ResolveOptions extends Omit<ClientFacts, 'clientInfo'> {
  readonly ctx: ServerContext;
  /**
   * The time, in milliseconds, that a legacy client has to answer a question. Default: ten minutes.
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
  const { ctx, protocolVersion, clientCapabilities } = options;
  const { askTimeoutMs = DEFAULT_SETTINGS.askTimeoutMs, logger = DEFAULT_SETTINGS.logger } =
    options;
  const begun = beginCall(
    { name: plan.name, plan, method: 'resolveArguments' },
    {
      ...{ ctx, protocolVersion, clientCapabilities, origin: 'engine' },
      settings: { ...DEFAULT_SETTINGS, askTimeoutMs, logger },
      report: (error, place) => {
        if (options.onUnexpectedError === undefined) logError(logger, error, place);
        else options.onUnexpectedError(error);
      },
    },
  );
  return resolveCall(plan, args, isThenable(begun) ? await begun : begun);
}

/** Runs the resolvers of a plan for a call that has begun. */
export async function resolveCall(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<Resolution> {
  // A definition that declares no question may run beside one that asks.
  if (call.conflict !== undefined && declaresQuestions(plan)) throw call.conflict;
  const { boundary, watch, settings, parking } = call;
  const request = call.ctx.mcpReq.signal;
  const callSignal = new CallSignal(request);
  const ctx = createContext(call, callSignal.signal);
  const ledger = openLedger(plan, call);
  const disposals = new Disposals(call.onUnexpectedError);
  const dispose = disposeWith(disposals, callSignal);
  const round = new Round(plan, {
    ...{ args, ctx, ledger, disposals, watch: watch?.reportStep },
    onUndeclared: ({ key, resolver }, kind) => {
      const place = `'${plan.name}': the resolver '${key}'`;
      warnUndeclared(settings.logger, resolver, { place, kind });
    },
    onGuardValue: ({ key }, value) => {
      const guard = `'${plan.name}': the guard '${key}'`;
      warnGuardValue(settings.logger, guard, describeReturned(value));
    },
    onUnasked: ({ key }) => {
      if (call.once) warnUnasked(settings.logger, `'${plan.name}': the resolver '${key}'`);
    },
  });
  callSignal.onCancel = (reason) => {
    round.stop(reason);
  };
  try {
    for (;;) {
      request.throwIfAborted();
      const waiting = round.run();
      if (waiting !== undefined) await waiting;
      if (round.failure !== undefined) throw round.failure.error;
      const all = round.openQuestions();
      // The caller is asked before anybody else.
      const open = parking === undefined ? all : all.filter(isForClient);
      const [first] = open;
      if (first === undefined) {
        if (all.length === 0 || parking === undefined)
          return { done: true, values: round.bodyValues(), ctx, dispose };
        const waiting = await park(call, parking, { round, ledger });
        await dispose('asked');
        watch?.reportEnd('asked');
        throw waiting;
      }
      assertCanAsk(open, call);
      const asking = claimRequest(call);
      if (call.isModern) {
        for (const question of open) noteAsked(question, watch);
        if (boundary === undefined) warnUnsealedState(settings.logger);
        const requestState = await keepProgress(call, ledger.next(), open);
        if (asking !== undefined && requestState !== undefined) asking.sent = requestState;
        await dispose('asked');
        watch?.reportEnd('asked');
        return { done: false, result: askingResult(open, requestState) };
      }
      await boundary?.seal.warnIfAnonymous(call.ctx);
      noteAsked(first, watch);
      await round.answerOpen(first, await pushQuestion(first, ctx, call));
    }
  } catch (error) {
    const end = request.aborted ? 'cancelled' : 'failed';
    callSignal.abort();
    await disposals.close(end);
    // `runCall` reports the end of a refused call when it records the refusal.
    if (!isRefusal(error)) watch?.reportEnd(end);
    throw error;
  } finally {
    // The body may run for a long time and must not keep the round in memory.
    callSignal.onCancel = undefined;
  }
}

/**
 * Creates the `dispose` function. It is created here, so that it does not keep the round in memory.
 */
function disposeWith(disposals: Disposals, callSignal: CallSignal): Resolved['dispose'] {
  return async (end) => {
    try {
      await disposals.close(end);
    } finally {
      callSignal.release();
    }
  };
}

/** Creates the ledger of a call. A legacy client sends no answers with its request. */
function openLedger(plan: Plan, call: Call): Ledger {
  const { ctx, isModern, boundary, progress, settings, parking } = call;
  return new Ledger({
    before: progress,
    responses: (isModern ? ctx.mcpReq.inputResponses : undefined) ?? {},
    keepsPins: boundary !== undefined,
    verdictOn: parking && ((key, digest) => parking.verdictOn(key, digest)),
    onMovingQuestion: (key) => {
      warnMovingQuestion(settings.logger, plan.name, key);
    },
  });
}

function noteAsked({ node, asked }: UnansweredQuestion, watch: CallWatch | undefined): void {
  const { params: question } = asked.rendered;
  watch?.reportStep({ type: 'asked', resolver: node.key, kind: asked.data.kind, question });
}

function askingResult(
  open: readonly UnansweredQuestion[],
  requestState: string | undefined,
): InputRequiredResult {
  const requests = open.map(({ node, asked }) => {
    const { method, params } = asked.rendered;
    return [node.key, params === undefined ? { method } : { method, params }] as const;
  });
  const inputRequests = Object.fromEntries(requests) as InputRequests;
  const state = requestState === undefined ? {} : { requestState };
  return { resultType: 'input_required', inputRequests, ...state };
}
