/**
 * Polls, decisions, cancellations, retries, withdrawals, crashes, lost leases and failures of the
 * store at the same time, on two processes, with the steps of the store in any order. At most one
 * body runs, none without an approval, and an end that was shown never changes.
 *
 * The seed is fixed and part of the title. `FC_SEED=1 FC_RUNS=5000 npx vitest run test/approvals`
 * uses another seed and more runs.
 */
import fc from 'fast-check';
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { afterEach, expect, test, vi } from 'vitest';

import { decodeCall, stateOf } from '../../../src/approvals/parkedCall.js';
import type { ParkedCall } from '../../../src/approvals/parkedCall.js';
import { no, yes } from '../callers.js';
import { pollerOf, taskBank, type TaskView } from './poller.js';

const SEED = Number(process.env.FC_SEED ?? 20_261_120);
const RUNS = Number(process.env.FC_RUNS ?? 150);

type Fault = 'none' | 'before' | 'after';

/** What one actor does, on one of the two processes. */
interface Act {
  readonly act: 'poll' | 'call' | 'approve' | 'deny' | 'cancel' | 'withdraw' | 'crash' | 'wait';
  readonly at: 0 | 1;
}

const acts: fc.Arbitrary<Act> = fc.record({
  act: fc.constantFrom(
    ...(['poll', 'poll', 'poll', 'poll', 'call', 'approve', 'approve', 'deny'] as const),
    ...(['cancel', 'withdraw', 'crash', 'wait'] as const),
  ),
  at: fc.constantFrom(0 as const, 1 as const),
});

afterEach(() => {
  vi.useRealTimers();
});

/** Two processes on one store, whose steps happen in the order that the scheduler chooses. */
class Bank {
  readonly ends = new Map<string, string>();
  readonly claimed: string[] = [];
  /** What must not happen, noted where a thrown error would become an answer. */
  readonly violations: string[] = [];
  bodies = 0;
  taskId = '';
  private readonly crashed = [false, false];
  private readonly shared = memoryStore();
  private readonly processes = ([0, 1] as const).map((at) => {
    const bank = taskBank(
      { body: () => this.body(at) },
      { store: this.storeOf(at), now: () => Date.now() },
    );
    return { ...bank, poller: pollerOf(bank.tool) };
  });

  constructor(
    private readonly scheduler: fc.Scheduler,
    private readonly faults: Iterator<Fault>,
  ) {}

  private body(at: 0 | 1): void {
    this.bodies += 1;
    if (this.bodies > this.claimed.length) this.violations.push('A body ran without a claim.');
    // The process dies in the body: nothing that it does reaches the store any more.
    if (this.willCrash[at]) this.crashed[at] = true;
  }

  private readonly willCrash = [false, false];

  private storeOf(at: 0 | 1): RecordStore {
    const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const fault = this.faults.next().value as Fault;
      await this.scheduler.schedule(Promise.resolve(), name);
      if (fault === 'before' || this.crashed[at])
        throw new Error('The store did not get this step.');
      const answer = await work();
      if (fault === 'after') throw new Error('The answer was lost.');
      return answer;
    };
    const { shared } = this;
    return {
      ...shared,
      get: (key) => step(`get ${key}`, () => shared.get(key)),
      put: (key, value, how) =>
        step(`put ${key}`, async () => {
          const before = key.startsWith('call/') ? decodeCall(await shared.get(key)) : undefined;
          const isWritten = await shared.put(key, value, how);
          const after = key.startsWith('call/') ? decodeCall(value) : undefined;
          if (isWritten && after !== undefined) this.wrote(before, after);
          return isWritten;
        }),
    };
  }

  private wrote(before: ParkedCall | undefined, after: ParkedCall): void {
    for (const request of after.ran !== undefined && !before?.ran ? after.requests : []) {
      const state = before && stateOf(before, request, Date.now());
      if (state !== 'approved') this.violations.push(`Claimed while ${state}.`);
      this.claimed.push(request.id);
    }
    const [was, is] = [before?.task, after.task];
    if (was === undefined || was.secret !== is?.secret) return;
    if (was.end !== undefined && JSON.stringify(was.end) !== JSON.stringify(is.end))
      this.violations.push('An end changed.');
    if (was.ran !== undefined && is.end === 'cancelled')
      this.violations.push('Cancelled after the claim.');
  }

  async perform({ act, at }: Act): Promise<void> {
    const { poller, desk } = this.processes[at]!;
    const id = this.processes.flatMap(({ notified }) => notified).at(-1) ?? '';
    if (act === 'wait') vi.setSystemTime(Date.now() + 31_000);
    if (act === 'crash') this.willCrash[at] = true;
    if (act === 'approve') await desk.decide(id, yes('bob'));
    if (act === 'deny') await desk.decide(id, no('carol'));
    if (act === 'withdraw') await desk.withdraw(id, { who: 'ann' });
    if (act === 'cancel') await poller.cancel(this.taskId);
    if (act === 'call') {
      const { taskId } = (await poller.call()) as { readonly taskId?: string };
      if (taskId !== undefined) this.taskId = taskId;
    }
    if (act === 'poll') this.saw(await poller.get(this.taskId));
  }

  private saw(task: TaskView): void {
    if (task.status === 'working') return;
    const shown = JSON.stringify({ ...task, ttlMs: 0 });
    expect(this.ends.get(task.taskId) ?? shown).toBe(shown);
    this.ends.set(task.taskId, shown);
  }
}

const faults = fc.infiniteStream<Fault>(
  fc.oneof(
    { weight: 40, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constantFrom('before' as const, 'after' as const) },
  ),
);

/** The errors of a desk or a poll whose store failed, or whose task has a newer handle. */
const EXPECTED = /The store did not get|The answer was lost|Internal error|Unknown task/;

const orExpected = (error: unknown): void => {
  expect((error as Error).message).toMatch(EXPECTED);
};

test(`no interleaving runs a body twice or unapproved, or changes an end (seed ${SEED}, ${RUNS} runs)`, async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let bodies = 0;
  let ends = 0;
  const crowds = fc.array(fc.array(acts, { minLength: 1, maxLength: 6 }), {
    minLength: 2,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), crowds, faults, async (scheduler, actors, failing) => {
      const bank = new Bank(scheduler, failing);
      const play = async (own: readonly Act[]): Promise<void> => {
        for (const act of own) await bank.perform(act).catch(orExpected);
      };
      await scheduler.waitFor(
        play([
          { act: 'call', at: 0 },
          { act: 'approve', at: 1 },
        ]),
      );
      await scheduler.waitFor(Promise.all(actors.map(play)));
      await scheduler.waitIdle();
      expect(bank.violations).toEqual([]);
      expect(bank.bodies).toBeLessThanOrEqual(new Set(bank.claimed).size);
      bodies += bank.bodies;
      ends += bank.ends.size;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  // Otherwise the property would say nothing.
  expect(bodies).toBeGreaterThan(RUNS / 10);
  expect(ends).toBeGreaterThan(RUNS / 10);
});
