/** What the engine tells the operator about guards and fallbacks that are easy to get wrong. */
import { confirm, resolver } from 'mcp-resolve';
import type { AnyResolver } from 'mcp-resolve';
import { planResolvers } from 'mcp-resolve/engine';
import { expect, test } from 'vitest';

import { Disposals } from '../../src/engine/disposals.js';
import { Ledger, NO_PROGRESS } from '../../src/engine/ledger.js';
import { Round } from '../../src/engine/round.js';
import { contextOf } from './play.js';

/** Runs a round for a client that can answer nothing, and returns what it tells the operator. */
async function told(guards: AnyResolver[], resolve: Record<string, AnyResolver> = {}) {
  const notes: unknown[] = [];
  const ignore = (): void => undefined;
  const ledger = new Ledger({
    before: NO_PROGRESS,
    responses: {},
    keepsPins: false,
    onMovingQuestion: ignore,
  });
  const round = new Round(planResolvers({ name: 'tool', guards, resolve }, []), {
    args: {},
    ctx: contextOf() as never,
    ledger,
    disposals: new Disposals(ignore),
    watch: undefined,
    onUndeclared: ({ key }, kind) => notes.push([key, kind]),
    onGuardValue: ({ key }, value) => notes.push([key, value]),
    onUnasked: ({ key }) => notes.push(key),
  });
  await round.run();
  return notes;
}

const guard = (value: unknown): AnyResolver => resolver({}, () => value as boolean, { name: 'g' });

test('a guard is named if it returns neither true nor false', async () => {
  expect(await told([guard('yes')])).toEqual([['g', 'yes']]);
  expect(await told([guard(true)])).toEqual([]);
  expect(await told([guard(false)])).toEqual([]);
});

test('a resolver is named if its fallback confirms and nobody was asked', async () => {
  const sure = (otherwise: boolean): AnyResolver =>
    resolver({}, () => confirm('Sure?', { otherwise }), { asks: 'form' });
  expect(await told([], { sure: sure(true) })).toEqual(['sure']);
  expect(await told([], { sure: sure(false) })).toEqual([]);
});

test('a resolver is named if it asks without a declaration', async () => {
  const sure = resolver({}, (): unknown => confirm('Sure?', { otherwise: false }));
  expect(await told([], { sure })).toEqual([['sure', 'form']]);
});
