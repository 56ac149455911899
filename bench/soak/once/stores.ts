/** Stores that wrap another store. */
import { setTimeout as delay } from 'node:timers/promises';
import type { OnceStore } from 'mcp-resolve/once';

import type { Random } from '../tokens/random.js';

/**
 * Creates a store that sometimes waits before and after a step. Kills then also hit the moments
 * between claim and body, between body and record, and between record and answer.
 */
export function hesitating(store: OnceStore, random: Random): OnceStore {
  const slowly = async <T>(step: () => Promise<T>): Promise<T> => {
    await hesitation(random);
    const result = await step();
    await hesitation(random);
    return result;
  };
  return {
    ...store,
    claim: (id, lease) => slowly(() => store.claim(id, lease)),
    finish: (id, end) => slowly(() => store.finish(id, end)),
  };
}

async function hesitation(random: Random): Promise<void> {
  if (random.percent(10)) await delay(random.between(20, 200));
}

/** Creates a store whose claims have another duration. */
export function withLease(store: OnceStore, leaseMs: number): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, leaseMs }),
    renew: (id, lease) => store.renew(id, { ...lease, leaseMs }),
  };
}
