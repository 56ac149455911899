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
import { isRefusal } from '../../resolve/asking.js';
import type { OpenQuestion } from '../../resolve/asking.js';
import { Disposals } from '../../resolve/disposal.js';
import { BLANK_LEDGER, RoundLedger } from '../../resolve/ledger.js';
import type { Ledger } from '../../resolve/ledger.js';
import { Round } from '../../resolve/round.js';
import type { RoundInput } from '../../resolve/roundInput.js';
import type { Watch } from '../../resolve/watch.js';
import { laneOf } from '../boundary/boundary.js';
import { beginCall, keepRecord } from './callRecord.js';
import type { OpenCall } from './callRecord.js';
import type { CallWatch } from './callWatch.js';
import { abort, release, RoundContext } from './context.js';
import { isModern } from './era.js';
import type { ClientFacts } from './era.js';
import { assertCanAsk } from './gate.js';
import { pushQuestion } from './push.js';
import { leave, waitOn } from './stopping.js';
import type { Waiting } from './stopping.js';
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
export function resolveCall(
  plan: Plan,
  args: Readonly<Record<string, unknown>>,
  resolving: Resolving,
): Promise<Resolution> {
  try {
    return new Leg(plan, args, resolving).run();
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on as it is
    return Promise.reject(error);
  }
}

/** One request's part of a call. */
class Leg implements RoundInput, Waiting {
  before: Waiting = this;
  after: Waiting = this;
  ring: Waiting['ring'] = undefined;
  readonly ctx: RoundContext;
  readonly watch: Watch | undefined;
  private readonly options: ResolveOptions;
  private readonly call: OpenCall;
  private readonly callWatch: CallWatch | undefined;
  private readonly round: Round;
  // Most calls neither ask nor pin, and most have nothing to dispose of.
  private kept: Ledger | undefined = undefined;
  private cleanup: Disposals | undefined = undefined;
  private resolve: ((resolution: Resolution | Promise<Resolution>) => void) | undefined = undefined;

  constructor(
    private readonly plan: Plan,
    readonly args: Readonly<Record<string, unknown>>,
    resolving: Resolving,
  ) {
    const { options, watch } = resolving;
    this.options = options;
    this.call = resolving.begun ?? beginCall(options);
    this.callWatch = watch;
    this.watch = watch?.step;
    this.ctx = new RoundContext(options.ctx, options, this.call);
    this.round = new Round(plan, this);
  }

  /** Only where rounds follow each other is anything carried between them. */
  get ledger(): Ledger {
    return (this.kept ??= openLedger(this.plan, this.call, this.options));
  }

  get disposals(): Disposals {
    return (this.cleanup ??= new Disposals(this.options.onUnexpectedError ?? warnFailedDispose));
  }

  private get signal(): AbortSignal {
    return this.options.ctx.mcpReq.signal;
  }

  /** Where every value is there at once, which is the case in most calls, nothing is awaited. */
  run(): Promise<Resolution> {
    try {
      this.signal.throwIfAborted();
      if (!this.round.run()) return this.untilQuiet();
      return this.round.isComplete ? Promise.resolve(this.resolved()) : this.goOn();
    } catch (error) {
      return this.fail(error);
    }
  }

  /** Waits for the round, and not longer than the request is wanted. */
  private untilQuiet(): Promise<Resolution> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      waitOn(this.signal, this);
    });
  }

  /** Goes on with a round that was waited for. */
  onQuiet(): void {
    const { resolve } = this;
    // Whoever cancels the request from inside a resolver ends the round before it is through.
    if (resolve === undefined) return;
    this.resolve = undefined;
    leave(this);
    resolve(this.round.isComplete ? this.resolved() : this.goOn());
  }

  stop(): void {
    this.round.stop();
  }

  /** Asks for what a quiet round is missing, and fails where that has failed. */
  private async goOn(): Promise<Resolution> {
    try {
      const asked = await this.ask();
      if (asked !== undefined) return asked;
    } catch (error) {
      return this.fail(error);
    }
    return this.run();
  }

  /** Gives the result that asks. A client of the 2025 era is asked here and now, and has answered. */
  private async ask(): Promise<Resolution | undefined> {
    const { round, options, ledger } = this;
    this.signal.throwIfAborted();
    if (round.failure !== undefined) throw round.failure.error;
    const open = round.openQuestions();
    const first = open[0];
    if (first === undefined) return this.resolved();
    assertCanAsk(open, options);
    if (ledger instanceof RoundLedger) return this.askAll(open, ledger);
    const { askTimeoutMs = DEFAULT_ASK_TIMEOUT_MS } = options;
    this.noteAsked(first);
    await pushQuestion(round, first, { ctx: this.ctx, askTimeoutMs });
    return undefined;
  }

  private resolved(): Resolved {
    const { ctx, plan } = this;
    const isPlain = plan.plainNodes === plan.nodes.length;
    const dispose = disposing(ctx, isPlain ? undefined : this.disposals);
    return { done: true, values: this.round.finish(), ctx, dispose };
  }

  /** Gives the result that asks all open questions of a client that comes back with the answers. */
  private async askAll(open: readonly OpenQuestion[], ledger: RoundLedger): Promise<Resolution> {
    for (const question of open) this.noteAsked(question);
    const { id, start } = this.call;
    const requestState = keepRecord({ id, start, progress: ledger.next() }, this.options.ctx);
    await this.disposals.close('asked');
    release(this.ctx);
    this.callWatch?.ended('asked');
    return { done: false, result: resultAsking(open, requestState) };
  }

  private noteAsked({ node, asked }: OpenQuestion): void {
    const { params: question } = asked.rendered;
    this.watch?.({ type: 'asked', resolver: node.key, kind: asked.data.kind, question });
  }

  private async fail(error: unknown): Promise<never> {
    abort(this.ctx);
    const end = this.signal.aborted ? 'cancelled' : 'failed';
    await this.disposals.close(end);
    // How a refusal ends is known when it is recorded.
    if (!isRefusal(error)) this.callWatch?.ended(end);
    throw error;
  }
}

/** A function of its own, because the body holds it while it runs: so it does not hold the round. */
function disposing(ctx: RoundContext, disposals: Disposals | undefined): Resolved['dispose'] {
  return async (end) => {
    try {
      await disposals?.close(end);
    } finally {
      release(ctx);
    }
  };
}

function openLedger(plan: Plan, call: OpenCall, { ctx, protocolVersion }: ResolveOptions): Ledger {
  if (!isModern(protocolVersion)) return BLANK_LEDGER;
  return new RoundLedger(call.progress, ctx.mcpReq.inputResponses ?? {}, {
    keepsPins: laneOf(ctx) !== undefined,
    onMovingQuestion: (key) => {
      warnMovingQuestion(plan.name, key);
    },
  });
}

function resultAsking(open: readonly OpenQuestion[], requestState: string): InputRequiredResult {
  const requests = open.map(({ node, asked }) => {
    const { method, params } = asked.rendered;
    return [node.key, params === undefined ? { method } : { method, params }] as const;
  });
  const inputRequests = Object.fromEntries(requests) as InputRequests;
  return { resultType: 'input_required', inputRequests, requestState };
}
