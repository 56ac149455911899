/**
 * One poll of a task. While somebody has to decide, it is one read of the record of the call.
 * Afterwards it makes the stored call again, through everything that `tools/call` passes, and shows
 * an end only once the record has it:
 *
 * ```
 * look ──► nothing to do ──► answer
 *   ▲ └──► due ──► round: the stored call, again ──► recorded end ──► record it, answer
 *   └───────────────────── it has changed ◄────┘
 * ```
 */
import {
  isInputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
} from '@modelcontextprotocol/server';
import type { InputResponses, Result } from '@modelcontextprotocol/server';
import { APPROVALS_META_KEY } from '../call/parking.js';
import type { ApprovalsMeta } from '../call/parking.js';
import type { StoredCall, TaskQuestion, TaskReplay, TaskRequest } from '../call/parkedTasks.js';
import { ONCE_META_KEY } from '../once/singleUse.js';
import type { OnceReason } from '../once/singleUse.js';
import { CAPABILITIES } from '../question/capability.js';
import { waitOf } from './approvalErrors.js';
import { callKey } from './deskCore.js';
import type { DeskCore } from './deskCore.js';
import { changeTask, findTask } from './foundTask.js';
import type { FoundTask } from './foundTask.js';
import { encodeCall, lifeOf, stateOf } from './parkedCall.js';
import { isAsking, isWaiting } from './storedTask.js';
import { endedTask, lostEnd, shownTask } from './taskChanges.js';
import type { TaskEnd } from './storedTask.js';

/** The time that a poll waits for the body, in milliseconds. */
const HOLD_MS = 20_000;

/** The number of times that a poll looks at a task that changes. */
const LOOKS = 6;

/** The state of a task, as its client sees it. */
type Shown =
  | { readonly status: 'working'; readonly statusMessage?: string }
  | { readonly status: 'cancelled' }
  | { readonly status: 'input_required'; readonly inputRequests: object }
  | { readonly status: 'completed'; readonly result: Result }
  | { readonly status: 'failed'; readonly error: object };

const WORKING: Shown = { status: 'working' };

/** The rounds that run in this process, by task. Polls for one task share a round. */
export type Rounds = Map<string, Promise<Result | undefined>>;

/** A request for the state of a task. */
interface Poll {
  readonly core: DeskCore;
  readonly rounds: Rounds;
  readonly request: TaskRequest;
}

/** Returns the state of a task, or undefined if it is gone. */
export async function poll(at: Poll, first: FoundTask): Promise<Result | undefined> {
  const { core, rounds, request } = at;
  const until = performance.now() + HOLD_MS;
  let found: FoundTask | undefined = first;
  for (let look = 1; look < LOOKS; look += 1) {
    const shown = lookAt(at, found);
    if (shown === 'over') await endOver(core, found, lostEnd(found.call));
    else if (shown !== 'due') return answerOf(found, shown);
    else {
      // The error of another poll may be about its client.
      const round = rounds.get(request.id)?.catch(ignore) ?? startRound(at, found);
      const ended = await orTimeout(round, { until, signal: request.signal });
      if (ended === 'running') break;
      if (ended !== undefined) return ended;
    }
    found = await findTask(core, request.id);
    if (found === undefined) return undefined;
  }
  return answerOf(found, WORKING);
}

const ignore = (): undefined => undefined;

function answerOf({ key, call, task }: FoundTask, shown: Shown): Result {
  return { resultType: 'complete', ...shownTask(key, call, task), ...shown };
}

/** Returns the state of a task, `over` if its requests are, or `due` if a round has to find out. */
function lookAt({ core, request }: Poll, { call, task }: FoundTask): Shown | 'over' | 'due' {
  const { end, ran } = task;
  if (end === 'cancelled') return { status: end };
  if (end !== undefined && end !== 'ran') return completed(end.result);
  if (ran !== undefined) return 'due';
  const now = core.now();
  const states = call.requests.map((one) => stateOf(call, one, now));
  if (states.length === 0 || states.includes('over')) return 'over';
  if (states.includes('denied')) return 'due';
  if (isAsking(task)) return askingState(Object.entries(task.questions ?? {}), request);
  if (!states.includes('pending')) return 'due';
  return { status: 'working', statusMessage: waitOf(call, now).text };
}

/** An inlined result says of which kind it is. */
function completed(result: Result): Shown {
  return { status: 'completed', result: { ...result, resultType: 'complete' } };
}

