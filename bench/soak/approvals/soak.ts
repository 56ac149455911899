/**
 * Runs processes with one store behind a proxy, requesters who make calls, and approvers who
 * decide. It kills processes, kills and freezes the store, and moves the clocks.
 *
 * ```
 *  requesters ──┐
 *               ├──► proxy ──► any process ──► Redis or Postgres: the desk
 *  approvers  ──┘                   └────────► another Redis: the bodies that began
 * ```
 *
 * When the time is over, the faults end, every call is decided and ends, and the bodies are
 * compared with what the people have seen and done.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRequest } from 'mcp-resolve/approvals';
import { createClient } from 'redis';

import { startRedis } from '../../../test/support/redis.js';
import { freePorts } from '../fleet/ports.js';
import type { LedgerClient } from '../once/ledger.js';
import { Processes } from '../once/processes.js';
import { Reach } from '../once/reach.js';
import { type StoreKind, StoreServer } from '../once/storeServer.js';
import { Random } from '../tokens/random.js';
import { DeskClient } from './deskClient.js';
import type { Plant } from './faults.js';
import { allBegins } from './ledger.js';
import { approve, call, decide, isEnd, type Order, request, trespass } from './people.js';
import type { World } from './people.js';
import { startProxy } from './proxy.js';
import { violationsIn } from './verdict.js';

/** The options of a run. */
export interface SoakOptions {
  readonly store: StoreKind;
  readonly seconds: number;
  /** Repeats the random choices. Their timing differs in every run. */
  readonly seed: number;
  /** A fault that the checks have to find. */
  readonly plant?: Plant | undefined;
  /** Stops the run without the final checks. */
  readonly interrupted?: AbortSignal;
}

/** The results of a run. */
export interface Findings {
  readonly requests: number;
  readonly decisions: number;
  readonly withdrawals: number;
  readonly executions: number;
  readonly calls: number;
  readonly kills: number;
  readonly storeFaults: number;
  readonly jumps: number;
  readonly violations: readonly string[];
}

const PROCESSES = 3;
const REQUESTERS = 8;
const APPROVERS = 4;
/** The time in which a call has to end once the faults are over. */
const PATIENCE_MS = 60_000;
const POLL_MS = 100;
const HOUR_MS = 3_600_000;

/** Runs the soak. When it resolves, everything that it started has stopped. */
export async function soakApprovals(options: SoakOptions): Promise<Findings> {
  const [redis, store] = await Promise.all([startRedis(), StoreServer.start(options.store)]);
  const ledger = createClient({ url: redis.url, disableOfflineQueue: true });
  ledger.on('error', () => undefined);
  const clock = { aheadMs: 0 };
  const shared = {
    ...store.env,
    LEDGER_URL: redis.url,
    REQUEST_STATE_KEY: randomBytes(32).toString('base64url'),
    ...(options.plant !== undefined && { PLANT: options.plant }),
  };
  try {
    await ledger.connect();
    const ports = await freePorts(PROCESSES);
    const program = new URL('server.ts', import.meta.url);
    const env = () => ({ ...shared, CLOCK: String(clock.aheadMs) });
    const processes = await Processes.start({ program, ports, env });
    const proxy = await startProxy(ports);
    try {
      return await new Soak(options, { processes, store, ledger, port: proxy.port, clock }).run();
    } finally {
      await Promise.all([processes.stop(), proxy.stop()]);
    }
  } finally {
    ledger.destroy();
    await Promise.all([redis.stop(), store.stop()]);
  }
}

/** What a run uses. */
interface Places {
  readonly processes: Processes;
  readonly store: StoreServer;
  readonly ledger: LedgerClient;
  /** The port of the proxy. */
  readonly port: number;
  /** The shift of the clocks. A process that starts reads it. */
  readonly clock: { aheadMs: number };
}

class Soak {
  private readonly interrupted: AbortSignal;
  private readonly world: World;
  private readonly began = performance.now();
  private jumps = 0;

  constructor(
    private readonly options: SoakOptions,
    private readonly at: Places,
  ) {
    this.interrupted = options.interrupted ?? new AbortController().signal;
    this.world = {
      reach: new Reach([at.port], this.interrupted),
      desk: new DeskClient(at.port, this.interrupted),
      ledger: at.ledger,
      orders: [],
      acts: [],
      lost: [],
      aheadMs: 0,
      leastMs: 0,
      random: new Random(options.seed),
      isOver: () => this.isOver(),
    };
  }

