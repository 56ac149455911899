/** Compares the ledger with the replies that the clients received. */
import { isDeepStrictEqual } from 'node:util';

import type { Flow } from './flow.js';
import { explain } from '../history/sequential.js';
import { onceCall } from '../history/onceCall.js';
import type { Begin, Entry } from './ledger.js';

/** The ledger, the calls and the killed processes. */
export interface Evidence {
  readonly entries: readonly Entry[];
  readonly flows: readonly Flow[];
  /**
   * The processes that were killed, or `undefined` if the store failed too. Then every outcome may
   * be unknown.
   */
  readonly killed: ReadonlySet<number> | undefined;
}

/** Returns a description of each entry that repeats a payment. */
export function duplicatesIn(entries: readonly Entry[]): string[] {
  const [orders, calls] = [new Set<string>(), new Set<string>()];
  const duplicates: string[] = [];
  for (const entry of entries) {
    if (orders.has(entry.order) || calls.has(entry.call)) {
      duplicates.push(`paid again: ${JSON.stringify(entry)}`);
    }
    orders.add(entry.order);
    calls.add(entry.call);
  }
  return duplicates;
}

/** Returns descriptions of calls whose answer contradicts the ledger. */
export function mismatchesIn({ entries, flows, killed }: Evidence): string[] {
  const byOrder = new Map(entries.map((entry) => [entry.order, entry]));
  const mismatches: string[] = [];
  for (const flow of flows) {
    const { order } = flow.payment;
    const entry = byOrder.get(order);
    byOrder.delete(order);
    const problem = entry === undefined ? withoutEntry(flow) : withEntry(flow, entry, killed);
    if (problem !== undefined) {
      mismatches.push(`${order} ${problem}: ${String(flow.answer)} and ${JSON.stringify(entry)}`);
    }
  }
  for (const order of byOrder.keys()) mismatches.push(`${order} was paid, but not ordered`);
  return mismatches;
}

/** Returns true if the body ran longer than one lease. */
export function outlasted({ answer, payment }: Flow, leaseMs: number): boolean {
  if (answer === undefined || isRefusal(answer)) return false;
  return payment.beforeMs + payment.afterMs > leaseMs;
}

function withoutEntry({ answer }: Flow): string | undefined {
  if (answer === undefined || isRefusal(answer)) return undefined;
  return 'was answered, but not paid';
}

function withEntry(
  { answer, unknown, shown, payment }: Flow,
  entry: Entry,
  killed: ReadonlySet<number> | undefined,
): string | undefined {
  if (!shown.has(entry.cents)) return 'was paid at a price that no question showed';
  if (unknown && killed?.has(entry.process) === false)
    return 'is unknown, but its process was not killed';
  if (answer === undefined) return undefined;
  if (isRefusal(answer)) return 'was declined, but paid';
  return isAnswerTo(answer, entry, payment.fails)
    ? undefined
    : 'has an answer that differs from the payment';
}

function isRefusal(answer: string): boolean {
  return answer.includes('could not resolve: elicitation was decline');
}

function isAnswerTo(answer: string, { call, order, cents, run }: Entry, fails: boolean): boolean {
  const result = JSON.parse(answer) as { structuredContent?: unknown; isError?: boolean };
  if (!fails) return isDeepStrictEqual(result.structuredContent, { call, order, cents, run });
  return (
    result.isError === true && answer.includes(`${order} is paid with ${cents} cents by run ${run}`)
  );
}

/** What the checker of histories says about all calls. */
export interface Histories {
  readonly explained: number;
  readonly unexplained: readonly string[];
  readonly undecided: number;
}

/** Searches, for each call, for a sequential order of its requests and runs. */
export function historiesOf(flows: readonly Flow[], begins: readonly Begin[]): Histories {
  const found = flows.map(({ payment: { order }, history }) => {
    const ran = begins
      .filter((begin) => begin.order === order)
      .map(({ run, at }) => {
        return { ask: 'run', answer: { said: 'ran', run }, from: at, to: at } as const;
      });
    const operations = [...history, ...ran];
    return { verdict: explain(onceCall, operations), order, operations };
  });
  const unexplained = found.filter(({ verdict }) => verdict === 'unexplained');
  return {
    explained: found.filter(({ verdict }) => verdict === 'explained').length,
    unexplained: unexplained.map(({ order, operations }) => {
      return `${order}: no order explains ${JSON.stringify(operations)}`;
    }),
    undecided: found.filter(({ verdict }) => verdict === 'undecided').length,
  };
}
