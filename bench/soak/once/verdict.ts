/** Compares the ledger with the replies that the clients received. */
import { isDeepStrictEqual } from 'node:util';

import type { Flow } from './flow.js';
import type { Entry } from './ledger.js';

/** The ledger, the calls and the killed processes. */
export interface Evidence {
  readonly entries: readonly Entry[];
  readonly flows: readonly Flow[];
  /** The processes that were killed. */
  readonly killed: ReadonlySet<number>;
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
  killed: ReadonlySet<number>,
): string | undefined {
  if (!shown.has(entry.cents)) return 'was paid at a price that no question showed';
  if (unknown && !killed.has(entry.process)) return 'is unknown, but its process was not killed';
  if (answer === undefined) return undefined;
  if (isRefusal(answer)) return 'was declined, but paid';
  return isAnswerTo(answer, entry, payment.fails)
    ? undefined
    : 'has an answer that differs from the payment';
}

function isRefusal(answer: string): boolean {
  return answer.includes('could not resolve: elicitation was decline');
}

function isAnswerTo(answer: string, { call, order, cents }: Entry, fails: boolean): boolean {
  const result = JSON.parse(answer) as { structuredContent?: unknown; isError?: boolean };
  if (!fails) return isDeepStrictEqual(result.structuredContent, { call, order, cents });
  return result.isError === true && answer.includes(`${order} is paid with ${cents} cents`);
}
