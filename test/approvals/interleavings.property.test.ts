/**
 * Calls, decisions, withdrawals, expiries, crashes and failures of the store at the same time, with
 * their steps in any order. No body runs without an approval that counts at that moment, no
 * approval runs two bodies, and no decision applies to another question.
 *
 * The seed is fixed and part of the title. `FC_SEED=1 FC_RUNS=10000 npx vitest run test/approvals`
 * uses another seed and more runs.
 */
import fc from 'fast-check';
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { expect, test } from 'vitest';

import { decodeCall, isSamePerson, stateOf } from '../../src/approvals/parkedCall.js';
import type { ParkedCall, StoredRequest } from '../../src/approvals/parkedCall.js';
import { call, DAY, testDesk } from './callers.js';
import type { TestDesk } from './callers.js';

const SEED = Number(process.env.FC_SEED ?? 20_261_119);
const RUNS = Number(process.env.FC_RUNS ?? 500);

/** The failure of one step: none, before the store has it, or after the store has done it. */
type Fault = 'none' | 'before' | 'after';

/** Checks every change of the call's record, and every body. */
class Observer {
  now = (): number => 0;
  readonly bodies: string[] = [];
  private readonly claimed = new Set<string>();
  private readonly terms = new Map<string, string>();

  wrote(before: ParkedCall | undefined, after: ParkedCall): void {
    for (const request of after.requests) this.assertSameTerms(request);
    // A release gives the requests back that it still has.
    if (after.ran === undefined) after.requests.forEach(({ id }) => this.claimed.delete(id));
    else if (before?.ran === undefined) this.assertApproved(before, after);
  }

  private assertSameTerms({ id, message, facts, by, requester, quorum }: StoredRequest): void {
    const terms = JSON.stringify({ message, facts, by, requester, quorum });
    expect(this.terms.get(id) ?? terms).toBe(terms);
    this.terms.set(id, terms);
  }

  private assertApproved(before: ParkedCall | undefined, after: ParkedCall): void {
    for (const { id } of after.requests) {
      const request = before?.requests.find((one) => one.id === id);
      if (before === undefined || request === undefined) throw new Error('No request was claimed.');
      expect(stateOf(before, request, this.now())).toBe('approved');
      const approvers = request.decisions.map(({ who }) => who.toLowerCase());
      expect(new Set(approvers).size).toBeGreaterThanOrEqual(request.quorum);
      expect(approvers.some((who) => isSamePerson(who, request.requester))).toBe(false);
      this.claimed.add(id);
    }
  }

  bodyRan(id: string, message: string): void {
    expect(this.claimed.has(id)).toBe(true);
    expect(this.bodies).not.toContain(id);
    expect(this.terms.get(id)).toContain(JSON.stringify(message));
    this.bodies.push(id);
  }
}

/** A store whose steps happen in the order that the scheduler chooses, and of which some fail. */
function hostileStore(
  scheduler: fc.Scheduler,
  faults: Iterator<Fault>,
  observer: Observer,
): RecordStore {
  const store = memoryStore();
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const fault = faults.next().value as Fault;
    await scheduler.schedule(Promise.resolve(), name);
    if (fault === 'before') throw new Error('The store did not get this step.');
    const answer = await work();
    await scheduler.schedule(Promise.resolve(), `answer to ${name}`);
    if (fault === 'after') throw new Error('The answer was lost.');
    return answer;
  };
  return {
    ...store,
    get: (key) => step(`get ${key}`, () => store.get(key)),
    put: (key, value, how) =>
      step(`put ${key}`, async () => {
        const before = await store.get(key);
        const isWritten = await store.put(key, value, how);
        if (isWritten && value !== before && key.startsWith('call/'))
          observer.wrote(decodeCall(before), decodeCall(value)!);
        return isWritten;
      }),
  };
}

