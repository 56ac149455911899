/** Calls that wait for an approval, on both eras. */
import { confirm, defineTool, outcome, resolver, ToolError } from 'mcp-resolve';
import type { CallEvent, Resolver } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { args, clientOf, idOf, INVOICE, payTool, PayInput, secondPair, waitingOf } from './bank.js';
import { DAY, no, testDesk, yes } from './callers.js';

const YES = { action: 'accept', content: { confirm: true } } as const;
const NO = { action: 'decline' } as const;

describe.each(eras)('a call on %s', (era) => {
  it('V1 V2 V44 waits, though its client declares nothing, and runs once it is approved', async () => {
    const { desk, clock } = testDesk();
    const paid: unknown[] = [];
    const client = await clientOf(era, payTool(paid, { approvals: desk }));
    const waiting = waitingOf(await client.call('pay', INVOICE));
    const [{ id } = { id: '' }] = waiting.requests;
    expect(waiting).toEqual({
      state: 'pending',
      requests: [
        {
          id,
          resolver: 'secondPair',
          by: ['acme/treasury'],
          state: 'pending',
          given: 0,
          quorum: 1,
        },
      ],
      expiresAt: clock.now + DAY,
      text: `Error executing tool pay: this call waits for approval ${id} by acme/treasury (0 of 1 given), until 2026-11-20T00:00:00.000Z at most. Nothing has been done yet. Make the same call again later, with the same arguments. Do not try to reach the same goal in another way.`,
    });
    await desk.decide(id, yes('bob', undefined, 'fine'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toEqual([
      {
        ...INVOICE,
        secondPair: { id, approvedBy: [{ who: 'bob', at: clock.now, comment: 'fine' }] },
        callId: expect.any(String) as string,
      },
    ]);
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({ state: 'used' });
  });

  it('V3 V6 V7 finds the request of the same principal and arguments only (trap 11)', async () => {
    const { desk } = testDesk({ maxOpenPerRequester: 100 });
    const tool = payTool([], { approvals: desk });
    const [ann, other, bob] = [
      await clientOf(era, tool),
      await clientOf(era, tool),
      await clientOf(era, tool, { user: 'bob' }),
    ];
    const id = idOf(await ann.call('pay', INVOICE));
    expect(idOf(await other.call('pay', INVOICE))).toBe(id);
    expect(idOf(await bob.call('pay', INVOICE))).not.toBe(id);
    expect(idOf(await ann.call('pay', { ...INVOICE, cents: 5000 }))).not.toBe(id);
  });

  it('V8 V11 goes by the arguments after validation (traps 9, 15)', async () => {
    const { desk } = testDesk();
    const tool = (currency: string) =>
      defineTool(
        'pay',
        {
          inputSchema: PayInput.extend({
            invoice: z.string().trim().toUpperCase(),
            currency: z.string().default(currency),
          }),
          resolve: { secondPair: secondPair() },
          approvals: desk,
        },
        () => 'Paid.',
      );
    const client = await clientOf(era, tool('EUR'));
    const id = idOf(await client.call('pay', { invoice: 'INV-7', cents: 1, currency: 'EUR' }));
    for (const same of [
      { cents: 1, invoice: ' inv-7 ' },
      { cents: 1, invoice: 'inv-7', currency: 'EUR', unknown: 'x' },
    ])
      expect(idOf(await client.call('pay', same))).toBe(id);
    await desk.decide(id, yes('bob'));
    const later = await clientOf(era, tool('BTC'));
    expect(idOf(await later.call('pay', { invoice: 'INV-7', cents: 1 }))).not.toBe(id);
  });

  it('V10 needs a new approval for another amount', async () => {
    const { desk } = testDesk();
    let price = 4900;
    const paid: unknown[] = [];
    const cents = resolver({}, () => price);
    const approved = secondPairOf(cents);
    const tool = payTool(paid, { approvals: desk, resolve: { due: cents, approved } });
    const client = await clientOf(era, tool);
    const id = idOf(await client.call('pay', INVOICE));
    await desk.decide(id, yes('bob'));
    price = 490_000;
    expect(idOf(await client.call('pay', INVOICE))).not.toBe(id);
    expect(await desk.decide(id, yes('carol'))).toMatchObject({ counted: false });
    expect(paid).toEqual([]);
  });

  it('V13 runs with the pinned values of the request, days later (trap 3)', async () => {
    const { desk, clock } = testDesk({ ttlSeconds: 1_000_000 });
    let price = 4900;
    const paid: unknown[] = [];
    const due = resolver({}, () => price, { pin: z.number() });
    const tool = payTool(paid, {
      approvals: desk,
      resolve: { due, approved: secondPairOf(due) },
    });
    const client = await clientOf(era, tool);
    const id = idOf(await client.call('pay', INVOICE));
    price = 5000;
    clock.now += 3 * DAY;
    expect(idOf(await client.call('pay', INVOICE))).toBe(id);
    await desk.decide(id, yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toMatchObject([{ due: 4900 }]);
  });

  it('V14 ends with `changed` if the body would get another value than at the request (trap 16)', async () => {
    const { desk } = testDesk();
    let iban = 'DE1';
    const paid: unknown[] = [];
    const account = resolver({}, () => ({ iban }));
    const tool = payTool(paid, { approvals: desk, resolve: { account, approved: secondPair() } });
    const client = await clientOf(era, tool);
    const id = idOf(await client.call('pay', INVOICE));
    await desk.decide(id, yes('bob'));
    iban = 'DE2';
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({
      state: 'refused',
      why: 'changed',
      text: expect.stringContaining("the value of 'account' has changed") as string,
    });
    const next = idOf(await client.call('pay', INVOICE));
    await desk.decide(next, yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toMatchObject([{ account: { iban: 'DE2' } }]);
  });

  it('V15 does not compare values that are no JSON', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const client = resolver({}, () => new Map([[{}, Math.random()]]));
    const tool = payTool(paid, { approvals: desk, resolve: { client, approved: secondPair() } });
    const caller = await clientOf(era, tool);
    await desk.decide(idOf(await caller.call('pay', INVOICE)), yes('bob'));
    expect(await caller.text('pay', INVOICE)).toBe('Paid.');
  });

  it('V16 V18 asks the caller first, and not again (traps 1, 2)', async () => {
    const { desk, notified } = testDesk();
    const notifiedBefore: number[] = [];
    const sure = resolver({}, () => confirm('Are you sure?'), { asks: 'form' });
    const tool = payTool([], { approvals: desk, resolve: { approved: secondPair(), sure } });
    const elicit = () => {
      notifiedBefore.push(notified.length);
      return YES;
    };
    const client = await clientOf(era, tool, { elicit });
    const id = idOf(await client.call('pay', INVOICE));
    expect(notifiedBefore).toEqual([0]);
    expect(client.asked).toEqual(['Are you sure?']);
    expect(idOf(await client.call('pay', INVOICE))).toBe(id);
    const other = await clientOf(era, tool);
    expect(idOf(await other.call('pay', INVOICE))).toBe(id);
    await desk.decide(id, yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(client.asked).toEqual(['Are you sure?']);
  });

  it('asks the caller several questions one after the other', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const first = resolver({}, () => confirm('First?'), { asks: 'form' });
    const second = resolver({ first }, () => confirm('Second?'), { asks: 'form' });
    const third = resolver({ second }, () => confirm('Third?'), { asks: 'form' });
    const resolve = { third, secondPair: secondPair() };
    const client = await clientOf(era, payTool(paid, { approvals: desk, resolve }), {
      elicit: () => YES,
    });
    const id = idOf(await client.call('pay', INVOICE));
    expect(client.asked).toEqual(['First?', 'Second?', 'Third?']);
    await desk.decide(id, yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toHaveLength(1);
  });

  it('V17 requests nothing if the caller declines', async () => {
    const { desk, events } = testDesk();
    const sure = resolver({}, () => confirm('Are you sure?'), { asks: 'form' });
    const tool = payTool([], { approvals: desk, resolve: { approved: secondPair(), sure } });
    const client = await clientOf(era, tool, { elicit: [NO] });
    expect(await client.errorText('pay', INVOICE)).toContain('elicitation was decline');
    expect(events).toEqual([]);
  });

  it('V19 asks the caller a reworded question again, and keeps the approval', async () => {
    const { desk } = testDesk();
    let wording = 'Are you sure?';
    const sure = resolver({}, () => confirm(wording), { asks: 'form' });
    const tool = payTool([], { approvals: desk, resolve: { approved: secondPair(), sure } });
    const client = await clientOf(era, tool, { elicit: [YES, YES] });
    const id = idOf(await client.call('pay', INVOICE));
    wording = 'Are you really sure?';
    expect(idOf(await client.call('pay', INVOICE))).toBe(id);
    expect(idOf(await client.call('pay', INVOICE))).toBe(id);
    expect(client.asked).toEqual(['Are you sure?', 'Are you really sure?']);
    await desk.decide(id, yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
  });

  it('V20 asks a question that needs the approval after it', async () => {
    const { desk } = testDesk();
    const approved = secondPair();
    const sure = resolver(
      { approved },
      ({ approved: { approvedBy } }) => confirm(`${approvedBy[0]!.who} approved. Pay now?`),
      { asks: 'form' },
    );
    const paid: unknown[] = [];
    const tool = payTool(paid, { approvals: desk, resolve: { sure } });
    const client = await clientOf(era, tool, { elicit: [YES] });
    const id = idOf(await client.call('pay', INVOICE));
    expect(client.asked).toEqual([]);
    await desk.decide(id, yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(client.asked).toEqual(['bob approved. Pay now?']);
    expect(paid).toHaveLength(1);
  });

  it('withdraws the request of a caller who declines afterwards', async () => {
    const { desk } = testDesk();
    const approved = secondPair();
    const sure = resolver({ approved }, () => confirm('Pay now?'), { asks: 'form' });
    const tool = payTool([], { approvals: desk, resolve: { sure } });
    const client = await clientOf(era, tool, { elicit: [NO] });
    const id = idOf(await client.call('pay', INVOICE));
    await desk.decide(id, yes('bob'));
    expect(await client.errorText('pay', INVOICE)).toContain('elicitation was decline');
    expect(await desk.read(id)).toMatchObject({ state: 'over' });
    expect(idOf(await client.call('pay', INVOICE))).not.toBe(id);
  });

  it('V21 requests nothing if it fails (trap 7)', async () => {
    const { desk, events } = testDesk();
    const supplier = resolver({}, (): string => {
      throw new ToolError('no such supplier');
    });
    const tool = payTool([], { approvals: desk, resolve: { approved: secondPair(), supplier } });
    const client = await clientOf(era, tool);
    expect(await client.errorText('pay', INVOICE)).toContain('no such supplier');
    expect(events).toEqual([]);
  });

  it('V22 runs its guards every time, and a refusal spends nothing', async () => {
    const { desk } = testDesk();
    let allowed = true;
    let checks = 0;
    const guard = resolver({}, () => {
      checks += 1;
      return allowed;
    });
    const client = await clientOf(era, payTool([], { approvals: desk, guards: [guard] }));
    const id = idOf(await client.call('pay', INVOICE));
    await desk.decide(id, yes('bob'));
    allowed = false;
    expect(await client.errorText('pay', INVOICE)).toContain('Guard 1 refused');
    allowed = true;
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(checks).toBe(3);
  });

  it('V29 repeats a denial with its comment', async () => {
    const { desk, clock } = testDesk();
    const client = await clientOf(era, payTool([], { approvals: desk }));
    const id = idOf(await client.call('pay', INVOICE));
    await desk.decide(id, no('bob', 'wrong "account"'));
    for (const _ of [1, 2]) {
      expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({
        state: 'denied',
        expiresAt: clock.now + DAY,
        text: `Error executing tool pay: approval ${id} was denied, so nothing was done. The approver wrote: "wrong \\"account\\"". The same call is denied until 2026-11-20T00:00:00.000Z. Do not try to reach the same goal in another way.`,
      });
    }
  });

  it('V30 gives a denial to outcome(), and waits without an outcome before (trap 8)', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const tool = payTool(paid, {
      approvals: desk,
      resolve: { approved: outcome(secondPair()) },
    });
    const client = await clientOf(era, tool);
    const id = idOf(await client.call('pay', INVOICE));
    await desk.decide(id, no('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toMatchObject([{ approved: { action: 'decline' } }]);
    expect(await desk.read(id)).toMatchObject({ state: 'denied' });
  });

  it('V34 runs one body for ten retries at once (trap 4)', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const client = await clientOf(era, payTool(paid, { approvals: desk }));
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    const results = await Promise.all(
      Array.from({ length: 10 }, () => client.call('pay', INVOICE)),
    );
    expect(paid).toHaveLength(1);
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1);
  });

  it('V35 spends its approval with a body that fails', async () => {
    const { desk, events } = testDesk();
    const paid: unknown[] = [];
    const tool = payTool(paid, {
      approvals: desk,
      body: () => {
        throw new ToolError('the bank is closed');
      },
    });
    const client = await clientOf(era, tool);
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    expect(await client.errorText('pay', INVOICE)).toContain('the bank is closed');
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({ state: 'used' });
    expect(paid).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'ended', end: 'failed' });
  });

  it('V39 has one call id at the request and at the run (trap 5)', async () => {
    const { desk } = testDesk();
    const ids: string[] = [];
    const noted = resolver({}, (_, { callId }) => void ids.push(callId));
    const paid: { callId?: string }[] = [];
    const tool = payTool(paid, { approvals: desk, resolve: { noted, approved: secondPair() } });
    const client = await clientOf(era, tool);
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    await client.call('pay', INVOICE);
    expect(new Set([...ids, paid[0]?.callId]).size).toBe(1);
  });

  it('reports its events as those of one call, and a round that waits as asked', async () => {
    const { desk } = testDesk();
    const events: CallEvent[] = [];
    const ends: string[] = [];
    const session = resolver({}, () => 7, { dispose: (_, end) => ends.push(end) });
    const tool = payTool([], { approvals: desk, resolve: { session, approved: secondPair() } });
    const client = await clientOf(era, tool, { events });
    const approvalId = idOf(await client.call('pay', INVOICE));
    await desk.decide(approvalId, yes('bob'));
    await client.call('pay', INVOICE);
    const shown = events
      .filter(({ type }) => type !== 'ran')
      .map(({ at: _, ...event }) => {
        const { durationMs: __, ...rest } = event as typeof event & { durationMs?: number };
        return rest;
      });
    const base = { callId: expect.any(String) as string, definition: 'pay' };
    const about = { ...base, resolver: 'approved', kind: 'approval', approvalId };
    expect(shown).toEqual([
      { ...base, type: 'started', method: 'tools/call', resumed: false },
      { ...about, type: 'asked' },
      { ...base, type: 'completed', end: 'asked', replayed: false },
      { ...base, type: 'started', method: 'tools/call', resumed: true },
      { ...about, type: 'answered', by: 'approver', fresh: false },
      { ...base, type: 'completed', end: 'completed', replayed: false },
    ]);
    expect(new Set(events.map((event) => 'callId' in event && event.callId)).size).toBe(1);
    expect(ends).toEqual(['asked', 'completed']);
  });

  it('needs no approval if its resolver asks for none', async () => {
    const { desk, events } = testDesk();
    const large = resolver(
      { cents: args.cents },
      ({ cents }) => (cents < 100 ? undefined : secondPairQuestion(`${cents}`)),
      { asks: 'approval' },
    );
    const client = await clientOf(era, payTool([], { approvals: desk, resolve: { large } }));
    for (const _ of [1, 2])
      expect(await client.text('pay', { invoice: 'x', cents: 99 })).toBe('Paid.');
    expect(events).toEqual([]);
    expect(idOf(await client.call('pay', { invoice: 'x', cents: 100 }))).toBeTruthy();
  });

  it('waits for two groups, which different persons have to represent', async () => {
    const { desk } = testDesk();
    const treasury = secondPair();
    const board = secondPair({ by: 'acme/board' });
    const paid: unknown[] = [];
    const tool = payTool(paid, { approvals: desk, resolve: { treasury, board } });
    const client = await clientOf(era, tool);
    const [first, second] = waitingOf(await client.call('pay', INVOICE)).requests;
    const both = ['acme/treasury', 'acme/board'];
    await desk.decide(first!.id, yes('bob', both));
    expect(await desk.decide(second!.id, yes('bob', both))).toMatchObject({ counted: false });
    expect(waitingOf(await client.call('pay', INVOICE)).requests).toMatchObject([
      { id: first!.id, state: 'approved' },
      { id: second!.id, state: 'pending' },
    ]);
    await desk.decide(second!.id, yes('carol', both));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toHaveLength(1);
  });

  it('keeps a value that is pinned on top of an approval until a second one', async () => {
    const { desk } = testDesk();
    let rate = 7;
    const first = secondPair();
    const quote = resolver({ first }, () => rate, { pin: z.number() });
    const second = resolver(
      { quote },
      ({ quote: shown }) => secondPairQuestion(`${shown}`, 'acme/board'),
      { asks: 'approval' },
    );
    const paid: unknown[] = [];
    const tool = payTool(paid, { approvals: desk, resolve: { quote, second } });
    const client = await clientOf(era, tool);
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    const { requests } = waitingOf(await client.call('pay', INVOICE));
    rate = 8;
    expect(waitingOf(await client.call('pay', INVOICE)).requests).toEqual(requests);
    await desk.decide(requests[1]!.id, yes('carol', ['acme/board']));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toMatchObject([{ quote: 7 }]);
  });
});

/** An approval that shows an amount. */
function secondPairQuestion(amount: string, by = 'acme/treasury') {
  return approval('Pay a supplier', { facts: { amount }, by, requester: 'ann' });
}

/** A resolver that asks to approve the amount of another one. */
function secondPairOf(due: Resolver<number>) {
  return resolver({ due }, ({ due: cents }) => secondPairQuestion(`${cents}`), {
    asks: 'approval',
  });
}
