/**
 * Objects of one kind have one hidden class. Where each has its own, all code that reads them is
 * slow, the listener's and the SDK's included; nothing else shows it. On Node 20, which CI runs,
 * any member that a literal adds behind a spread gives its object a class of its own.
 */
import { setFlagsFromString } from 'node:v8';
import { confirm, defineTool, resolver } from 'mcp-resolve';
import type { CallEvent } from 'mcp-resolve';
import { planResolvers } from 'mcp-resolve/engine';
import { expect, it } from 'vitest';

import { accept, eras, serving, talk } from '../support/conversation.js';

setFlagsFromString('--allow-natives-syntax');
// eslint-disable-next-line @typescript-eslint/no-implied-eval -- the compiler knows no natives
const haveSameShape = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (
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

it('the nodes of a plan, and what fills their parameters, have one each', () => {
  const parts = AGAIN.map((index) => [`part${index}`, resolver({}, () => index)] as const);
  const top = resolver(Object.fromEntries(parts), () => 'all');
  const { nodes, params } = planResolvers({ name: 'tool', resolve: { top } }, []);
  expect(nodes).toHaveLength(AGAIN.length + 1);
  expect(shapesOf(nodes)).toBe(1);
  expect(shapesOf([...params, ...nodes.flatMap(({ fills }) => fills)])).toBe(1);
});

it.each(eras)('events of one type have one, on the %s era', async (era) => {
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
    // A function that gives a value and one that asks are told in two ways.
    expect(shapesOf(some), type).toBeLessThanOrEqual(2);
  }
});
