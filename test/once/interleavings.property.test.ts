/**
 * Requests for one approved call, with the steps of their store in any order: claims, renewals,
 * ends and releases that are slow, lost, late or repeated, processes that die, and clocks that jump
 * by up to the time that `once` allows for. The body starts at most once in every history, and
 * every recorded answer is that of its run.
 *
 * The seed is fixed and part of the title. `FC_SEED=1 FC_RUNS=100000 npx vitest run test/once` uses
 * another seed and more runs.
 */
import fc from 'fast-check';
import { memoryStore } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { OnceError } from '../../src/once/onceError.js';
import { SingleUse } from '../../src/once/singleUse.js';
import { FAULTS } from '../store/faultyStores.js';

const SEED = Number(process.env.FC_SEED ?? 20_261_119);
const RUNS = Number(process.env.FC_RUNS ?? 1000);

const START = Date.UTC(2026, 10, 19);
const FLOW_SECONDS = 60;
const PROCESSES = 2;
const TIMEOUT_MS = 60_000 + 10 * RUNS;

afterEach(() => {
  vi.useRealTimers();
});

/** What happens to one step of a store. */
type Fault =
  | 'none'
  /** The store does not get the step. */
  | 'lost'
  /** The store takes the step, and its answer is an error. */
  | 'unanswered'
  /** The answer is an error, and the store takes the step later. */
  | 'late'
  /** The store takes the step, and answers never. */
  | 'silent'
  /** The store takes the step again later. */
  | 'repeated';

/** Something besides the requests. */
interface Event {
  /** The time that passes. */
  readonly ms: number;
  /** The difference of the clocks from then on. Two clocks differ by less than ten minutes. */
  readonly clockMs: number;
  /** The process that dies, if there is one of this number. */
  readonly dies: number;
}

/** One history. */
interface Story {
  /** For each client: the process of each request that it sends, one after the other. */
  readonly clients: readonly (readonly number[])[];
  readonly events: readonly Event[];
  readonly waitMs: number;
  readonly faults: Iterator<Fault>;
}

const stories = (faults: fc.Arbitrary<Fault>): fc.Arbitrary<Story> =>
  fc.record({
    clients: fc.array(fc.array(fc.nat(PROCESSES - 1), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    }),
    events: fc.array(
      fc.record({
        ms: fc.constantFrom(0, 100, 5000, 10_000, 31_000, 60_000, 300_000, 700_000),
        clockMs: fc.constantFrom(0, 0, -295_000, 295_000),
        dies: fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, fc.nat(PROCESSES - 1)),
      }),
      { maxLength: 6 },
    ),
    waitMs: fc.constantFrom(0, 0, 2000),
    faults: fc.infiniteStream(faults),
  });

const noFault = fc.constant<Fault>('none');
const someFaults = fc.oneof(
  { weight: 4, arbitrary: noFault },
  fc.constantFrom<Fault>('lost', 'unanswered', 'late', 'silent', 'repeated'),
);

/** What a history led to. */
interface Outcome {
  readonly runs: number;
  /** The answers of all requests: the number of a run, or the reason of an error. */
  readonly answers: readonly unknown[];
}

const never = new Promise<never>(() => undefined);

/** A process. What runs in it never goes on once it has died. */
class Process {
  isDead = false;
  private end = (): void => undefined;
  readonly death = new Promise<void>((resolve) => (this.end = resolve));

  die(): void {
    this.isDead = true;
    this.end();
  }
}

/** Plays a history. */
class Play {
  private runs = 0;
  private readonly answers: unknown[] = [];
  private readonly processes = Array.from({ length: PROCESSES }, () => new Process());
  private readonly deadline: number;

  constructor(
    private readonly scheduler: fc.Scheduler,
    private readonly store: RecordStore,
    private readonly story: Story,
  ) {
    vi.useFakeTimers({ now: START });
    this.deadline = Date.now() + 1000 * FLOW_SECONDS;
  }

  async toEnd(): Promise<Outcome> {
    const { clients, events } = this.story;
    this.scheduler.scheduleSequence(
      events.map((event) => ({ builder: async () => this.happen(event), label: 'event' })),
    );
    let left = clients.length;
    for (const processes of clients) void this.client(processes).finally(() => (left -= 1));
    for (let turn = 0; left > 0; turn += 1) {
      expect(turn).toBeLessThan(500);
      await this.scheduler.waitIdle();
      await vi.advanceTimersByTimeAsync(1000);
    }
    return { runs: this.runs, answers: this.answers };
  }

  private happen({ ms, clockMs, dies }: Event): void {
    vi.advanceTimersByTime(ms);
    vi.setSystemTime(START + performance.now() + clockMs);
    this.processes[dies]?.die();
  }

