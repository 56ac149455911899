/** Stores around a store, as anybody could write them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { OnceStore } from 'mcp-resolve/once';

import type { Random } from '../tokens/random.js';

/**
 * A store that now and then takes its time, before a step and after it. A kill then also comes
 * between the claim and the body, between the body and the record, and between the record and the
 * answer.
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

/** A store whose claims hold for another time. */
export function withLease(store: OnceStore, leaseMs: number): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, leaseMs }),
    renew: (id, lease) => store.renew(id, { ...lease, leaseMs }),
  };
}
