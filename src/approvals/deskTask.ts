/**
 * A task of a desk. While somebody has to decide, a poll is one read of the record of the call.
 * Afterwards it makes the call again, through everything that `tools/call` passes, and shows an end
 * only once the record has it:
 *
 * ```
 * look ──► nothing to do ──► answer
 *   ▲ └──► due ──► round: the call, again ──► recorded end ──► record it, answer
 *   └──────────────── it has changed ◄────┘
 * ```
 */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { ClientCapabilities, InputResponses } from '@modelcontextprotocol/server';
import type { Result, ServerContext } from '@modelcontextprotocol/server';
import { missingCapabilityError } from '../call/askClient.js';
import { replayContext } from '../call/findParked.js';
import { APPROVALS_META_KEY } from '../call/parking.js';
import type { ApprovalsMeta } from '../call/parking.js';
import type { Handler } from '../host/routeMap.js';
import { ONCE_META_KEY } from '../once/singleUse.js';
import { utf8 } from '../platform.js';
import { CAPABILITIES } from '../question/capability.js';
import { isTooDeep } from '../state/canonical.js';
import type { DeskCore, ParkedRecord } from './deskCore.js';
import { isUnannounced } from './nextCall.js';
import { stateOf } from './parkedCall.js';
import type { ParkedCall, StoredTask, TaskEnd } from './parkedCall.js';
import { answersIn, endedTask, isWaiting, lostEnd, openIn } from './storedTask.js';
import { shownTask, TASK_PREFIX, waitingState } from './storedTask.js';
import type { TaskState } from './storedTask.js';
import { TaskRound } from './taskRound.js';
import type { RoundOf } from './taskRound.js';

/** The time that a poll waits for the body, in milliseconds. */
const HOLD_MS = 20_000;

/** The number of times that a poll looks at a task that changes. */
const LOOKS = 5;

const WORKING: TaskState = { status: 'working' };

/** A task as it was read or written last, with its call. */
interface Found {
  readonly call: ParkedCall;
  readonly task: StoredTask;
}

/** A request for the state of a task. */
interface Poll {
  readonly ctx: ServerContext;
  readonly clientCapabilities: ClientCapabilities;
  /** The handler of `tools/call`. */
  readonly toolsCall: Handler<ServerContext>;
}

const ID = new RegExp(`^${TASK_PREFIX}([\\w-]{43})-([\\w-]{22})$`);

/** Returns the task of a call, unless it is another one. */
function taskIn(call: ParkedCall | undefined, secret: string | undefined): Found | undefined {
  const task = call?.task;
  return call && task && task.secret === secret ? { call, task } : undefined;
}

/** A task. Compare `whose` with the caller before you use it. */
export class DeskTask {
  /** A digest of the caller. */
  readonly whose: string;
  /** The parameters of the `tools/call`. */
  readonly params: object;
  private readonly secret: string;

  private constructor(
    private readonly core: DeskCore,
    private readonly stored: ParkedRecord,
    { call, task }: Found,
  ) {
    this.secret = task.secret;
    this.whose = task.whose;
    this.params = { name: call.tool, arguments: task.args };
  }

  /** Finds a task. The id may come from anybody. */
  static async find(core: DeskCore, id: unknown): Promise<DeskTask | undefined> {
    const [, key, secret] = typeof id === 'string' ? (ID.exec(id) ?? []) : [];
    if (key === undefined) return undefined;
    const stored = await core.read(key);
    const found = taskIn(stored.call, secret);
    return found && new DeskTask(core, stored, found);
  }

  /** The task as it is known now, unless a newer one has taken its place. */
  private get found(): Found | undefined {
    return taskIn(this.stored.call, this.secret);
  }

  /** Returns the state, or undefined if a newer task has taken its place. */
  async get(poll: Poll): Promise<Result | undefined> {
    let late: Promise<unknown> | undefined;
    for (let look = 1; look <= LOOKS; look += 1) {
      const { found } = this;
      if (found === undefined) return undefined;
      const shown = this.look(found, poll);
      if (shown === 'over') await this.end(lostEnd(found.call));
      else if (shown !== 'due') return this.answer(shown);
      else {
        late ??= firstAbort(poll.ctx.mcpReq.signal, AbortSignal.timeout(HOLD_MS));
        const working = this.answer(WORKING);
        const round = this.round(found.task, poll);
        const answer = await Promise.race([round, late.then(() => working)]);
        if (answer !== undefined) return answer;
      }
      await this.stored.read();
    }
    return this.answer(WORKING);
  }

  /** Returns the state, `over` if the requests are, or `due` if a round has to find out. */
  private look({ call, task }: Found, { clientCapabilities }: Poll): TaskState | 'over' | 'due' {
    const { end, ran } = task;
    if (end === 'cancelled') return { status: end };
    if (end !== undefined && end !== 'ran') return completed(end.result);
    if (ran !== undefined) return 'due';
    const now = this.core.now();
    const states = call.requests.map((one) => stateOf(call, one, now));
    if (states.length === 0 || states.includes('over')) return 'over';
    if (states.includes('denied')) return 'due';
    const open = openIn(task);
    if (open.length > 0) return asking(open, clientCapabilities);
    if (!states.includes('pending') || isUnannounced(call, now)) return 'due';
    return waitingState(call, now);
  }

  private answer(shown: TaskState): Result | undefined {
    const { found } = this;
    if (found === undefined) return undefined;
    const task = shownTask(this.stored.key, found.call, found.task);
    return { resultType: 'complete', ...task, ...shown };
  }