  /** Sends requests as long as the token is valid for the clock of their process. */
  private async client(numbers: readonly number[]): Promise<void> {
    for (const process of numbers.map((number) => this.processes[number]!)) {
      await this.scheduler.schedule(Promise.resolve(), 'request');
      if (Date.now() > this.deadline) return;
      if (!process.isDead) await Promise.race([this.request(process), process.death]);
    }
  }

  private async request(process: Process): Promise<void> {
    const once = new SingleUse<{ readonly run: number }>('call', {
      store: this.storeOf(process),
      waitMs: this.story.waitMs,
      maxResultBytes: 1000,
      flowSeconds: FLOW_SECONDS,
      user: Promise.resolve('user'),
      signal: new AbortController().signal,
      onUnexpectedError: () => undefined,
    });
    try {
      const known = await once.recall();
      if (known === undefined) await this.pause(process, 'resolvers');
      this.answers.push(known?.result.run ?? (await once.run(() => this.body(process))).run);
    } catch (error) {
      if (!(error instanceof OnceError)) throw error;
      this.answers.push(error.reason);
    }
  }

  private async body(process: Process): Promise<{ readonly run: number }> {
    this.runs += 1;
    const run = this.runs;
    await this.pause(process, 'body');
    return { run };
  }

  /** Waits for its turn, and for ever if the process has died. */
  private async pause(process: Process, label: string): Promise<void> {
    await this.scheduler.schedule(
      Promise.resolve(),
      `${label} in process ${this.processes.indexOf(process)}`,
    );
    if (process.isDead) await never;
  }

  private storeOf(process: Process): RecordStore {
    const { store } = this;
    return {
      get: (key) => this.step(process, 'get', () => store.get(key)),
      put: (key, value, how) => {
        const { state } = JSON.parse(value) as { state: string };
        return this.step(process, `put ${state}`, () => store.put(key, value, how));
      },
    };
  }

  private async step<T>(process: Process, name: string, take: () => Promise<T>): Promise<T> {
    const fault = this.story.faults.next().value as Fault;
    await this.pause(process, `${name}, ${fault},`);
    const takeLater = () => void this.scheduler.schedule(Promise.resolve(), name).then(take);
    if (fault === 'late') takeLater();
    const answer = fault === 'lost' || fault === 'late' ? undefined : await take();
    if (fault === 'repeated') takeLater();
    await this.pause(process, `answer to ${name}`);
    if (fault === 'silent') return never;
    if (answer === undefined && fault !== 'none' && fault !== 'repeated')
      throw new Error('connection lost');
    if (fault === 'unanswered') throw new Error('the answer was lost');
    return answer as T;
  }
}

const runsOnce = (makeStore: () => RecordStore, faults: fc.Arbitrary<Fault>, seen: Outcome[]) =>
  fc.asyncProperty(fc.scheduler(), stories(faults), async (scheduler, story) => {
    const outcome = await new Play(scheduler, makeStore(), story).toEnd();
    seen.push(outcome);
    expect(outcome.runs).toBeLessThanOrEqual(1);
    for (const answer of outcome.answers) expect(answer).toSatisfy(isReasonOrRun);
  });

const isReasonOrRun = (answer: unknown) => answer === 1 || typeof answer === 'string';

describe(
  `the body starts at most once (seed ${SEED}, ${RUNS} runs)`,
  { timeout: TIMEOUT_MS },
  () => {
    test.each([
      ['on a store in memory', noFault],
      ['on a store whose steps fail', someFaults],
    ])('%s', async (_, faults) => {
      const seen: Outcome[] = [];
      await fc.assert(
        runsOnce(() => memoryStore(), faults, seen),
        { seed: SEED, numRuns: RUNS },
      );
      // Otherwise the property would say little.
      const reasons = new Set(seen.flatMap(({ answers }) => answers));
      expect(seen.filter(({ runs }) => runs === 1).length).toBeGreaterThan(RUNS / 3);
      expect(reasons).toContain(1);
      expect(reasons).toContain('in_progress');
      expect(reasons).toContain('outcome_unknown');
    });
  },
);

describe('the property finds a second run on a store that', { timeout: TIMEOUT_MS }, () => {
  test.each([
    'does not compare',
    'says that a refused put was written',
    'answers a put with the answer to the one before',
    'lets records expire early',
  ])('%s', async (name) => {
    const { fault } = FAULTS[name]!;
    const property = runsOnce(() => fault(memoryStore()), noFault, []);
    const found = await fc.check(property, { seed: SEED, numRuns: 20_000 });
    expect(found.failed).toBe(true);
  });
});
