/** Stores that wrap another store. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RecordStore } from 'mcp-resolve/store';

import type { Random } from '../tokens/random.js';

/**
 * Creates a store that sometimes waits before and after a change. Kills then also hit the moments
 * between claim and body, between body and record, and between record and answer.
 */
export function hesitating(store: RecordStore, random: Random): RecordStore {
  return {
    ...store,
    put: async (key, value, how) => {
      await hesitation(random);
      const answer = await store.put(key, value, how);
      await hesitation(random);
      return answer;
    },
  };
}

async function hesitation(random: Random): Promise<void> {
  if (random.percent(10)) await delay(random.between(20, 200));
}
