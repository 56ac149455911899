/**
 * Calls at a desk without a server: what `call/` does with a desk, step by step. The tests of whole
 * calls are in `calls*.test.ts`.
 */
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';

import { approval } from '../../src/author/approval.js';
import type { ApprovalOptions } from '../../src/author/approval.js';
import type { ApprovalTerms } from '../../src/author/approvalTerms.js';
import { approvalDesk } from '../../src/approvals/desk.js';
import type { ApprovalDesk } from '../../src/approvals/desk.js';
import type { DeskEvent } from '../../src/approvals/deskEvent.js';
import type { ApprovalDeskOptions } from '../../src/approvals/deskOptions.js';
import { ApprovalError } from '../../src/call/parking.js';
import type { ApprovalsMeta, Parking } from '../../src/call/parking.js';
import { NO_PROGRESS } from '../../src/engine/ledger.js';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A desk whose clock the test sets, with everything that it has told. */
export interface TestDesk {
  readonly desk: ApprovalDesk;
  readonly store: RecordStore;
  readonly clock: { now: number };
  readonly notified: string[];
  readonly events: DeskEvent[];
}

export function testDesk(options: Partial<ApprovalDeskOptions> = {}): TestDesk {
  const clock = { now: Date.UTC(2026, 10, 19) };
  const notified: string[] = [];
  const events: DeskEvent[] = [];
  const store = options.store ?? memoryStore();
  const desk = approvalDesk({
    store,
    notify: ({ id }) => void notified.push(id),
    onEvent: (event) => void events.push(event),
    now: () => clock.now,
    ...options,
  });
  return { desk, store, clock, notified, events };
}

/** A call that needs one approval. */
export interface Asking extends Partial<ApprovalOptions> {
  readonly message?: string;
  /** What tells calls apart. Two calls of one key are the same call. */
  readonly key?: string;
  readonly audience?: string;
  readonly resolver?: string;
  readonly values?: Record<string, unknown>;
  readonly report?: (error: unknown) => void;
  /** What the body does with the id of its request. */
  readonly body?: (id: string) => unknown;
}

/** How a call ended. */
export type Ended =
  { readonly ran: unknown; readonly id: string } | (ApprovalsMeta & { readonly text: string });

export function termsOf({ message = 'Pay a supplier', ...asking }: Asking = {}): ApprovalTerms {
  const { facts = { amount: '49.00 EUR' }, by = 'acme/treasury', requester = 'ann' } = asking;
  const { quorum = 1, about } = asking;
  const options = { facts, by, requester, quorum, ...(about !== undefined && { about }) };
  const { kind: _, ...terms } = approval(message, options) as unknown as ApprovalTerms & {
    kind: string;
  };
  return terms;
}

/** Looks a call up, as the first step of a request. */
export function find(desk: ApprovalDesk, asking: Asking = {}): Promise<Parking> {
  const { key = 'call of ann', audience = 'bank', report = () => undefined } = asking;
  return desk['~place'].find({ key, audience, tool: 'pay', user: Promise.resolve('ann'), report });
}

/** Calls a tool with one approval. */
export async function call(desk: ApprovalDesk, asking: Asking = {}): Promise<Ended> {
  try {
    return await goOn(await find(desk, asking), asking);
  } catch (error) {
    if (!(error instanceof ApprovalError)) throw error;
    return { ...error.meta, text: error.message };
  }
}

/** The rest of a call that has been looked up. */
export async function goOn(parking: Parking, asking: Asking = {}): Promise<Ended> {
  const { resolver = 'secondPair', values = {}, body = () => 'paid' } = asking;
  const terms = termsOf(asking);
  const digest = JSON.stringify(terms);
  if (parking.spent !== undefined) throw parking.spent;
  const record = parking.record ?? newRecord();
  const verdict = parking.verdictOn(resolver, digest);
  if (verdict === undefined)
    throw (await parking.park({ record, open: [{ resolver, digest, terms }], values })).error;
  if (verdict.denial !== undefined) throw verdict.denial;
  await parking.claim({ values, tokensLiveMs: HOUR });
  parking.note();
  const ran = body(verdict.id);
  parking.note('completed');
  return { ran, id: record.id };
}

let calls = 0;

function newRecord() {
  calls += 1;
  return {
    id: `call ${calls}`,
    definition: 'tools/call pay',
    args: '',
    start: 1,
    deadline: 2,
    progress: NO_PROGRESS,
  };
}

/** Returns the id of the only request that a call waits for. */
export function idIn(ended: Ended): string {
  if ('ran' in ended) throw new Error('The call has run.');
  const [request] = ended.requests;
  if (request === undefined || ended.requests.length > 1)
    throw new Error(`expected one request: ${JSON.stringify(ended)}`);
  return request.id;
}

/** Makes a request and returns its id. */
export async function requested(desk: ApprovalDesk, asking: Asking = {}): Promise<string> {
  return idIn(await call(desk, asking));
}

const TREASURY = ['acme/treasury'];

export const yes = (who: string, groups: readonly string[] = TREASURY, comment?: string) => ({
  who,
  groups,
  verdict: 'approve' as const,
  ...(comment !== undefined && { comment }),
});

export const no = (who: string, comment?: string) => ({
  who,
  groups: TREASURY,
  verdict: 'deny' as const,
  ...(comment !== undefined && { comment }),
});
