/**
 * Fills the parameters of a plan for one request, whatever era its client speaks. One loop serves
 * both: run what can run; a failure ends the call, so a doomed one asks nothing; with no question
 * left the values are complete; otherwise ask. Clients of 2026-07-28 and later get all open
 * questions in one result and come back with the answers; older ones are asked the first one, and
 * the loop goes on.
 */
import type {
  InputRequiredResult,
  InputRequests,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { CallContext } from '../../define/context.js';
import type { End } from '../../define/model.js';
import type { Plan } from '../../graph/plan.js';
import { Disposals } from '../../resolve/disposal.js';
import { BLANK_LEDGER, RoundLedger } from '../../resolve/ledger.js';
import type { Ledger } from '../../resolve/ledger.js';
import { isRefusal, Round } from '../../resolve/round.js';
import type { OpenQuestion } from '../../resolve/round.js';
import { laneOf } from '../boundary/boundary.js';
import { beginCall, keepRecord } from './callRecord.js';
import type { OpenCall } from './callRecord.js';
import type { CallWatch } from './callWatch.js';
import { abort, RoundContext } from './context.js';
import { isModern } from './era.js';
import type { ClientFacts } from './era.js';
import { assertCanAsk } from './gate.js';
import { pushQuestion } from './push.js';
import { warnFailedDispose, warnMovingQuestion } from './warnings.js';

/** The request that parameters are resolved for. */
export interface ResolveOptions extends ClientFacts {
  readonly ctx: ServerContext;
  /** How long a client of the 2025 era may take to answer a question. Default: ten minutes. */
  readonly askTimeoutMs?: number;
  /** Told of what a `dispose` throws where that does not change the answer. Default: a warning. */
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
   * Disposes of what resolvers with `dispose` computed, once: to be called when the body has ended.
   * Under `completed` it throws what a `dispose` throws.
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
 * return `Paid ${String(resolution.values['euros'])} euros.`;
 * ```
 *
 * @throws {ToolError} If a question was declined and its consumer wanted the bare value.
 * @throws {ProtocolError} If the client cannot be asked. Whatever a resolver throws passes as it
 *   is.
 */
export function resolveArguments(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  options: ResolveOptions,
): Promise<Resolution> {
  return resolveCall(plan, args, { options });
}

/** What a call is resolved with. */
export interface Resolving {
  readonly options: ResolveOptions;
  /** Default: it begins now. */
  readonly begun?: OpenCall;
  /** Told of what happens, where somebody listens. */
  readonly watch?: CallWatch | undefined;
}

/** The same for a call that has begun. */
export async function resolveCall(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  { options, begun: call = beginCall(options), watch }: Resolving,
): Promise<Resolution> {
  const { onUnexpectedError = warnFailedDispose } = options;
  const { signal } = options.ctx.mcpReq;
  const ctx = new RoundContext(options.ctx, options, call);
  const ledger = openLedger(plan, call, options);
  const disposals = new Disposals(onUnexpectedError);
  const round = new Round(plan, { args, ctx, ledger, disposals, watch: watch?.step });
  try {
    for (;;) {
      signal.throwIfAborted();
      const quiet = round.run();
      if (quiet !== undefined) {
        // The round is not waited for longer than the request is wanted.
        signal.addEventListener('abort', round);
        if (signal.aborted) round.stop();
        await quiet;
        signal.removeEventListener('abort', round);
        signal.throwIfAborted();
      }
      if (round.failure !== undefined) throw round.failure.error;
      const open = round.openQuestions();
      const first = open[0];
      if (first === undefined) {
        const dispose = (end: End): Promise<void> => disposals.close(end);
        return { done: true, values: round.values(), ctx, dispose };
      }
      assertCanAsk(open, options);
      if (ledger instanceof RoundLedger) {
        for (const question of open) noteAsked(watch, question);
        const { id, start } = call;
        const requestState = keepRecord({ id, start, progress: ledger.next() }, options.ctx);
        await disposals.close('asked');
        watch?.ended('asked');
        return { done: false, result: askAll(open, requestState) };
      }
      const { askTimeoutMs = DEFAULT_ASK_TIMEOUT_MS } = options;
      noteAsked(watch, first);
      await pushQuestion(round, first, { ctx, askTimeoutMs });
    }
  } catch (error) {
    abort(ctx);
    const end = signal.aborted ? 'cancelled' : 'failed';
    await disposals.close(end);
    // How a refusal ends is known when it is recorded.
    if (!isRefusal(error)) watch?.ended(end);
    throw error;
  }
}

function noteAsked(watch: CallWatch | undefined, { node, asked }: OpenQuestion): void {
  const { params: question } = asked.rendered;
  watch?.step({ type: 'asked', resolver: node.key, kind: asked.data.kind, question });
}

/** Only where rounds follow each other is anything carried between them. */
function openLedger(plan: Plan, call: OpenCall, { ctx, protocolVersion }: ResolveOptions): Ledger {
  if (!isModern(protocolVersion)) return BLANK_LEDGER;
  return new RoundLedger(call.progress, ctx.mcpReq.inputResponses ?? {}, {
    keepsPins: laneOf(ctx) !== undefined,
    onMovingQuestion: (key) => {
      warnMovingQuestion(plan.name, key);
    },
  });
}

function askAll(open: readonly OpenQuestion[], requestState: string): InputRequiredResult {
  const requests = open.map(({ node, asked }) => {
    const { method, params } = asked.rendered;
    return [node.key, params === undefined ? { method } : { method, params }] as const;
  });
  const inputRequests = Object.fromEntries(requests) as InputRequests;
  return { resultType: 'input_required', inputRequests, requestState };
}
