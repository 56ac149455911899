/**
 * The people: requesters, who make calls, poll, and withdraw, and approvers, who read what waits
 * and decide. Some decide although they must not. The run notes everything that they do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRequest, ApprovalsMeta, Decided } from 'mcp-resolve/approvals';

import type { LedgerClient } from '../once/ledger.js';
import type { Reach } from '../once/reach.js';
import type { Random } from '../tokens/random.js';
import type { DeskClient } from './deskClient.js';
import { setPrice } from './ledger.js';
import { GROUP } from './service.js';

/** An order to pay, with the results of its calls. */
export interface Order {
  readonly name: string;
  readonly tool: 'pay' | 'pay_pinned';
  readonly requester: string;
  readonly quorum: number;
  readonly ending: 'pays' | 'fails' | 'kills';
  /** The ids of its requests, in the order in which calls named them. */
  readonly ids: string[];
  /** How its last call ended. */
  last: string;
  /** The least shift of a clock when it began, in milliseconds. */
  readonly leastMs: number;
  /** True if its price has changed, or if a request may have been withdrawn. */
  mayChange: boolean;
}

/** A decision or a withdrawal that was sent. */
export interface Act {
  readonly id: string;
  readonly who: string;
  readonly does: 'approve' | 'deny' | 'withdraw';
  /** True if the person is in the group. */
  readonly isMember: boolean;
  /** The fact that the person saw. */
  readonly saw: string;
  readonly sentAt: number;
  /** The answer, unless it was lost. */
  answer?: Decided;
  answeredAt?: number;
}

/** What all people share. */
export interface World {
  readonly reach: Reach;
  readonly desk: DeskClient;
  readonly ledger: LedgerClient;
  readonly orders: Order[];
  readonly acts: Act[];
  /** Descriptions of requests that are gone although nothing has ended them. */
  readonly lost: string[];
  /** The greatest shift of a clock, in milliseconds. */
  aheadMs: number;
  /** The least shift of a clock, in milliseconds. */
  leastMs: number;
  readonly random: Random;
  readonly isOver: () => boolean;
}

const APPROVERS = ['bob', 'carol', 'dave'] as const;

/** Makes one order after the other. */
export async function request(world: World, requester: string): Promise<void> {
  const { orders, random } = world;
  for (let at = 0; !world.isOver(); at += 1) {
    const order: Order = {
      name: `${requester}-${at}`,
      tool: random.pick(['pay', 'pay_pinned']),
      requester,
      quorum: random.between(1, 2),
      ending: random.pick(['pays', 'pays', 'pays', 'pays', 'pays', 'fails', 'kills']),
      ids: [],
      last: '',
      leastMs: world.leastMs,
      mayChange: false,
    };
    orders.push(order);
    for (let step = 0; step < 40 && !world.isOver(); step += 1) {
      await callAtOnce(world, order);
      if (isEnd(order.last)) break;
      if (random.percent(4)) await reprice(world, order);
      if (random.percent(3)) await withdraw(world, order);
      await delay(random.between(5, 300));
    }
    // A call that has run is made again, too.
    await callAtOnce(world, order);
  }
}

/** Returns true if the same call does not go on. */
export function isEnd(last: string): boolean {
  return ['ran', 'denied', 'used'].includes(last);
}

async function callAtOnce(world: World, order: Order): Promise<void> {
  const { random } = world;
  const times = random.percent(80) ? 1 : random.between(2, 10);
  await Promise.all(Array.from({ length: times }, () => call(world, order)));
}

async function reprice({ ledger, random }: World, order: Order): Promise<void> {
  order.mayChange = true;
  await setPrice(ledger, order.name, random.between(1, 1e6));
}

/** The shift of the clocks after which a request, or the answer to a call that has run, may expire. */
const SHORTEST_LIFE_MS = 30 * 60_000;

/** Makes the call of an order, and notes its result. */
export async function call(world: World, order: Order): Promise<void> {
  const { reach, random } = world;
  const { name, tool, requester, quorum, ending } = order;
  const params = { name: tool, arguments: { order: name, requester, quorum, ending } };
  const headers = { 'x-user': requester };
  const { result } = await reach.send({ method: 'tools/call', params }, { random, headers });
  const meta = result?._meta as Record<string, unknown> | undefined;
  const waiting = meta?.['mcp-resolve/approvals'] as ApprovalsMeta | undefined;
  order.last = endOf(result, waiting);
  const fresh = (waiting?.requests ?? [])
    .map(({ id }) => id)
    .filter((id) => !order.ids.includes(id));
  const mayBeNew = order.mayChange || world.aheadMs - order.leastMs > SHORTEST_LIFE_MS;
  if (fresh.length > 0 && order.ids.length > 0 && !mayBeNew)
    world.lost.push(`${order.name} lost ${order.ids.at(-1)}, and has ${fresh.join()}`);
  order.ids.push(...fresh);
}

function endOf(
  result: Readonly<Record<string, unknown>> | undefined,
  waiting: ApprovalsMeta | undefined,
): string {
  if (waiting !== undefined) return waiting.why ?? waiting.state;
  if (result?.isError !== true) return 'ran';
  return JSON.stringify(result.content).includes('the bank is closed') ? 'ran' : 'failed';
}

async function withdraw(world: World, order: Order): Promise<void> {
  const { ids, requester: who } = order;
  const id = ids.at(-1);
  if (id === undefined) return;
  order.mayChange = true;
  const own = { id, who, does: 'withdraw', isMember: false, saw: '', sentAt: Date.now() } as const;
  await noted(world, own, { act: 'withdraw', id, who });
}

/** Decides on what waits. */
export async function approve(world: World): Promise<void> {
  const { desk, random } = world;
  while (!world.isOver()) {
    const waiting = await desk.ask<readonly ApprovalRequest[]>({ act: 'pending' });
    const seen = waiting?.[random.below(waiting.length)];
    if (seen === undefined) await delay(50);
    // Between looking and deciding, the request may change.
    else if (random.percent(90)) await decide(world, seen, random.pick(APPROVERS));
    else await trespass(world, seen);
    await delay(random.between(1, 100));
  }
}

/** Decides as a person of the group. */
export async function decide(
  world: World,
  { id, facts }: ApprovalRequest,
  who: string,
  verdict: 'approve' | 'deny' = world.random.percent(92) ? 'approve' : 'deny',
): Promise<void> {
  const saw = facts[0]?.[1] ?? '';
  const own = { id, who, does: verdict, isMember: true, saw, sentAt: Date.now() };
  await noted(world, own, { act: 'decide', id, who, groups: [GROUP], verdict });
}

/** Decides as a person whose decision must not count: the requester, or a stranger. */
export async function trespass(
  world: World,
  { id, facts, requester }: ApprovalRequest,
  isRequester = world.random.percent(50),
): Promise<void> {
  const who = isRequester ? requester.toUpperCase() : 'mallory';
  const saw = facts[0]?.[1] ?? '';
  const own = { id, who, does: 'approve', isMember: false, saw, sentAt: Date.now() } as const;
  const groups = isRequester ? [GROUP] : [];
  await noted(world, own, { act: 'decide', id, who, groups, verdict: 'approve' });
}

async function noted({ acts, desk }: World, act: Act, asked: object): Promise<void> {
  acts.push(act);
  const answer = await desk.ask<Decided>(asked);
  if (answer === undefined) return;
  act.answer = answer;
  act.answeredAt = Date.now();
}
