/**
 * A careless client that makes one call after the other. It sends the last round several times at
 * once, accepts and declines at the same time, returns to an older token, disconnects, leaves calls
 * open, and resends tokens of other calls.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { Random } from '../tokens/random.js';
import type { Counts } from './counts.js';
import { type Answer, Contradiction, Flow, type Payment, type Token } from './flow.js';
import type { Reach } from './reach.js';

/** The service, the counts and the behaviour of a customer. */
export interface CustomerOptions {
  readonly reach: Reach;
  readonly counts: Counts;
  /** The calls of all customers that have reached the approval. */
  readonly flows: Flow[];
  readonly random: Random;
  /** The next payments that kill their process, and when they do. */
  readonly deadly: Payment['deadly'][];
  /** True if some bodies run longer than a lease. */
  readonly longBodies: boolean;
  /** Aborts everything. */
  readonly interrupted: AbortSignal;
}

/** The ways to end a call. A repeated entry is more likely. */
const MANNERS = [
  'yes',
  'yes',
  'yes',
  'yes',
  'many yeses at once',
  'many yeses at once',
  'yes and no at once',
  'yes to two branches at once',
  'yes, then disconnects',
  'no',
  'no to an older question',
  'leaves it open',
] as const;

const MOST_REPLAYS = 4;
const POLL_MS = 250;

/** A customer. */
export class Customer {
  constructor(private readonly options: CustomerOptions) {}

  /** Makes a call, and resends rounds of it and of other calls. */
  async buy(order: string): Promise<void> {
    const { flows, random, counts } = this.options;
    const flow = new Flow(this.payment(order));
    counts.flows += 1;
    const opened = await this.judged(flow, () => this.open(flow));
    if (!opened) return;
    flows.push(flow);
    await this.judged(flow, () => this.finish(flow));
    for (let left = random.between(0, MOST_REPLAYS); left > 0; left -= 1) {
      await this.revisit(random.percent(50) ? flow : (flows[random.below(flows.length)] ?? flow));
    }
  }

  /** Ends a call: approves it if it is open, and waits while it is in progress. */
  async settle(flow: Flow, patienceMs: number): Promise<void> {
    const began = performance.now();
    await this.judged(flow, async () => {
      await this.send(flow, lastOf(flow), 'yes');
      while (!flow.over) {
        if (performance.now() - began > patienceMs) throw new Error('the call did not end');
        await delay(POLL_MS);
        await this.send(flow, lastOf(flow), 'yes');
      }
    });
  }

  /** Resends a random token of a call with a random answer. */
  async revisit(flow: Flow): Promise<void> {
    const { random } = this.options;
    const token = flow.tokens[random.below(flow.tokens.length)] ?? lastOf(flow);
    // In an open call, an invalid answer gets an error that is not recorded.
    const nonsense = flow.answer === undefined ? 'nothing' : 'nonsense';
    const answer = random.pick<Answer>(['yes', 'yes', 'no', 'nothing', nonsense]);
    await this.judged(flow, () => this.send(flow, token, answer));
  }

  /** Runs the rounds up to the approval. */
  private async open(flow: Flow): Promise<void> {
    flow.expect()(await this.options.reach.send(flow.start(), this.options));
    await this.send(flow, lastOf(flow), 'yes');
  }

  private async finish(flow: Flow): Promise<void> {
    const { random } = this.options;
    const [first = lastOf(flow)] = flow.tokens;
    const last = lastOf(flow);
    const manner = flow.payment.deadly === 'never' ? random.pick(MANNERS) : 'many yeses at once';
    switch (manner) {
      case 'yes':
        return this.send(flow, last, 'yes');
      case 'many yeses at once':
        return this.atOnce(flow, times(random.between(2, 10), [last, 'yes']));
      case 'yes and no at once': {
        const yeses = times(random.between(1, 4), [last, 'yes'] as const);
        const noes = times(random.between(1, 4), [last, 'no'] as const);
        return this.atOnce(flow, random.percent(50) ? [...yeses, ...noes] : [...noes, ...yeses]);
      }
      case 'yes to two branches at once':
        await this.send(flow, first, 'yes');
        return this.atOnce(flow, [
          [last, 'yes'],
          [lastOf(flow), 'yes'],
        ]);
      case 'yes, then disconnects':
        await this.disconnect(flow, last);
        return this.send(flow, last, 'yes');
      case 'no':
        return this.send(flow, last, 'no');
      case 'no to an older question':
        return this.send(flow, first, 'no');
      case 'leaves it open':
    }
  }

  private async atOnce(flow: Flow, rounds: readonly (readonly [Token, Answer])[]): Promise<void> {
    await Promise.all(rounds.map(([token, answer]) => this.send(flow, token, answer)));
  }

  private async disconnect(flow: Flow, token: Token): Promise<void> {
    const { random, interrupted } = this.options;
    const signal = AbortSignal.timeout(random.between(1, 150));
    try {
      await this.send(flow, token, 'yes', signal);
    } catch (error) {
      if (!signal.aborted || interrupted.aborted || error instanceof Contradiction) throw error;
    }
  }

  private async send(
    flow: Flow,
    token: Token,
    answer: Answer,
    signal?: AbortSignal,
  ): Promise<void> {
    const { reach, counts, random } = this.options;
    const take = flow.expect();
    if (token.sent > 0) counts.replays += 1;
    const call = flow.round(token, answer);
    const from = Date.now();
    const onCut = (at: number): void => flow.noteCut(at);
    const reply = await reach
      .send(call, { random, onCut, ...(signal && { signal }) })
      .catch((error: unknown) => {
        flow.noteCut(from);
        throw error;
      });
    const said = take(reply);
    flow.note(said, reply, from);
    if (said === 'in_progress') counts.inProgress += 1;
    if (said === 'store_unavailable') counts.unavailable += 1;
  }

  /** Records a problem of a call. Returns true if there is none. */
  private async judged({ payment }: Flow, act: () => Promise<void>): Promise<boolean> {
    const { counts, interrupted } = this.options;
    try {
      await act();
      return true;
    } catch (error) {
      if (interrupted.aborted) return false;
      const list = error instanceof Contradiction ? counts.differed : counts.lost;
      list.push(`${payment.order}: ${String(error)}`);
      return false;
    }
  }

  private payment(order: string): Payment {
    const { random, deadly } = this.options;
    return {
      order,
      beforeMs: random.length(400),
      afterMs: this.slowness(),
      fails: random.percent(5),
      deadly: deadly.shift() ?? 'never',
    };
  }

  /** Returns mostly a short delay, and rarely one longer than a renewal or a whole lease. */
  private slowness(): number {
    const { random, longBodies } = this.options;
    if (random.percent(70)) return random.length(300);
    if (!longBodies || random.percent(96)) return random.between(300, 1500);
    return random.percent(70) ? random.between(11_000, 13_000) : random.between(31_000, 34_000);
  }
}

function lastOf({ tokens }: Flow): Token {
  const last = tokens.at(-1);
  if (last === undefined) throw new Error('the call asked no question');
  return last;
}

function times<T>(count: number, thing: T): T[] {
  return Array.from({ length: count }, () => thing);
}