/** What one actor does. */
type Act =
  | { readonly act: 'call'; readonly message: string; readonly crashes: boolean }
  | { readonly act: 'decide'; readonly who: string; readonly verdict: 'approve' | 'deny' }
  | { readonly act: 'withdraw' }
  | { readonly act: 'wait'; readonly ms: number };

const calls: fc.Arbitrary<Act> = fc.record({
  act: fc.constant('call' as const),
  message: fc.constantFrom('Pay a supplier', 'Pay a supplier', 'Pay a supplier', 'Pay a thief'),
  crashes: fc.boolean(),
});

const decisions: fc.Arbitrary<Act> = fc.record({
  act: fc.constant('decide' as const),
  who: fc.constantFrom('ann', 'bob', 'Bob', 'carol', 'dave'),
  verdict: fc.constantFrom('approve' as const, 'approve' as const, 'deny' as const),
});

const ends: fc.Arbitrary<Act> = fc.constantFrom<Act>(
  { act: 'withdraw' },
  { act: 'wait', ms: DAY / 2 },
  { act: 'wait', ms: DAY },
);

const acts = fc.oneof(
  { weight: 6, arbitrary: calls },
  { weight: 4, arbitrary: decisions },
  { weight: 1, arbitrary: ends },
);

async function perform(act: Act, { desk, clock, notified }: TestDesk, observer: Observer) {
  // The newest request, as an approver sees it.
  const id = notified.at(-1) ?? '';
  if (act.act === 'wait') clock.now += act.ms;
  if (act.act === 'withdraw') await desk.withdraw(id, { who: 'ann' });
  if (act.act === 'decide')
    await desk.decide(id, { who: act.who, groups: ['acme/treasury'], verdict: act.verdict });
  if (act.act !== 'call') return;
  await call(desk, {
    message: act.message,
    quorum: 2,
    body: (approved) => {
      observer.bodyRan(approved, act.message);
      if (act.crashes) throw new Error('The process died.');
    },
  });
}

const CALL: Act = { act: 'call', message: 'Pay a supplier', crashes: false };
const approvedBy = (who: string): Act => ({ act: 'decide', who, verdict: 'approve' });

/** The errors that a step may end with. Every other error is a mistake of the desk. */
const EXPECTED = /^(?:The process died|The store did not get|The answer was lost)/;

async function play(
  scheduler: fc.Scheduler,
  { actors, faults }: { readonly actors: readonly Act[][]; readonly faults: Iterator<Fault> },
): Promise<number> {
  const observer = new Observer();
  const at = testDesk({ store: hostileStore(scheduler, faults, observer) });
  observer.now = () => at.clock.now;
  // Approved at the beginning, because few interleavings get that far by themselves.
  const begun = [CALL, approvedBy('bob'), approvedBy('carol')].reduce(
    (before, act) => before.then(() => perform(act, at, observer)),
    Promise.resolve(),
  );
  await scheduler.waitFor(begun.catch(() => undefined));
  const playing = actors.map(async (own) => {
    for (const act of own) {
      await perform(act, at, observer).catch((error: unknown) => {
        expect((error as Error).message).toMatch(EXPECTED);
      });
    }
  });
  await scheduler.waitFor(Promise.all(playing));
  await scheduler.waitIdle();
  return observer.bodies.length;
}

const crowds = fc.array(fc.array(acts, { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 4,
});

const faults = fc.infiniteStream<Fault>(
  fc.oneof(
    { weight: 20, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constantFrom('before' as const, 'after' as const) },
  ),
);

test(`no interleaving runs a body without its approval, or twice (seed ${SEED}, ${RUNS} runs)`, async () => {
  let bodies = 0;
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), crowds, faults, async (scheduler, actors, failing) => {
      bodies += await play(scheduler, { actors, faults: failing });
    }),
    { seed: SEED, numRuns: RUNS },
  );
  // Otherwise the property would say nothing.
  expect(bodies).toBeGreaterThan(RUNS / 50);
});
