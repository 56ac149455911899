/**
 * Objects of one kind have one hidden class. Where each has its own, all code that reads them is
 * slow, the listener's and the SDK's included; nothing else shows it. On Node 20, which CI runs,
 * any member that a literal adds behind a spread gives its object a class of its own.
 */
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { confirm, defineTool, resolver } from 'mcp-resolve';
import type { CallEvent } from 'mcp-resolve';
import { planResolvers } from 'mcp-resolve/engine';
import { expect, it } from 'vitest';

import { accept, eras, serving, talk } from '../support/conversation.js';

setFlagsFromString('--allow-natives-syntax');
const haveSameShape = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (
  a: object,
  b: object,
) => boolean;

/** How many hidden classes some objects have. */
function shapesOf(objects: readonly object[]): number {
  const found: object[] = [];
  for (const one of objects) if (!found.some((known) => haveSameShape(known, one))) found.push(one);
  return found.length;
}

const AGAIN = Array.from({ length: 20 }, (_, index) => index);

it('tells objects of one hidden class from objects of many', () => {
  expect(shapesOf(AGAIN.map((a) => ({ a })))).toBe(1);
  expect(shapesOf(AGAIN.map((index) => ({ [`member${index}`]: index })))).toBe(AGAIN.length);
});

it('the nodes of a plan have one hidden class, and what fills their parameters has another', () => {
  const parts = AGAIN.map((index) => [`part${index}`, resolver({}, () => index)] as const);
  const top = resolver(Object.fromEntries(parts), () => 'all');
  const { nodes, params } = planResolvers({ name: 'tool', resolve: { top } }, []);
  expect(nodes).toHaveLength(AGAIN.length + 1);
  expect(shapesOf(nodes)).toBe(1);
  expect(shapesOf([...params, ...nodes.flatMap(({ fills }) => fills)])).toBe(1);
});

it.each(eras)('events of one type have one hidden class, on the %s era', async (era) => {
  const price = resolver({}, () => 100);
  const sure = resolver({ price }, () => confirm('Sure?'));
  const pay = defineTool('pay', { resolve: { price, sure } }, () => 'paid');
  const events: CallEvent[] = [];
  const options = { onEvent: (event: CallEvent) => void events.push(event) };
  const elicit = AGAIN.map(() => accept({ confirm: true }));
  const { text } = await talk(era, serving([pay], options), { elicit });
  for (const _ of AGAIN) expect(await text('pay')).toBe('paid');
  for (const type of ['started', 'ran', 'asked', 'answered', 'completed'] as const) {
    const some = events.filter((event) => event.type === type);
    expect(some.length, type).toBeGreaterThanOrEqual(AGAIN.length);
    // A duration that happens to be whole is kept in another way.
    expect(shapesOf(some), type).toBeLessThanOrEqual('durationMs' in (some[0] ?? {}) ? 2 : 1);
  }
});
