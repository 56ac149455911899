/**
 * Fills the parameters of a plan for one request, whatever era its client speaks. One loop serves
 * both: run what can run; a failure ends the call before anything is asked; without open questions
 * the values are complete; otherwise ask. Clients of 2026-07-28 and later get all open questions in
 * one result and come back with the answers. Older ones are asked the first question, and the loop
 * goes on.
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
import { Disposals } from '../engine/disposals.js';
import { Ledger } from '../engine/ledger.js';
import { Round } from '../engine/round.js';
import type { UnansweredQuestion } from '../engine/round.js';
import { boundaryOf } from './boundary.js';
import { assertCanAsk, pushQuestion } from './askClient.js';
import { beginCall, keepRecord } from './callRecord.js';
import type { CurrentCall } from './callRecord.js';
import type { CallWatch } from './callWatch.js';
import { CallSignal, createContext } from './callContext.js';
import { isModern } from './clientFacts.js';
import type { ClientFacts } from './clientFacts.js';
import { warnFailedDispose, warnMovingQuestion } from './operatorWarnings.js';

/** The request that parameters are resolved for. */
export interface ResolveOptions extends ClientFacts {
  readonly ctx: ServerContext;
  /** How long a client of the 2025 era may take to answer a question. Default: ten minutes. */
  readonly askTimeoutMs?: number;
  /** Receives what a `dispose` throws where that does not change the answer. Default: a warning. */
  readonly onUnexpectedError?: (error: unknown) => void;
}

/** All values of the parameters. */
export interface Resolved {
  readonly done: true;
  /** By name. */
  readonly values: Record<string, unknown>;
  /** The context for the body: the one that the resolvers saw. */
  readonly ctx: CallContext;
  /**
   * Ends the call: disposes of what resolvers with `dispose` computed, once, and stops listening to
   * the request. Always call it when the body has ended. Under `completed` it throws what a
   * `dispose` throws.
   */
  readonly dispose: (end: End) => Promise<void>;
}

/** All values, or the result that asks for what is missing. */
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
 * @throws {ProtocolError} If the client cannot be asked. Whatever a resolver throws passes as it
 *   is.
 */
export async function resolveArguments(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  options: ResolveOptions,
): Promise<Resolution> {
  return resolveCall(plan, args, { options, call: beginCall(options), watch: undefined });
}

/** A call that has begun. */
export interface CallInProgress {
  readonly options: ResolveOptions;
  readonly call: CurrentCall;
  /** Reports what happens, if anyone listens. */
  readonly watch: CallWatch | undefined;
}

/** Runs the resolvers of a plan for a call that has begun. */
export async function resolveCall(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  { options, call, watch }: CallInProgress,
): Promise<Resolution> {
  const { protocolVersion, clientCapabilities, askTimeoutMs = DEFAULT_ASK_TIMEOUT_MS } = options;
  const request = options.ctx.mcpReq.signal;
  const callSignal = new CallSignal(request);
  const ctx = createContext(options.ctx, {
    protocolVersion,
    clientCapabilities,
    callId: call.id,
    signal: callSignal.signal,
  });
  const ledger = openLedger(plan, call, options);
  const disposals = new Disposals(options.onUnexpectedError ?? warnFailedDispose);
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
      assertCanAsk(open, options);
      if (isModern(protocolVersion)) {
        for (const question of open) noteAsked(question, watch);
        const requestState = keepRecord(call, ledger.next(), options.ctx);
        await dispose('asked');
        watch?.ended('asked');
        return { done: false, result: resultAsking(open, requestState) };
      }
      noteAsked(first, watch);
      round.settleOpen(first, await pushQuestion(first, { ctx, askTimeoutMs }));
    }
  } catch (error) {
    const end = request.aborted ? 'cancelled' : 'failed';
    callSignal.abort();
    await disposals.close(end);
    // A refusal has ended when it is recorded.
    if (!isRefusal(error)) watch?.ended(end);
    throw error;
  } finally {
    // The body may run for long, and must not keep the round alive.
    callSignal.onCancel = undefined;
  }
}

/** A function of its own, so that the body holds nothing of the round. */
function disposing(disposals: Disposals, callSignal: CallSignal): Resolved['dispose'] {
  return async (end) => {
    try {
      await disposals.close(end);
    } finally {
      callSignal.release();
    }
  };
}

/** Opens the ledger of a round. A client of the 2025 era carries nothing between rounds. */
function openLedger(
  plan: Plan,
  call: CurrentCall,
  { ctx, protocolVersion }: ResolveOptions,
): Ledger {
  return new Ledger({
    before: call.progress,
    responses: (isModern(protocolVersion) ? ctx.mcpReq.inputResponses : undefined) ?? {},
    keepsPins: boundaryOf(ctx) !== undefined,
    onMovingQuestion: (key) => {
      warnMovingQuestion(plan.name, key);
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
