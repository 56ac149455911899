/**
 * Whose question a client of the 2025 era was just pushed. The question itself carries no key, but
 * the engine always pushes the first open one of the walk, and tells a listener of every one that
 * opens and closes.
 */
import type { AskedEvent, CallEvent } from '../../define/event.js';
import type { Plan } from '../../graph/plan.js';
import { canonicalJson } from '../../state/canonical.js';
import type { InputRequest } from './question.js';

/** The key of the resolver that asks; the method, if it is none of the plan's. */
export function keyOfPushed(
  plan: Plan,
  events: readonly CallEvent[],
  { method, params }: InputRequest,
): string {
  const open = openQuestions(events);
  const node = plan.nodes.find(({ key }) => open.has(key));
  const asked = node && open.get(node.key);
  return asked !== undefined && isSame(asked.question, params) ? asked.resolver : method;
}

function openQuestions(events: readonly CallEvent[]): Map<string, AskedEvent> {
  const open = new Map<string, AskedEvent>();
  for (const event of events) {
    if (event.type === 'asked') open.set(event.resolver, event);
    else if (event.type === 'answered' || event.type === 'declined') open.delete(event.resolver);
  }
  return open;
}

/** What the era and the SDK add to a question on its way is not part of it. */
function isSame(asked: unknown, pushed: object | undefined): boolean {
  const { elicitationId: _, _meta: __, ...params } = { ...pushed } as Record<string, unknown>;
  return canonicalJson({ ...(asked as object | undefined) }) === canonicalJson(params);
}
