/** The order of the questions of a round, whatever the order in which resolvers finish. */
import { confirm, resolver } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import { expect, test } from 'vitest';

import { deferred } from '../support/deferred.js';
import { contextOf } from './play.js';

test('questions go out in the order of the walk, even if the last one is ready first', async () => {
  const slow = deferred();
  const first = resolver(
    {},
    async () => {
      await slow.promise;
      return confirm('First?');
    },
    { asks: 'form' },
  );
  const second = resolver(
    {},
    async () => {
      await Promise.resolve();
      return confirm('Second?');
    },
    { asks: 'form' },
  );
  const third = resolver(
    {},
    () => {
      slow.resolve();
      return confirm('Third?');
    },
    { asks: 'form' },
  );
  const plan = planResolvers({ name: 'tool', resolve: { first, second, third } }, []);
  const resolution = await resolveArguments(
    plan,
    {},
    {
      ctx: contextOf(),
      protocolVersion: '2026-07-28',
      clientCapabilities: { elicitation: {} },
    },
  );
  expect(resolution.done).toBe(false);
  expect(
    Object.keys((resolution as { result: { inputRequests: object } }).result.inputRequests),
  ).toEqual(['first', 'second', 'third']);
});
