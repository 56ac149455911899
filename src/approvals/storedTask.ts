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
import type { TaskQuestion } from '../call/parkedTasks.js';
import { LEASE_MS } from '../once/attempt.js';
import type { OnceReason } from '../once/singleUse.js';

/** The end of a task: a result, that of `once`, or none. */
export type TaskEnd = { readonly result: Result } | 'ran' | 'cancelled';

/** A task as it is stored. The times are in milliseconds since the epoch. */
export interface StoredTask {
  /** The part of the id that cannot be guessed. */
  readonly secret: string;
  /** A digest of the caller. */
  readonly whose: string;
  /** The arguments as the client sent them. */
  readonly args?: unknown;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The time until which a client was told to keep the handle. Open requests may prolong it. */
  readonly until: number;
  /** The number of rounds that have asked. */
  readonly rounds: number;
  /** The questions that are open, by the key that the client sees. */
  readonly questions?: Readonly<Record<string, TaskQuestion>> | undefined;
  /** The answers since the last round, by the wire keys of resolvers. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  /** The id of the call in the records of `once`, and the time of its claim. */
  readonly ran?: { readonly id: string; readonly at: number } | undefined;
  readonly end?: TaskEnd;
}

/** Returns true if a task can still be cancelled. */
export function isWaiting({ ran, end }: StoredTask): boolean {
  return ran === undefined && end === undefined;
}

/** Returns true if the client has to answer before the task goes on. */
export function isAsking({ questions = {} }: StoredTask): boolean {
  return Object.keys(questions).length > 0;
}

/** The properties of a task that no longer asks. */
export const CLEARED = { questions: undefined, answers: undefined };

/** Returns the task with questions, under keys that were not used before. */
export function taskThatAsks(
  task: StoredTask,
  asked: readonly TaskQuestion[],
  now: number,
): StoredTask {
  const rounds = task.rounds + 1;
  const questions = Object.fromEntries(
    asked.map((question) => [`${question.resolver}#${rounds}`, question]),
  );
  return { ...task, rounds, questions, answers: undefined, updatedAt: now };
}

/** Returns the task of a call whose body did not start. */
export function taskWhenReleased({ ran: _, ...task }: StoredTask): StoredTask {
  return task;
}

/** Returns what is known about a claimed call that `once` has no record of. */
export function unknownEnd({ at }: NonNullable<StoredTask['ran']>, now: number): OnceReason {
  return now < at + LEASE_MS ? 'in_progress' : 'outcome_unknown';
}
