/** Faults that a run plants into its processes, to show that its checks find them. */
import type { RecordStore } from 'mcp-resolve/store';

/** The faults: a store that does not compare, and a desk that ignores groups. */
export const PLANTS = ['store', 'forger'] as const;

export type Plant = (typeof PLANTS)[number];

/** Returns the store, or one that overwrites the record of a call without comparing it. */
export function withPlant(plant: string | undefined, store: RecordStore): RecordStore {
  if (plant !== 'store') return store;
  const put: RecordStore['put'] = async (key, value, how) => {
    if (!key.startsWith('call/')) return store.put(key, value, how);
    return store.put(key, value, { ...how, was: await store.get(key) });
  };
  return { ...store, put };
}
