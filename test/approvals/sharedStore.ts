/** Approvals on a store that processes share, with two desks as two processes have them. */
import { confirm, resolver } from 'mcp-resolve';
import { approvalDesk } from 'mcp-resolve/approvals';
import type { ApprovalDesk } from 'mcp-resolve/approvals';
import type { RecordStore } from 'mcp-resolve/store';
import { describe, expect, it } from 'vitest';

import { eras } from '../support/eras.js';
import { textOf, questionsOf } from '../support/results.js';
import { clientOf, idOf, INVOICE, payTool, secondPair, waitingOf } from './bank.js';
import type { PayOptions } from './bank.js';
import { DAY } from './callers.js';

/** Two clients of one store. */
export type TwoStores = readonly [RecordStore, RecordStore];

let groups = 0;

/** Two processes of one bank, with a group of their own. */
function twoProcesses(stores: TwoStores, more: Partial<PayOptions> = {}) {
  groups += 1;
  const by = `tenant${groups}-${Date.now()}/treasury`;
  const clock = { now: Date.now() };
  const notified: string[] = [];
  const paid: { callId?: string }[] = [];
  const processes = stores.map((store) => {
    const desk = approvalDesk({
      store,
      notify: ({ id }) => void notified.push(id),
      now: () => clock.now,
    });
    const resolve = { secondPair: secondPair({ by }) };
    return { desk, tool: payTool(paid, { approvals: desk, resolve, ...more }) };
  });
  const [one, two] = processes as [(typeof processes)[0], (typeof processes)[0]];
  const decide = (desk: ApprovalDesk, id: string, verdict: 'approve' | 'deny' = 'approve') =>
    desk.decide(id, { who: 'bob', groups: [by], verdict, comment: 'seen' });
  return { one, two, by, clock, notified, paid, decide, user: by };
}

/** The tests that every shared store passes. */
export function describeApprovalsOn(name: string, stores: () => TwoStores): void {
  describe.each(eras)(`approvals on ${name}, on %s`, (era) => {
    it('V3 V39 V46 are requested, decided and used in any process', async () => {
      const { one, two, by, user, paid, notified, decide } = twoProcesses(stores());
      const [first, second] = [
        await clientOf(era, one.tool, { user }),
        await clientOf(era, two.tool, { user }),
      ];
      const id = idOf(await first.call('pay', INVOICE));
      expect(idOf(await second.call('pay', INVOICE))).toBe(id);
      expect(await two.desk.pending({ by })).toMatchObject([{ id }]);
      expect(await decide(two.desk, id)).toEqual({ counted: true, state: 'approved' });
      expect(await first.text('pay', INVOICE)).toBe('Paid.');
      expect(waitingOf(await second.call('pay', INVOICE))).toMatchObject({ state: 'used' });
      expect(paid).toHaveLength(1);
      expect(notified).toEqual([id]);
      expect(await one.desk.pending({ by })).toEqual([]);
    });

    it('V4 V5 are one request and one notification for many calls at once', async () => {
      const { one, two, by, user, notified } = twoProcesses(stores());
      const clients = [
        await clientOf(era, one.tool, { user }),
        await clientOf(era, two.tool, { user }),
      ];
      const calls = Array.from({ length: 10 }, (_, at) => clients[at % 2]!.call('pay', INVOICE));
      const ids = (await Promise.all(calls)).map(idOf);
      expect(new Set(ids).size).toBe(1);
      expect(notified).toEqual([ids[0]]);
      expect(await one.desk.pending({ by })).toHaveLength(1);
    });

    it('V31 count no more once they are withdrawn', async () => {
      const { one, two, user, decide } = twoProcesses(stores());
      const client = await clientOf(era, one.tool, { user });
      const id = idOf(await client.call('pay', INVOICE));
      expect(await two.desk.withdraw(id, { who: 'ann' })).toMatchObject({ counted: true });
      expect(await decide(one.desk, id)).toMatchObject({ counted: false, why: 'over' });
      expect(idOf(await client.call('pay', INVOICE))).not.toBe(id);
    });

    it('V32 V33 count no more once they have expired', async () => {
      const { one, two, user, clock, decide } = twoProcesses(stores());
      const client = await clientOf(era, one.tool, { user });
      const id = idOf(await client.call('pay', INVOICE));
      clock.now += DAY;
      expect(await decide(two.desk, id)).toMatchObject({ counted: false, why: 'over' });
      const next = idOf(await client.call('pay', INVOICE));
      await decide(two.desk, next);
      clock.now += DAY;
      expect([id, next]).not.toContain(idOf(await client.call('pay', INVOICE)));
    });

    it('V34 V35 V36 V37 run one body, also if it fails, until a stated time', async () => {
      const { one, two, user, clock, paid, decide } = twoProcesses(stores(), {
        body: () => {
          throw new Error('The bank is closed.');
        },
      });
      const clients = [
        await clientOf(era, one.tool, { user }),
        await clientOf(era, two.tool, { user }),
      ];
      const id = idOf(await clients[0]!.call('pay', INVOICE));
      await decide(two.desk, id);
      await Promise.all(
        Array.from({ length: 10 }, (_, at) => clients[at % 2]!.call('pay', INVOICE)),
      );
      expect(paid).toHaveLength(1);
      const used = waitingOf(await clients[1]!.call('pay', INVOICE));
      expect(used).toMatchObject({ state: 'used' });
      clock.now = used.expiresAt!;
      expect(idOf(await clients[1]!.call('pay', INVOICE))).not.toBe(id);
    });

    it('V40 V41 run no body without the store, and keep the answer of one that ran', async () => {
      let fails: 'never' | 'puts' | 'everything' = 'never';
      const [store, other] = stores();
      const fail = () => Promise.reject(new Error('connection lost'));
      const flaky: RecordStore = {
        get: (key) => (fails === 'everything' ? fail() : store.get(key)),
        put: (key, value, how) => (fails === 'never' ? store.put(key, value, how) : fail()),
      };
      const { one, two, user, paid, decide } = twoProcesses([flaky, other], {
        once: flaky,
        body: () => {
          fails = 'everything';
        },
      });
      const client = await clientOf(era, one.tool, { user });
      const id = idOf(await client.call('pay', INVOICE));
      await decide(two.desk, id);
      fails = 'puts';
      expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({
        why: 'store_unavailable',
      });
      expect(paid).toEqual([]);
      fails = 'never';
      expect(await client.text('pay', INVOICE)).toBe('Paid.');
      expect(paid).toHaveLength(1);
    });
  });

  it(`V38 a token of a call that has run gets its result on ${name}`, async () => {
    const [store, other] = stores();
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const { one, user, by, paid, decide } = twoProcesses([store, other], { once: store });
    const resolve = { sure, secondPair: secondPair({ by }) };
    const tool = payTool(paid, { approvals: one.desk, once: store, resolve });
    const client = await clientOf('modern', tool, {
      user,
      capabilities: { elicitation: { form: {} } },
    });
    const { requestState } = questionsOf(await client.sendRound('pay', INVOICE));
    const answered = {
      requestState: requestState,
      inputResponses: { sure: { action: 'accept', content: { confirm: true } } },
    };
    await decide(one.desk, idOf((await client.sendRound('pay', INVOICE, answered)) as never));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(textOf((await client.sendRound('pay', INVOICE, answered)) as never)).toBe('Paid.');
    expect(paid).toHaveLength(1);
  });
}
