/**
 * Whose question a client of the 2025 era was just pushed. The question itself carries no key, but
 * a listener is told of every one right before it goes out, and of its end.
 */
import type { CallEvent } from '../../define/event.js';
import { isObject } from '../../define/schema.js';
import { canonicalJson } from '../../state/canonical.js';
import type { InputRequest } from './askedQuestion.js';

/** The key of the resolver that asks; the method, if it is none of them. */
export function keyOfPushed(
  events: readonly CallEvent[],
  { method, params }: InputRequest,
): string {
  const last = events.findLast(({ type }) => ABOUT_QUESTIONS.has(type));
  return last?.type === 'asked' && isSame(last.question, params) ? last.resolver : method;
}

const ABOUT_QUESTIONS: ReadonlySet<CallEvent['type']> = new Set(['asked', 'answered', 'declined']);

/** What the era and the SDK add to a question on its way is not part of it. */
function isSame(asked: unknown, pushed: object | undefined): boolean {
  const { elicitationId: _, _meta: __, ...params }: Record<string, unknown> = { ...pushed };
  return canonicalJson(isObject(asked) ? asked : {}) === canonicalJson(params);
}
