/**
 * A client that makes one call after the other, and is in no way careful: it sends the last round
 * several times at once, says yes and no at the same time, goes back to an older token, hangs up,
 * leaves calls open, and now and then sends any token of any call again.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { Random } from '../tokens/random.js';
import type { Counts } from './counts.js';
import { type Answer, Contradiction, Flow, type Payment, type Token } from './flow.js';
import type { Reach } from './reach.js';

/** What a customer has around. */
export interface Surroundings {
  readonly reach: Reach;
  readonly counts: Counts;
  /** The calls of all customers that have come to the approval. */
  readonly flows: Flow[];
  readonly random: Random;
  /** How the next payments kill their process. */
  readonly deadly: Payment['deadly'][];
  /** Whether some bodies take longer than a lease. */
  readonly longBodies: boolean;
  /** Aborted when everything is to stop at once. */
  readonly interrupted: AbortSignal;
}

/** How a customer ends a call; what stands here twice is twice as likely. */
const MANNERS = [
  'yes',
  'yes',
  'yes',
  'yes',
  'many yeses at once',
  'many yeses at once',
  'yes and no at once',
  'yes to two branches at once',
  'yes, and hangs up',
  'no',
  'no to an older question',
  'leaves it open',
] as const;

const MOST_REPLAYS = 4;
const POLL_MS = 250;

/** A customer. */
export class Customer {
  constructor(private readonly around: Surroundings) {}

  /** Makes a call, and sends rounds of it and of others again. */
  async buy(order: string): Promise<void> {
    const { flows, random, counts } = this.around;
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

  /** Brings a call to its end: approves what was left open, and awaits what is in progress. */
  async settle(flow: Flow, patienceMs: number): Promise<void> {
    const began = performance.now();
    await this.judged(flow, async () => {
      await this.send(flow, lastOf(flow), 'yes');
      while (!flow.over) {
        if (performance.now() - began > patienceMs) throw new Error('it has no end');
        await delay(POLL_MS);
        await this.send(flow, lastOf(flow), 'yes');
      }
    });
  }

  /** Sends any token of a call again, with any answer. */
  async revisit(flow: Flow): Promise<void> {
    const { random } = this.around;
    const token = flow.tokens[random.below(flow.tokens.length)] ?? lastOf(flow);
    // In an open call nonsense gets an error, which is no answer that stays.
    const nonsense = flow.over ? 'nonsense' : 'nothing';
    const answer = random.pick<Answer>(['yes', 'yes', 'no', 'nothing', nonsense]);
    await this.judged(flow, () => this.send(flow, token, answer));
  }

  /** The rounds up to the approval. */
  private async open(flow: Flow): Promise<void> {
    flow.expect()(await this.around.reach.send(flow.start(), this.around));
    await this.send(flow, lastOf(flow), 'yes');
  }

  private async finish(flow: Flow): Promise<void> {
    const { random } = this.around;
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
      case 'yes, and hangs up':
        await this.hangUp(flow, last);
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

  private async hangUp(flow: Flow, token: Token): Promise<void> {
    const { random, interrupted } = this.around;
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
    const { reach, counts, random } = this.around;
    const take = flow.expect();
    if (token.sent > 0) counts.replays += 1;
    const call = flow.round(token, answer);
    const said = take(await reach.send(call, { random, ...(signal && { signal }) }));
    if (said === 'in_progress') counts.inProgress += 1;
    if (said === 'store_unavailable') counts.unavailable += 1;
  }

  /** Writes down what goes wrong with a call; gives whether it went well. */
  private async judged({ payment }: Flow, act: () => Promise<void>): Promise<boolean> {
    const { counts, interrupted } = this.around;
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
    const { random, deadly } = this.around;
    return {
      order,
      beforeMs: random.length(400),
      afterMs: this.slowness(),
      fails: random.percent(5),
      deadly: deadly.shift() ?? 'never',
    };
  }

  /** Mostly a moment; sometimes a while, seldom longer than a renewal or than a whole lease. */
  private slowness(): number {
    const { random, longBodies } = this.around;
    if (random.percent(70)) return random.length(300);
    if (!longBodies || random.percent(96)) return random.between(300, 1500);
    return random.percent(70) ? random.between(11_000, 13_000) : random.between(31_000, 34_000);
  }
}

function lastOf({ tokens }: Flow): Token {
  const last = tokens.at(-1);
  if (last === undefined) throw new Error('it was not asked');
  return last;
}

function times<T>(count: number, thing: T): T[] {
  return Array.from({ length: count }, () => thing);
}
