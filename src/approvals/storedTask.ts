/**
 * The task of a parked call, as it is stored with the call. Everything that can end a task is a
 * compare-and-set of this one record, so an end never changes.
 *
 * ```
 *            approved                  claimed
 *  working ───────────► (next poll) ─────────────► ran ──► the end that `once` has recorded
 *     ▲                  │      │
 *     │ answered         │      └── refused, denied, declined, changed ──► completed
 *  input_required ◄──────┘          cancelled, withdrawn, expired ──► cancelled, completed
 * ```
 */
import type { Result } from '@modelcontextprotocol/server';
import { shownFailure } from '../call/callable.js';
import type { TaskQuestion } from '../call/parking.js';
import { toolError } from '../definition/defineTool.js';
import { decodeRecord } from '../state/record.js';
import { lostError, waitOf } from './approvalErrors.js';
import { lastExpiry } from './parkedCall.js';
import type { ParkedCall, StoredTask, TaskEnd } from './parkedCall.js';

/** Returns true if a task can still be cancelled. */
export function isWaiting({ ran, end }: StoredTask): boolean {
  return ran === undefined && end === undefined;
}

/** Returns the questions that the client has to answer before the task goes on. */
export function openIn({ asked = {} }: StoredTask): readonly (readonly [string, TaskQuestion])[] {
  return Object.entries(asked).filter(([, { answer }]) => answer === undefined);
}

/** Returns the answers for the next round, by the wire keys of resolvers. */
export function answersIn({ asked = {} }: StoredTask): Readonly<Record<string, unknown>> {
  const answered = Object.values(asked).filter(({ answer }) => answer !== undefined);
  return Object.fromEntries(answered.map(({ resolver, answer }) => [resolver, answer]));
}

/** Returns the task with questions, under keys that were not used before. */
export function askingTask(
  task: StoredTask,
  questions: readonly TaskQuestion[],
  updatedAt: number,
): StoredTask {
  const rounds = task.rounds + 1;
  const asked = questions.map((question) => [`${question.resolver}#${rounds}`, question] as const);
  return { ...task, rounds, asked: Object.fromEntries(asked), updatedAt };
}

/** Returns the task of a call whose body is about to start. */
export function claimedTask(call: ParkedCall, at: number): StoredTask | undefined {
  const { task, record } = call;
  const id = decodeRecord(record)?.id;
  if (task === undefined || !isWaiting(task) || id === undefined) return task;
  const until = toldUntil(call, task);
  return { ...task, asked: undefined, until, updatedAt: at, ran: { id, at } };
}

/**
 * Returns the task of a call whose claim is given back. A task that an earlier claim has run stays
 * as it is.
 */
export function releasedTask({ task, record }: ParkedCall): StoredTask | undefined {
  if (task?.ran === undefined || task.ran.id !== decodeRecord(record)?.id) return task;
  return { ...task, ran: undefined };
}

/** Returns the task with an end. */
export function endedTask(call: ParkedCall, task: StoredTask, how: Ending): StoredTask {
  const { end, at } = how;
  return { ...task, asked: undefined, end, updatedAt: at, until: toldUntil(call, task) };
}

interface Ending {
  readonly end: TaskEnd;
  readonly at: number;
}

/** Returns the end of a task whose requests were withdrawn or replaced, or have expired. */
export function lostEnd({ tool }: ParkedCall): TaskEnd {
  return { result: toolError(tool, shownFailure(lostError())) };
}

/** Returns the time until which a client was told to keep the handle. */
export function toldUntil(call: ParkedCall, task: StoredTask): number {
  return isWaiting(task) ? Math.max(task.until, lastExpiry(call)) : task.until;
}

/** The state of a task, as its client sees it. */
export type TaskState =
  | { readonly status: 'working'; readonly statusMessage?: string }
  | { readonly status: 'cancelled' }
  | { readonly status: 'input_required'; readonly inputRequests: object }
  | { readonly status: 'completed'; readonly result: Result }
  | { readonly status: 'failed'; readonly error: object };

/** Returns the state of a task that waits for approvals, without the advice to call again. */
export function waitingState(call: ParkedCall, now: number): TaskState {
  const { text } = waitOf(call, now);
  return { status: 'working', statusMessage: `${text.charAt(0).toUpperCase()}${text.slice(1)}` };
}

/** The beginning of the ids of parked calls. All other ids belong to the host. */
export const TASK_PREFIX = 'parked-';

/** The time between two polls. */
const POLL_MS = 5000;

/** Returns the properties that the handle and every poll of a task have. */
export function shownTask(key: string, call: ParkedCall, task: StoredTask): object {
  const { secret, createdAt, updatedAt } = task;
  return {
    taskId: `${TASK_PREFIX}${key}-${secret}`,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: Math.round(toldUntil(call, task) - createdAt),
    pollIntervalMs: POLL_MS,
  };
}
