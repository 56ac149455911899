/**
 * The steps of `once` on a store, by name, so that tests can watch, delay and break them. The file
 * does not import the test runner, because child processes use it too.
 */
import { memoryStore } from 'mcp-resolve';
import type { PutOptions, RecordStore } from 'mcp-resolve/store';

/** The names of the steps. */
export type StepName = 'read' | 'claim' | 'renew' | 'finish' | 'release';

/** One step. A `read` has no record. */
export interface Step {
  readonly step: StepName;
  /** The id of the call. */
  readonly id: string;
  /** The record that the step writes. */
  readonly record?: StoredCall;
  readonly how?: PutOptions;
}

/** The record of a call. */
export interface StoredCall {
  readonly owner: string;
  readonly state: 'free' | 'running' | 'done';
  readonly until?: number;
  readonly end?: unknown;
}

/** Takes the place of a step. `take` is the step itself. */
export type Around = <T>(step: Step, take: () => Promise<T>) => Promise<T>;

/** Returns a store whose steps run inside of a function. */
export function aroundSteps(store: RecordStore, around: Around): RecordStore {
  const owners = new Set<string>();
  return {
    ...store,
    get: (key) => around({ step: 'read', id: idOf(key) }, () => store.get(key)),
    put: (key, value, how) => {
      const record = JSON.parse(value) as StoredCall;
      const { owner } = record;
      const step = nameOf(record, owners.has(owner));
      owners.add(owner);
      return around({ step, id: idOf(key), record, how }, () => store.put(key, value, how));
    },
  };
}

function idOf(key: string): string {
  return key.replace(/^once:/, '');
}

function nameOf({ state }: StoredCall, hasClaimed: boolean): StepName {
  if (state === 'running') return hasClaimed ? 'renew' : 'claim';
  return state === 'done' ? 'finish' : 'release';
}

/** Returns the store with a lease of this time instead of 30 seconds. */
export function withLease(leaseMs: number, store: RecordStore = memoryStore()): RecordStore {
  const leased = (text: string): string => {
    const record = JSON.parse(text) as StoredCall & { leaseMs?: number };
    if (record.until === undefined || record.leaseMs !== undefined) return text;
    return JSON.stringify({ ...record, until: record.until - 30_000 + leaseMs, leaseMs });
  };
  return {
    ...store,
    put: (key, value, { was, ...how }) =>
      store.put(key, leased(value), { ...how, was: was === undefined ? was : leased(was) }),
  };
}