  /** Starts a round, or joins that of another poll. */
  private round(task: StoredTask, poll: Poll): Promise<Result | undefined> {
    const { rounds } = this.core;
    // The error of another poll may be about its client.
    const running = rounds.get(this.secret)?.catch(() => undefined);
    if (running !== undefined) return running;
    const round = this.callAgain(task, poll).finally(() => rounds.delete(this.secret));
    rounds.set(this.secret, round);
    return round;
  }

  /** Makes the call again. Returns undefined if the task has to be looked at again. */
  private async callAgain(
    before: StoredTask,
    { ctx, toolsCall }: Poll,
  ): Promise<Result | undefined> {
    const { core, stored, params, secret } = this;
    const round: RoundOf = { stored, secret, isRecorded: false };
    const replay = replayContext(ctx, {
      key: stored.key,
      store: core.settings.store,
      answers: answersIn(before) as InputResponses,
      begin: (slot) => new TaskRound(core, slot, round),
    });
    try {
      const result = await toolsCall({ method: 'tools/call', params }, replay);
      if (round.isRecorded) return await this.endAsRun(completed(result));
      return await this.endWithout(before, result);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { code, message, data } = error;
      if (round.isRecorded)
        return this.endAsRun({ status: 'failed', error: { code, message, data } });
      if (this.hasJustRun(before)) return undefined;
      throw error;
    }
  }

  /** Returns true if the body has started in this round, so that the record of its end is shown. */
  private hasJustRun(before: StoredTask): boolean {
    return isWaiting(before) && this.found?.task.ran !== undefined;
  }

  /** Records that the end is the one that `once` has, before it is shown. */
  private async endAsRun(shown: TaskState): Promise<Result | undefined> {
    const isEnded = this.found?.task.end === 'ran' || (await this.end('ran'));
    return isEnded ? this.answer(shown) : undefined;
  }

  /** Ends the task after a round without the recorded end, if its result is final. */
  private async endWithout(before: StoredTask, result: Result): Promise<Result | undefined> {
    const { [ONCE_META_KEY]: once, [APPROVALS_META_KEY]: approvals } = result._meta ?? {};
    const { state, why } = (approvals ?? {}) as Partial<ApprovalsMeta>;
    if (isInputRequiredResult(result) || state === 'pending' || state === 'used') return undefined;
    if (once === 'in_progress') return this.answer(WORKING);
    if ([once, why].some((one) => String(one).startsWith('store_')))
      throw new Error('The store failed during a poll of a task. The next poll goes on.');
    if (this.hasJustRun(before)) return undefined;
    if (!isWaiting(before) && (once === undefined || before.end !== undefined))
      throw new Error(
        'A task has completed, but a poll did not get its result. The tool or a check in front of it refused the poll.',
      );
    await this.end({ result });
    return undefined;
  }

  /** Ends the task. Returns false if its record has changed since it was read or written last. */
  private async end(end: TaskEnd): Promise<boolean> {
    const { found } = this;
    if (found === undefined || found.task.end !== undefined) return false;
    const task = endedTask(found.call, found.task, { end, at: this.core.now() });
    return this.stored.put({ ...found.call, task });
  }

  /** Keeps the answers to open questions for the next round. It ignores all others. */
  async update(responses: Readonly<Record<string, unknown>>, maxBytes: number): Promise<void> {
    await this.change(({ call, task }) => {
      const answered = openIn(task)
        .filter(([key]) => Object.hasOwn(responses, key))
        .map(([key, question]) => [key, { ...question, answer: responses[key] }] as const);
      if (answered.length === 0) return undefined;
      const asked = { ...task.asked, ...Object.fromEntries(answered) };
      const next = { ...task, asked, updatedAt: this.core.now() };
      const answers = answersIn(next);
      if (isTooDeep(answers) || utf8(JSON.stringify(answers)).length > maxBytes)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The answers are nested too deeply, or take more than ${maxBytes} bytes`,
        );
      return { ...call, task: next };
    });
  }

  /** Withdraws the requests and ends the task, unless the body has started. */
  async cancel(): Promise<void> {
    const cancelled = await this.change(({ call, task }) => {
      const end = { end: 'cancelled', at: this.core.now() } as const;
      return { ...call, withdrawn: true, task: endedTask(call, task, end) };
    });
    if (cancelled === undefined) return;
    const { tool, requests } = cancelled;
    for (const { id } of requests) this.core.tell({ type: 'withdrawn', id, tool });
    await this.core.relist(this.stored.key, cancelled);
  }

  /** Changes the call of a task that can still be cancelled. */
  private change(
    decide: (found: Found) => ParkedCall | undefined,
  ): Promise<ParkedCall | undefined> {
    return this.core.change(this.stored.key, (call) => {
      const found = taskIn(call, this.secret);
      return found && isWaiting(found.task) ? decide(found) : undefined;
    });
  }
}

/** An inlined result says of which kind it is. */
function completed(result: Result): TaskState {
  return { status: 'completed', result: { ...result, resultType: 'complete' } };
}

/** @throws {ProtocolError} If the client cannot answer. Another client of the same user may. */
function asking(open: ReturnType<typeof openIn>, declared: ClientCapabilities): TaskState {
  for (const [, { capability, resolver }] of open) {
    const needed = Object.values(CAPABILITIES).find(({ name }) => name === capability);
    if (needed?.isDeclaredIn(declared) === true) continue;
    throw missingCapabilityError(needed ?? { name: capability, required: {} }, resolver);
  }
  const requests = open.map(([key, { request }]) => [key, request] as const);
  return { status: 'input_required', inputRequests: Object.fromEntries(requests) };
}

/** Resolves when the first of some signals is aborted. */
function firstAbort(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => {
        resolve();
      });
    }
  });
}
