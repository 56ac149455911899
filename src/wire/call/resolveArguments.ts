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
import type { Plan } from '../../graph/plan.js';
import { BLANK_LEDGER, RoundLedger } from '../../resolve/ledger.js';
import { Round } from '../../resolve/round.js';
import type { OpenQuestion } from '../../resolve/round.js';
import type { CallRecord } from '../../state/record.js';
import { keepRecord, newCall, takeUpCall } from './callRecord.js';
import { openContext } from './context.js';
import { isModern } from './era.js';
import type { ClientFacts } from './era.js';
import { assertCanAsk } from './gate.js';
import { pushQuestion } from './push.js';
import { warnMovingQuestion } from './warnings.js';

/** The request that parameters are resolved for. */
export interface ResolveOptions extends ClientFacts {
  readonly ctx: ServerContext;
  /** How long a client of the 2025 era may take to answer a question. Default: ten minutes. */
  readonly askTimeoutMs?: number;
}

/** All values, or the result that asks for what is missing. */
export type Resolution =
  | {
      readonly done: true;
      /** The values of the parameters, by name. */
      readonly values: Record<string, unknown>;
      /** The context for the body: the one that the resolvers saw. */
      readonly ctx: CallContext;
    }
  | { readonly done: false; readonly result: InputRequiredResult };

/** Ten minutes. */
export const DEFAULT_ASK_TIMEOUT_MS = 600_000;

/**
 * Runs the resolvers of a plan. `args` are the tool's arguments after validation.
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
  const modern = isModern(options.protocolVersion);
  const call = modern ? takeUpCall(options.ctx) : newCall();
  const { context, abort } = openContext(options.ctx, { ...options, callId: call.id });
  const ledger = modern ? openLedger(plan, call, options.ctx) : BLANK_LEDGER;
  const round = new Round(plan, { args, ctx: context, ledger });
  try {
    for (;;) {
      await untilQuiet(round, options.ctx.mcpReq.signal);
      if (round.failure !== undefined) throw round.failure.error;
      const open = round.openQuestions();
      const [first] = open;
      if (first === undefined) return { done: true, values: round.values(), ctx: context };
      assertCanAsk(open, options);
      if (ledger instanceof RoundLedger) {
        const requestState = keepRecord({ ...call, progress: ledger.next() }, options.ctx);
        return { done: false, result: askAll(open, requestState) };
      }
      const { askTimeoutMs = DEFAULT_ASK_TIMEOUT_MS } = options;
      await pushQuestion(round, first, { ctx: context, askTimeoutMs });
    }
  } catch (error) {
    abort();
    throw error;
  }
}

/** Waits for the round, but not longer than the request is wanted. */
async function untilQuiet(round: Round, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const quiet = round.run();
  if (quiet === undefined) return;
  const stop = (): void => {
    round.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await quiet;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
}

function openLedger(plan: Plan, { progress }: CallRecord, { mcpReq }: ServerContext): RoundLedger {
  return new RoundLedger(progress, mcpReq.inputResponses ?? {}, (key) => {
    warnMovingQuestion(plan.name, key);
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
