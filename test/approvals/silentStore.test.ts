/**
 * A store that never answers one of its steps. Each step has five seconds, which these tests let
 * pass at once. The step may have taken effect.
 */
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { eras } from '../support/eras.js';
import { textOf } from '../support/results.js';
import { clientOf, INVOICE, payTool, waitingOf } from './bank.js';
import { testDesk, yes } from './callers.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

type How = 'before' | 'after';

/** A store that is silent in its step `at`, before or after the step has taken effect. */
function silentStore(at: number, how: How): { store: RecordStore; steps: () => number } {
  const inner = memoryStore();
  let steps = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    const isSilent = steps === at;
    steps += 1;
    if (!isSilent) return work();
    if (how === 'after') await work();
    // The timer of the step runs already.
    setImmediate(() => vi.advanceTimersByTime(5000));
    return new Promise<never>(() => undefined);
  };
  const store: RecordStore = {
    ...inner,
    get: (key) => step(() => inner.get(key)),
    put: (key, value, options) => step(() => inner.put(key, value, options)),
  };
  return { store, steps: () => steps };
}

describe.each(eras)('a store that never answers a step, on %s', (era) => {
  /** Plays a payment to its end, and returns what its calls were told. */
  async function play(at: number, how: How) {
    const { store, steps } = silentStore(at, how);
    const { desk, clock } = testDesk({ store });
    const paid: unknown[] = [];
    const client = await clientOf(era, payTool(paid, { approvals: desk }));
    const told: string[] = [];
    for (let calls = 0; calls < 10 && !told.includes('used'); calls += 1) {
      const result = await client.call('pay', INVOICE);
      if (result.isError !== true) {
        told.push(textOf(result));
        continue;
      }
      const { state, why, requests } = waitingOf(result);
      told.push(why ?? state);
      // After a minute, another call announces a request whose first call did not get there.
      clock.now += 60_000;
      const [request] = requests;
      if (request?.state !== 'pending') continue;
      const decision = desk.decide(request.id, yes('bob'));
      await decision.catch((error: unknown) => {
        expect(error).toEqual(new Error('The store did not answer within 5000 ms.'));
      });
    }
    return { told, paid, steps: steps() };
  }

  it.each(['before', 'after'] as const)(
    'V40 V41 ends no call without an answer, and runs one body (silent %s the effect)',
    async (how) => {
      const { steps, told } = await play(Infinity, how);
      expect(told).toEqual(['pending', 'Paid.', 'used']);
      for (let at = 0; at < steps; at += 1) {
        const { told: heard, paid } = await play(at, how);
        expect(heard.filter((word) => word !== 'store_unavailable').at(-1)).toBe('used');
        expect({ at, paid: paid.length }).toEqual({ at, paid: 1 });
      }
    },
  );
});
