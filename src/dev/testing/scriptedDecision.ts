/** Scripted decisions on approvals. */
import { isObject } from '../../values.js';

/** The decisions of approvers on a request. */
export interface ScriptedDecision {
  readonly verdict: 'approve' | 'deny' | 'none';
  /** The persons who decide, one after the other. */
  readonly who: readonly string[];
  readonly comment?: string;
}

/**
 * Creates the approval of one or more persons, who are in the right group.
 *
 * @example
 *
 * ```ts
 * const answers = { secondPair: approvedBy('bob', 'carol') };
 * ```
 */
export function approvedBy(...who: readonly [string, ...string[]]): ScriptedDecision {
  return { verdict: 'approve', who };
}

/**
 * Creates the denial of a person, who is in the right group.
 *
 * @example
 *
 * ```ts
 * const answers = { secondPair: deniedBy('bob', 'The account is wrong.') };
 * ```
 */
export function deniedBy(who: string, comment?: string): ScriptedDecision {
  return { verdict: 'deny', who: [who], ...(comment !== undefined && { comment }) };
}

/**
 * Leaves a request undecided, so that the call ends while it waits.
 *
 * @example
 *
 * ```ts
 * const answers = { secondPair: undecided() };
 * ```
 */
export function undecided(): ScriptedDecision {
  return { verdict: 'none', who: [] };
}

/** Returns true for a scripted decision. */
export function isScriptedDecision(value: unknown): value is ScriptedDecision {
  return isObject(value) && Array.isArray(value.who) && typeof value.verdict === 'string';
}
