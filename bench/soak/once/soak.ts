/**
 * Runs four processes with one store and many customers. It kills and freezes processes, and the
 * store too.
 *
 * ```
 *  customers ──► any process ──► claim, pay, record ──► Redis or Postgres: the records
 *                    ▲                  │                            ▲
 *         SIGKILL, SIGSTOP              │                     SIGKILL, SIGSTOP
 *                                       └─────────────► another Redis: the ledger
 * ```
 *
 * When the time is over, the soak stops killing, ends every call, and compares the ledger with the
 * replies that the customers received.
 */
import { randomBytes } from 'node:crypto';
import { setInterval, setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'redis';

import { startRedis } from '../../../test/support/redis.js';
import { freePorts } from '../fleet/ports.js';
import { Random } from '../tokens/random.js';
import { type Counts, newCounts } from './counts.js';
import { Customer } from './customer.js';
import type { Flow, Payment } from './flow.js';
import { allBegins, entriesFrom, type Entry, type LedgerClient } from './ledger.js';
import { Processes, type Setup } from './processes.js';
import { Reach } from './reach.js';
import { type StoreKind, StoreServer } from './storeServer.js';
import { duplicatesIn, type Histories, historiesOf, mismatchesIn, outlasted } from './verdict.js';

/** The options of a run. */
export interface SoakOptions {
  readonly store: StoreKind;
  readonly seconds: number;
  /** Repeats the random choices. Their timing differs in every run. */
  readonly seed: number;
  readonly customers?: number;
  /** The difference between the slowest and the fastest clock of the processes. Default: 0. */
  readonly clockSeconds?: number;
  /** The duration of a claim, for runs that are too short for the default of 30 seconds. */
  readonly leaseMs?: number;
  /** Stops the run without the final checks. */
  readonly interrupted?: AbortSignal;
  readonly onProgress?: (findings: Findings) => void;
}

/** The results of a run. */
export interface Findings extends Readonly<Counts> {
  /** The duration so far, and the part of it in which customers made calls. */
  readonly seconds: number;
  readonly busySeconds: number;
  /** Runs of a body. */
  readonly executions: number;
  /** Descriptions of repeated runs. */
  readonly duplicates: readonly string[];
  /** Calls with an unknown outcome. */
  readonly unknown: number;
  /** Calls whose outcome was unknown until a late record. */
  readonly late: number;
  /** Calls that were answered after longer than a lease. */
  readonly outlasting: number;
  readonly kills: number;
  /** The times that a process was frozen. */
  readonly freezes: number;
  readonly storeKills: number;
  readonly storeFreezes: number;
  /** Calls whose history a sequential order explains. */
  readonly explained: number;
  /** Descriptions of calls whose history no sequential order explains. */
  readonly unexplained: readonly string[];
  /** Calls whose history was too long to decide. */
  readonly undecided: number;
  readonly requests: number;
  /** Requests that were resent because their connection was cut or refused. */
  readonly cut: number;
  /** Descriptions of calls whose answer contradicts the ledger. */
  readonly mismatches: readonly string[];
  /** Descriptions of unexpected exits of processes. */
  readonly ended: readonly string[];
}

const PROCESSES = 4;
/** The process that is rarely killed, so that long bodies can finish. */
const SPARED = 0;
/** The run continues until this many processes were killed. */
const LEAST_KILLS = 4;
const CUSTOMERS = 16;
const LEASE_MS = 30_000;
const PROGRESS_MS = 10_000;
/** The time to wait for a death. A payment may reach the process that it does not kill. */
const DEATH_MS = 4000;
/** The number of calls that are revisited at the end. */
const REVISITS = 400;

/** Runs the soak. When it resolves, everything that it started has stopped. */
export async function soakOnce(options: SoakOptions): Promise<Findings> {
  const [redis, store] = await Promise.all([startRedis(), StoreServer.start(options.store)]);
  const ledger = createClient({ url: redis.url, disableOfflineQueue: true });
  ledger.on('error', () => undefined);
  try {
    await ledger.connect();
    const env = environment(options, { LEDGER_URL: redis.url, ...store.env });
    const program = new URL('server.ts', import.meta.url);
    const processes = await Processes.start({ program, ports: await freePorts(PROCESSES), env });
    try {
      return await new Soak(options, { processes, store, ledger }).run();
    } finally {
      await processes.stop();
    }
  } finally {
    ledger.destroy();
    await Promise.all([redis.stop(), store.stop()]);
  }
}

function environment(
  { seconds, leaseMs, clockSeconds = 0 }: SoakOptions,
  places: Readonly<Record<string, string>>,
): Setup['env'] {
  const shared = {
    ...places,
    REQUEST_STATE_KEY: randomBytes(32).toString('base64url'),
    // The first tokens stay valid until the end, also by the fastest clock.
    LIFE_SECONDS: String(seconds + clockSeconds + 600),
    ...(leaseMs !== undefined && { LEASE_MS: String(leaseMs) }),
  };
  return (index) => ({
    ...shared,
    MORTAL: index === SPARED ? 'no' : 'yes',
    CLOCK_MS: String(1000 * clockSeconds * (index / (PROCESSES - 1) - 0.5)),
  });
}

/** What a run uses. */
interface Places {
  readonly processes: Processes;
  readonly store: StoreServer;
  readonly ledger: LedgerClient;
}

class Soak {
  private readonly counts = newCounts();
  private readonly flows: Flow[] = [];
  private readonly entries: Entry[] = [];
  private readonly deadly: Payment['deadly'][] = [];
  private readonly interrupted: AbortSignal;
  private readonly reach: Reach;
  private readonly leaseMs: number;
  private readonly began = performance.now();
  private closedAt: number | undefined;
  private mismatches: string[] = [];
  private histories: Histories = { explained: 0, unexplained: [], undecided: 0 };
  private frozen = 0;

  constructor(
    private readonly options: SoakOptions,
    private readonly at: Places,
  ) {
    this.interrupted = options.interrupted ?? new AbortController().signal;
    const { clockSeconds = 0 } = options;
    this.reach = new Reach(at.processes.ports, this.interrupted, clockSeconds > 0);
    this.leaseMs = options.leaseMs ?? LEASE_MS;
  }

  async run(): Promise<Findings> {
    const over = new AbortController();
    const telling = this.tell(over.signal);
    try {
      await Promise.all([
        this.killProcesses(),
        this.failStore(),
        this.freezeProcesses(),
        ...this.customers().map(this.shop),
      ]);
      if (!this.interrupted.aborted) await this.settle();
    } finally {
      over.abort();
      await telling;
    }
    if (!this.interrupted.aborted) await this.judge();
    return this.findings();
  }

  private customers(): Customer[] {
    const { customers = CUSTOMERS, seed, leaseMs } = this.options;
    return Array.from({ length: customers }, (_, index) => {
      const random = new Random(seed + 7919 * (index + 1));
      const { reach, counts, flows, deadly, interrupted } = this;
      const longBodies = leaseMs === undefined;
      return new Customer({ reach, counts, flows, deadly, random, longBodies, interrupted });
    });
  }

  private readonly shop = async (customer: Customer, index: number): Promise<void> => {
    for (let call = 0; !this.isOver(); call += 1) await customer.buy(`C-${index}-${call}`);
  };

  /** Kills processes, alternately at a random moment and within a body. */
  private async killProcesses(): Promise<void> {
    const random = new Random(this.options.seed);
    for (let turn = 0; !this.isOver();) {
      await delay(random.between(100, 2000));
      const death = this.at.processes.nextDeath().then(() => 1);
      if (turn % 2 === 1) {
        this.at.processes.kill(random.percent(4) ? SPARED : random.between(1, PROCESSES - 1));
      } else if (this.deadly.length === 0) {
        this.deadly.push(random.pick(['before', 'after']));
      }
      turn += await Promise.race([death, delay(DEATH_MS, 0)]);
      await this.at.processes.allUp();
    }
  }

  /** Freezes processes for longer than a renewal, and sometimes for longer than a lease. */
  private async freezeProcesses(): Promise<void> {
    const random = new Random(this.options.seed + 1);
    while (!this.isOver()) {
      await delay(random.between(500, 4000));
      this.frozen += 1;
      await this.at.processes.freeze(random.below(PROCESSES), random.between(100, 6000));
    }
  }

  /** Kills the store and starts it again, or freezes it, sometimes for longer than a step may take. */
  private async failStore(): Promise<void> {
    const random = new Random(this.options.seed + 2);
    while (!this.isOver()) {
      await delay(random.between(1000, 6000));
      if (random.percent(50)) await this.at.store.crash();
      else await this.at.store.freeze(random.between(100, 8000));
    }
  }

  /** Ends every call, and revisits some. */
  private async settle(): Promise<void> {
    const customers = this.customers();
    const patienceMs = 2 * this.leaseMs + 60_000;
    const open = this.flows.filter(({ over }) => !over);
    await shared(open, customers, (flow, customer) => customer.settle(flow, patienceMs));
    const random = new Random(this.options.seed);
    const some = Array.from(
      { length: Math.min(REVISITS, this.flows.length) },
      () => this.flows[random.below(this.flows.length)],
    );
    const unknown = this.flows.filter((flow) => flow.unknown);
    const again = [...unknown, ...some.filter((flow) => flow !== undefined)];
    await shared(again, customers, (flow, customer) => customer.revisit(flow));
  }

  private async judge(): Promise<void> {
    await this.readLedger();
    const { entries, flows } = this;
    this.mismatches = mismatchesIn({ entries, flows, killed: undefined });
    this.histories = historiesOf(flows, await allBegins(this.at.ledger));
  }

  /** Reports the progress until the run is over. */
  private async tell(over: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([over, this.interrupted]);
    const beats = setInterval(PROGRESS_MS, undefined, { signal });
    try {
      for await (const _ of beats) {
        await this.readLedger();
        this.options.onProgress?.(this.findings());
      }
    } catch (error) {
      // Ctrl-C in a terminal also stops Redis.
      if (!signal.aborted) throw error;
    }
  }

  private async readLedger(): Promise<void> {
    this.entries.push(...(await entriesFrom(this.at.ledger, this.entries.length)));
  }

  private isOver(): boolean {
    const now = this.seconds();
    const isDone = now > this.options.seconds && this.at.processes.killed.size >= LEAST_KILLS;
    if (isDone || this.interrupted.aborted) this.closedAt ??= now;
    return this.closedAt !== undefined;
  }

  private seconds(): number {
    return (performance.now() - this.began) / 1000;
  }

  private findings(): Findings {
    const { reach, flows, entries, histories } = this;
    const { processes, store } = this.at;
    return {
      ...this.counts,
      seconds: this.seconds(),
      busySeconds: this.closedAt ?? this.seconds(),
      executions: entries.length,
      duplicates: duplicatesIn(entries),
      unknown: flows.filter(({ unknown }) => unknown).length,
      late: flows.filter(({ late }) => late).length,
      outlasting: flows.filter((flow) => outlasted(flow, this.leaseMs)).length,
      kills: processes.killed.size,
      freezes: this.frozen,
      storeKills: store.kills,
      storeFreezes: store.freezes,
      explained: histories.explained,
      unexplained: histories.unexplained,
      undecided: histories.undecided,
      requests: reach.requests,
      cut: reach.cut,
      mismatches: this.mismatches,
      ended: processes.ended,
    };
  }
}

/** Distributes work among workers. */
async function shared<T, W>(
  work: readonly T[],
  workers: readonly W[],
  act: (item: T, worker: W) => Promise<void>,
): Promise<void> {
  const left = [...work];
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) {
        await act(item, worker);
      }
    }),
  );
}
