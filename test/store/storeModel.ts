/**
 * A store as a model: a map of values with the times at which they expire. The commands run on the
 * model and on a real store, and fail if their answers differ. fast-check chooses the commands, and
 * shrinks a run that fails.
 */
import fc from 'fast-check';
import type { RecordStore } from 'mcp-resolve/store';
import { expect } from 'vitest';

/** A store, and how time passes for it. */
export interface TimedStore {
  readonly store: RecordStore;
  readonly wait: (ms: number) => void;
}

/** The records that a store must have. */
export class StoreModel {
  private now = 0;
  private readonly records = new Map<string, { readonly value: string; readonly until: number }>();

  get(key: string): string | undefined {
    const record = this.records.get(key);
    return record !== undefined && record.until > this.now ? record.value : undefined;
  }

  put(key: string, value: string, { was, ttlMs }: { was: string | undefined; ttlMs: number }) {
    const known = this.get(key);
    if (known !== was && known !== value) return false;
    this.records.set(key, { value, until: this.now + ttlMs });
    return true;
  }

  wait(ms: number): void {
    this.now += ms;
  }
}

type Command = fc.AsyncCommand<StoreModel, TimedStore>;

const get = (key: string): Command => ({
  check: () => true,
  run: async (model, { store }) => {
    expect(await store.get(key)).toBe(model.get(key));
  },
  toString: () => `get(${JSON.stringify(key)})`,
});

/** A put. `PRESENT` stands for the value that the key has at that time. */
interface Put {
  readonly key: string;
  readonly value: string;
  readonly was: string | undefined;
  readonly ttlMs: number;
}

const PRESENT = 'the present value';

function putOf(model: StoreModel, { key, value, was, ttlMs }: Put) {
  const present = model.get(key);
  return {
    value: value === PRESENT ? (present ?? 'new') : value,
    how: { was: was === PRESENT ? present : was, ttlMs, of: 'user' },
  };
}

const put = (step: Put): Command => ({
  check: () => true,
  run: async (model, { store }) => {
    const { value, how } = putOf(model, step);
    expect(await store.put(step.key, value, how)).toBe(model.put(step.key, value, how));
  },
  toString: () => `put(${JSON.stringify(step)})`,
});

/** Several puts of new values at the same time. At most one of them succeeds. */
const race = (step: Put): Command => ({
  check: () => true,
  run: async (model, { store }) => {
    const { how } = putOf(model, step);
    const values = ['one', 'two', 'three'].map((name) => `${name} ${step.value}`);
    const racers = values.filter((value) => value !== model.get(step.key));
    const answers = await Promise.all(racers.map((value) => store.put(step.key, value, how)));
    const winners = racers.filter((_, index) => answers[index]);
    expect(winners).toHaveLength(model.get(step.key) === how.was ? 1 : 0);
    for (const winner of winners) model.put(step.key, winner, how);
  },
  toString: () => `race(${JSON.stringify(step)})`,
});

const wait = (ms: number): Command => ({
  check: () => true,
  run: async (model, real) => {
    model.wait(ms);
    real.wait(ms);
  },
  toString: () => `wait(${ms})`,
});

const MINUTE = 60_000;
const MONTH = 30 * 24 * 60 * MINUTE;

const keys = fc.constantFrom('k', 'K', 'k ');
const values = fc.constantFrom('a', 'A', ' a', '');

/** Arbitrary puts with one of these lifetimes. */
const putsFor = (...lifetimes: readonly number[]): fc.Arbitrary<Put> =>
  fc.record({
    key: keys,
    value: fc.oneof(values, fc.constant(PRESENT)),
    was: fc.oneof({ weight: 3, arbitrary: fc.constant(PRESENT) }, values, fc.constant(undefined)),
    ttlMs: fc.constantFrom(...lifetimes),
  });

const puts = putsFor(1, 1000, MINUTE, MONTH);
const lastingPuts = putsFor(MINUTE, MONTH);

/** Random commands on a store whose time passes as told. */
export const storeCommands: fc.Arbitrary<Iterable<Command>> = fc.commands(
  [
    keys.map(get),
    puts.map(put),
    puts.map(race),
    fc.constantFrom(1, 600, 1000, MINUTE - 1, MINUTE, MONTH - MINUTE).map(wait),
  ],
  { maxCommands: 40 },
);

/** Random commands on a store with a clock of its own. No record expires while they run. */
export const storeCommandsInRealTime: fc.Arbitrary<Iterable<Command>> = fc.commands(
  [keys.map(get), lastingPuts.map(put), lastingPuts.map(race)],
  { maxCommands: 40 },
);

/** Runs commands on a new model and a real store. */
export function runOnModel(commands: Iterable<Command>, real: TimedStore): Promise<void> {
  return fc.asyncModelRun(() => ({ model: new StoreModel(), real }), commands);
}