/** @throws {ProtocolError} If the client cannot answer. Another client of the same user may. */
function askingState(
  questions: readonly (readonly [key: string, question: TaskQuestion])[],
  { clientCapabilities }: TaskRequest,
): Shown {
  for (const [, { capability, resolver }] of questions) {
    const needed = Object.values(CAPABILITIES).find(({ name }) => name === capability);
    if (needed?.isDeclaredIn(clientCapabilities) === true) continue;
    throw new MissingRequiredClientCapabilityError(
      { requiredCapabilities: needed?.required ?? {} },
      `Client did not declare the ${capability} capability required by resolver '${resolver}'`,
    );
  }
  const requests = questions.map(([key, { request }]) => [key, request] as const);
  return { status: 'input_required', inputRequests: Object.fromEntries(requests) };
}

function startRound(at: Poll, found: FoundTask): Promise<Result | undefined> {
  const { rounds, request } = at;
  const round = runRound(at, found).finally(() => rounds.delete(request.id));
  // The poll may be over before the round.
  round.catch(ignore);
  rounds.set(request.id, round);
  return round;
}

/** Waits for a round until a time, or until the client no longer wants the answer. */
async function orTimeout<T>(
  round: Promise<T>,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<T | 'running'> {
  let stop: () => void = ignore;
  const stopped = new Promise<'running'>((resolve) => {
    stop = () => {
      resolve('running');
    };
  });
  const timer = setTimeout(stop, Math.max(until - performance.now(), 0));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([round, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Returns the parameters of the stored call. */
export function callIn({ call, task }: FoundTask): StoredCall {
  return { name: call.tool, arguments: task.args };
}

/** Makes the call of a task again. Returns undefined if the task has to be looked at again. */
async function runRound(at: Poll, found: FoundTask): Promise<Result | undefined> {
  const { core, request } = at;
  const { key, task } = found;
  const answers = (task.answers ?? {}) as InputResponses;
  const replay: TaskReplay = { key, secret: task.secret, answers, recorded: false };
  try {
    const result = await request.run(callIn(found), replay);
    if (replay.recorded) return await endWithRun(core, found, completed(result));
    return await endWithout(core, found, { result, replay });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    const shown = { code, message, ...(data !== undefined && { data }) };
    if (replay.recorded) return endWithRun(core, found, { status: 'failed', error: shown });
    const ran = (await findTask(core, request.id))?.task.ran;
    // If the body threw it in this round, the record of its end is shown.
    if (isWaiting(task) && ran !== undefined) return undefined;
    throw error;
  }
}

/** Records that the end of a task is the one that `once` has, before it is shown. */
async function endWithRun(
  core: DeskCore,
  found: FoundTask,
  shown: Shown,
): Promise<Result | undefined> {
  if (found.task.end === 'ran') return answerOf(found, shown);
  const next = await changeTask(core, found, (call, task) => ({
    ...call,
    task: endedTask(call, task, { at: core.now(), end: 'ran' }),
  }));
  return next?.task && answerOf({ ...found, call: next, task: next.task }, shown);
}

/** The `_meta` of a call that did not run. */
interface Reasons {
  readonly [ONCE_META_KEY]?: OnceReason;
  readonly [APPROVALS_META_KEY]?: ApprovalsMeta;
}

/** Ends a task after a round without the recorded end, if its result is final. */
async function endWithout(
  core: DeskCore,
  found: FoundTask,
  { result, replay }: { readonly result: Result; readonly replay: TaskReplay },
): Promise<Result | undefined> {
  const { [ONCE_META_KEY]: once, [APPROVALS_META_KEY]: approvals } = (result._meta ??
    {}) as Reasons;
  const { state, why } = approvals ?? {};
  if (isInputRequiredResult(result) || state === 'pending' || state === 'used') return undefined;
  if (once === 'in_progress') return answerOf(found, WORKING);
  if ([once, why].some((one) => one?.startsWith('store_') === true)) throw new Error(NO_STORE);
  if (isWaiting(found.task)) {
    await (replay.finish?.(result) ?? endOver(core, found, { result }));
  } else {
    if (once === undefined || found.task.end !== undefined) throw new Error(NO_RESULT);
    const at = core.now();
    await changeTask(core, found, (call, task) => ({
      ...call,
      task: endedTask(call, task, { at, end: { result } }),
    }));
  }
  return undefined;
}

const NO_STORE = 'The store failed during a poll of a task. The next poll goes on.';

const NO_RESULT =
  'A task has completed, but a poll did not get its result. The tool or a check in front of it refused the poll.';

/** Ends a task, if its call has not changed since it was found. */
function endOver(
  core: DeskCore,
  { key, call, task, text }: FoundTask,
  end: TaskEnd,
): Promise<boolean> {
  const next = { ...call, task: endedTask(call, task, { at: core.now(), end }) };
  const how = { was: text, until: lifeOf(next), of: next.of };
  return core.records.put(callKey(key), encodeCall(next), how);
}
