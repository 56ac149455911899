/** Changes the task of a call together with the call, and shows it to its client. */
import type { Result } from '@modelcontextprotocol/server';
import { shownFailure } from '../call/callable.js';
import { TASK_PREFIX } from '../call/parkedTasks.js';
import { APPROVALS_META_KEY } from '../call/parking.js';
import type { ParkedRound } from '../call/parking.js';
import { toolError } from '../definition/defineTool.js';
import { randomId } from '../platform.js';
import { decodeRecord } from '../state/record.js';
import { lostError, waitOf } from './approvalErrors.js';
import { lastExpiry } from './parkedCall.js';
import type { ParkedCall } from './parkedCall.js';
import { CLEARED, isAsking, isWaiting } from './storedTask.js';
import type { StoredTask, TaskEnd } from './storedTask.js';

/** A call that parks. */
export interface TaskParking {
  /** The call as it was stored last. */
  readonly stored: ParkedCall | undefined;
  /** The same, unless all its requests are over. */
  readonly live: ParkedCall | undefined;
  /** A digest of the caller, if the desk gives handles. */
  readonly whose: string | undefined;
  readonly now: number;
  readonly ttlMs: number;
}

/** Returns the time until which a client was told to keep the handle. */
export function toldUntil(call: ParkedCall, task: StoredTask): number {
  return isWaiting(task) ? Math.max(task.until, lastExpiry(call)) : task.until;
}

/** Returns the task with an end. */
export function endedTask(
  call: ParkedCall,
  task: StoredTask,
  { at, end }: { readonly at: number; readonly end: TaskEnd },
): StoredTask {
  return { ...task, ...CLEARED, end, updatedAt: at, until: toldUntil(call, task) };
}

/** Returns the task of a call that parks: the one that waits, a new one, or the end of an old one. */
export function taskWhenParked(
  { sent }: ParkedRound,
  { stored, live, whose, now, ttlMs }: TaskParking,
): StoredTask | undefined {
  const present = stored?.task;
  const isOpen = present !== undefined && isWaiting(present);
  if (isOpen && live !== undefined)
    return isAsking(present) || present.answers ? { ...present, ...CLEARED } : present;
  if (sent !== undefined && whose !== undefined) {
    const times = { createdAt: now, updatedAt: now, until: now + ttlMs };
    return { secret: randomId(), whose, args: sent.args, ...times, rounds: 0 };
  }
  // The requests of the old task are over, so the new ones are not about it.
  return isOpen && stored !== undefined
    ? endedTask(stored, present, { at: now, end: lostEnd(stored) })
    : present;
}

/** Returns the end of a task whose requests were withdrawn or replaced, or have expired. */
export function lostEnd({ tool }: ParkedCall): { readonly result: Result } {
  return { result: toolError(tool, shownFailure(lostError())) };
}

/** Returns the task of a call whose body is about to start. */
export function taskWhenClaimed(call: ParkedCall, now: number): StoredTask | undefined {
  const { task } = call;
  const id = decodeRecord(call.record)?.id;
  if (task === undefined || !isWaiting(task) || id === undefined) return task;
  const until = toldUntil(call, task);
  return { ...task, ...CLEARED, until, updatedAt: now, ran: { id, at: now } };
}

/** The time between two polls. */
const POLL_MS = 5000;

/** Returns the handle of a call that waits. */
export function handleOf(key: string, call: ParkedCall, now: number): Result | undefined {
  const { task } = call;
  if (task === undefined) return undefined;
  const { text, meta } = waitOf(call, now);
  const statusMessage = `${text[0]?.toUpperCase()}${text.slice(1)}`;
  const shown = { ...shownTask(key, call, task), status: 'working', statusMessage };
  return { resultType: 'task', ...shown, _meta: { [APPROVALS_META_KEY]: meta } };
}

/** Returns the properties that every answer about a task has. */
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