  async run(): Promise<Findings> {
    const { world } = this;
    await Promise.all([
      this.killProcesses(),
      this.failStore(),
      this.moveClocks(),
      ...Array.from({ length: REQUESTERS }, (_, index) => request(world, `ann${index}`)),
      ...Array.from({ length: APPROVERS }, () => approve(world)),
    ]);
    await this.at.processes.allUp();
    await this.setClocks();
    await Promise.all(world.orders.map((order) => this.settle(order)));
    return this.findings();
  }

  private isOver(): boolean {
    this.interrupted.throwIfAborted();
    return performance.now() - this.began > this.options.seconds * 1000;
  }

  private async killProcesses(): Promise<void> {
    const random = new Random(this.options.seed + 1);
    while (!this.isOver()) {
      await delay(random.between(500, 4000));
      this.at.processes.kill(random.below(PROCESSES));
      await this.at.processes.allUp();
    }
  }

  private async failStore(): Promise<void> {
    const random = new Random(this.options.seed + 2);
    while (!this.isOver()) {
      await delay(random.between(2000, 10_000));
      if (random.percent(50)) await this.at.store.crash();
      else await this.at.store.freeze(random.between(100, 7000));
    }
  }

  /** Moves the clocks by minutes or by days, and rarely that of one process only. */
  private async moveClocks(): Promise<void> {
    const random = new Random(this.options.seed + 3);
    while (!this.isOver()) {
      await delay(random.between(1000, 5000));
      this.jumps += 1;
      const hours = random.percent(70) ? random.between(1, 10) / 60 : random.between(1, 50);
      this.world.aheadMs += hours * HOUR_MS;
      this.at.clock.aheadMs = this.world.aheadMs;
      const { ports } = this.at.processes;
      if (random.percent(80)) await this.setClocks();
      else await this.setClock(random.pick(ports as [number]));
    }
  }

  private async setClocks(): Promise<void> {
    await Promise.all(this.at.processes.ports.map((port) => this.setClock(port)));
    this.world.leastMs = this.at.clock.aheadMs;
  }

  /** Sets the clock of a process, also if it has to start first. */
  private async setClock(port: number): Promise<void> {
    const body = JSON.stringify(this.at.clock);
    const set = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/clock`, { method: 'POST', body }).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await set())) {
      this.interrupted.throwIfAborted();
      await delay(POLL_MS);
    }
  }

  /** Decides on a call until it ends. */
  private async settle(order: Order): Promise<void> {
    const { world } = this;
    const began = performance.now();
    await call(world, order);
    while (!isEnd(order.last)) {
      if (performance.now() - began > PATIENCE_MS) {
        world.lost.push(`${order.name} did not end: ${order.last}`);
        return;
      }
      const id = order.ids.at(-1);
      const seen = await world.desk.ask<ApprovalRequest>({ act: 'read', id });
      if (seen?.state === 'pending') {
        // A short run under load may have had no time for trespassers.
        for (const isRequester of [true, false]) await trespass(world, seen, isRequester);
        for (const who of ['bob', 'carol']) await decide(world, seen, who, 'approve');
      }
      await call(world, order);
      await delay(POLL_MS);
    }
  }

  private async findings(): Promise<Findings> {
    const { orders, acts, lost, reach } = this.world;
    const { processes, store, ledger } = this.at;
    const begins = await allBegins(ledger);
    const decisions = acts.filter(({ does }) => does !== 'withdraw');
    const unexplained = orders
      .filter(({ last, name }) => last === 'ran' && !begins.some(({ order }) => order === name))
      .map(({ name }) => `${name} was answered, and no body began`);
    return {
      requests: orders.reduce((sum, { ids }) => sum + ids.length, 0),
      decisions: decisions.length,
      withdrawals: acts.length - decisions.length,
      executions: begins.length,
      calls: reach.requests,
      kills: processes.killed.size,
      storeFaults: store.kills + store.freezes,
      jumps: this.jumps,
      violations: [
        ...violationsIn({ begins, acts, orders }),
        ...lost,
        ...unexplained,
        ...processes.ended,
      ],
    };
  }
}
