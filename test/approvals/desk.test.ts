/** Requests, decisions and runs at a desk. */
import { setImmediate } from 'node:timers/promises';
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { describe, expect, it, vi } from 'vitest';

import {
  call,
  DAY,
  find,
  goOn,
  HOUR,
  idIn,
  no,
  requested,
  termsOf,
  testDesk,
  yes,
} from './callers.js';

describe('a request', () => {
  it('V1 ends the call with the id and the group, and says when to call again', async () => {
    const { desk } = testDesk();
    const ended = await call(desk);
    expect(ended).toMatchObject({ text: expect.stringContaining(idIn(ended)) as string });
    expect(ended).toHaveProperty(
      'text',
      `this call waits for approval ${idIn(ended)} by acme/treasury (0 of 1 given), until 2026-11-20T00:00:00.000Z at most. Nothing has been done yet. Make the same call again later, with the same arguments. Do not try to reach the same goal in another way.`,
    );
  });

  it('V2 tells programs the same', async () => {
    const { desk, clock } = testDesk();
    const { text: _, ...meta } = (await call(desk, { quorum: 2 })) as { text: string };
    expect(meta).toEqual({
      state: 'pending',
      requests: [
        {
          id: expect.stringMatching(/^AP-[\w-]{22}$/) as string,
          resolver: 'secondPair',
          by: ['acme/treasury'],
          state: 'pending',
          given: 0,
          quorum: 2,
        },
      ],
      expiresAt: clock.now + DAY,
    });
  });

  it('V4 notifies once, however often its call is made', async () => {
    const { desk, notified, events } = testDesk();
    const id = await requested(desk);
    const polls = await Promise.all(Array.from({ length: 50 }, () => requested(desk)));
    expect(new Set(polls)).toEqual(new Set([id]));
    expect(notified).toEqual([id]);
    expect(events.map(({ type }) => type)).toEqual(['requested']);
  });

  it('V5 is one, if ten first calls arrive at once', async () => {
    const { desk, notified } = testDesk();
    const ids = await Promise.all(Array.from({ length: 10 }, () => requested(desk)));
    expect(new Set(ids).size).toBe(1);
    expect(notified).toEqual([ids[0]]);
    expect(await desk.pending({ by: 'acme/treasury' })).toHaveLength(1);
  });

  it('is shown to its group with everything that it asks for, and without arguments (trap 6)', async () => {
    const { desk, clock } = testDesk();
    const id = await requested(desk, { by: ['acme/treasury', 'acme/board'], about: 'invoice 7' });
    const request = {
      id,
      tool: 'pay',
      message: 'Pay a supplier',
      facts: [['amount', '49.00 EUR']],
      by: ['acme/treasury', 'acme/board'],
      requester: 'ann',
      quorum: 1,
      decisions: [],
      requestedAt: clock.now,
      expiresAt: clock.now + DAY,
      state: 'pending',
    };
    expect(await desk.pending({ by: 'acme/board' })).toEqual([request]);
    expect(await desk.pending({ by: ['acme/treasury', 'acme/board'] })).toEqual([request]);
    expect(await desk.pending({ by: 'other/treasury' })).toEqual([]);
    expect(await desk.read(id)).toEqual(request);
  });

  it('V9 replaces the older one about the same thing, approved or not', async () => {
    const { desk, events } = testDesk();
    const older = await requested(desk, { key: 'a', about: 'invoice 7' });
    await desk.decide(older, yes('bob'));
    const newer = await requested(desk, { key: 'b', about: 'invoice 7' });
    expect(await desk.read(older)).toMatchObject({ state: 'over' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'replaced', id: older, by: newer }),
    );
    expect(await call(desk, { key: 'a', about: 'invoice 7' })).not.toHaveProperty('ran');
    expect(await desk.read(newer)).toMatchObject({ state: 'over' });
  });

  it.each([
    ['audience', { audience: 'another bank' }],
    ['group', { by: 'other/treasury' }],
    ['text', { about: 'invoice 8' }],
  ])('V9 leaves a request of another %s alone', async (_, other) => {
    const { desk } = testDesk();
    const older = await requested(desk, { key: 'a', about: 'invoice 7' });
    await requested(desk, { key: 'b', about: 'invoice 7', ...other });
    expect(await desk.read(older)).toMatchObject({ state: 'pending' });
  });

  it.each([
    ['text', { message: 'Pay two suppliers' }],
    ['fact', { facts: { amount: '4900 EUR' } }],
    ['group', { by: 'acme/board' }],
    ['requester', { requester: 'zoe' }],
    ['quorum', { quorum: 2 }],
  ])('V10 loses its approval if its %s changes', async (_, change) => {
    const { desk, events } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, yes('bob'));
    const newer = await requested(desk, change);
    expect(newer).not.toBe(id);
    expect(events).toContainEqual(expect.objectContaining({ type: 'replaced', id, by: newer }));
    expect(await desk.decide(id, yes('bob'))).toMatchObject({ counted: false, why: 'over' });
  });

  it('V12 loses its approval if its resolver is renamed', async () => {
    const { desk } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, yes('bob'));
    expect(await requested(desk, { resolver: 'secondOpinion' })).not.toBe(id);
  });

  it('V33 expires a day after its last change, approved or not', async () => {
    const { desk, clock } = testDesk();
    const id = await requested(desk);
    clock.now += DAY - 1;
    await desk.decide(id, yes('bob'));
    clock.now += DAY - 1;
    expect(await desk.read(id)).toMatchObject({ state: 'approved' });
    clock.now += 1;
    expect(await desk.read(id)).toMatchObject({ state: 'over' });
    expect(await requested(desk)).not.toBe(id);
  });

  it('V42 is announced again by the next call if `notify` fails', async () => {
    const attempts: string[] = [];
    const errors: unknown[] = [];
    const { desk, events } = testDesk({
      notify: ({ id }) => {
        attempts.push(id);
        if (attempts.length === 1) throw new Error('The chat is down.');
      },
    });
    const report = (error: unknown) => void errors.push(error);
    const id = await requested(desk, { report });
    expect(errors).toEqual([new Error('The chat is down.')]);
    expect(events.map(({ type }) => type)).toEqual(['requested', 'notifyFailed']);
    await requested(desk, { report });
    await requested(desk, { report });
    expect(attempts).toEqual([id, id]);
    expect(errors).toHaveLength(1);
  });

  it('V42 is announced by the next call if its inbox could not be written', async () => {
    const inner = memoryStore();
    let isDown = true;
    const store: RecordStore = {
      ...inner,
      get: (key) => inner.get(key),
      put: (key, value, how) => {
        if (isDown && key.startsWith('inbox/')) throw new Error('connection lost');
        return inner.put(key, value, how);
      },
    };
    const { desk, notified } = testDesk({ store });
    expect(await call(desk)).toMatchObject({ state: 'refused', why: 'store_unavailable' });
    isDown = false;
    const id = await requested(desk);
    expect(notified).toEqual([id]);
    expect(await desk.pending({ by: 'acme/treasury' })).toMatchObject([{ id }]);
  });

  it('lists a burst of calls together, so that none of them loses', async () => {
    const inner = memoryStore();
    let writes = 0;
    // Between two steps of a call, those of the others run.
    const store: RecordStore = {
      ...inner,
      get: (key) => setImmediate().then(() => inner.get(key)),
      put: async (key, value, how) => {
        await setImmediate();
        if (key.startsWith('inbox/')) writes += 1;
        return inner.put(key, value, how);
      },
    };
    const { desk } = testDesk({ store, maxOpenPerRequester: 1000 });
    const calls = Array.from({ length: 300 }, (_, index) =>
      requested(desk, { key: `call ${index}` }),
    );
    expect(new Set(await Promise.all(calls)).size).toBe(300);
    expect(await desk.pending({ by: 'acme/treasury' })).toHaveLength(300);
    expect(writes).toBeLessThan(50);
  });

  it('names `notify` if that takes too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const errors: unknown[] = [];
    const { desk } = testDesk({
      notify: () => {
        void setImmediate().then(() => vi.advanceTimersByTime(5000));
        return new Promise(() => undefined);
      },
    });
    await requested(desk, { report: (error) => void errors.push(error) });
    vi.useRealTimers();
    expect(errors).toEqual([new Error('`notify` did not answer within 5000 ms.')]);
  });

  it('V43 is refused if its requester has too many that wait, and nothing is left of it', async () => {
    const { desk } = testDesk({ maxOpenPerRequester: 2 });
    const first = await requested(desk, { key: 'a' });
    await requested(desk, { key: 'b', requester: 'ANN' });
    expect(await call(desk, { key: 'c' })).toMatchObject({ state: 'refused', why: 'too_many' });
    expect(await requested(desk, { key: 'd', requester: 'zoe' })).toBeTruthy();
    await desk.decide(first, yes('bob'));
    expect(await call(desk, { key: 'c' })).toMatchObject({ state: 'pending' });
    expect(await desk.pending({ by: 'acme/treasury' })).toHaveLength(3);
  });

  it('V43 is refused if too many wait for its group', async () => {
    const { desk } = testDesk({ maxOpen: 1 });
    await requested(desk, { key: 'a' });
    const refused = await call(desk, {
      key: 'b',
      requester: 'zoe',
      by: ['acme/board', 'acme/treasury'],
    });
    expect(refused).toMatchObject({ state: 'refused', why: 'too_many', requests: [] });
    expect(await desk.pending({ by: ['acme/board', 'acme/treasury'] })).toHaveLength(1);
  });
});

describe('a decision', () => {
  it('approves with as many persons as the quorum', async () => {
    const { desk } = testDesk();
    const id = await requested(desk, { quorum: 2 });
    expect(await desk.decide(id, yes('bob'))).toEqual({ counted: true, state: 'pending' });
    expect(await call(desk, { quorum: 2 })).toMatchObject({ requests: [{ given: 1, quorum: 2 }] });
    expect(await desk.decide(id, yes('carol'))).toEqual({ counted: true, state: 'approved' });
    expect(await desk.pending({ by: 'acme/treasury' })).toEqual([]);
    expect(await call(desk, { quorum: 2 })).toMatchObject({ ran: 'paid' });
  });

  it('gives the call the persons, their times and their comments', async () => {
    const { desk, clock } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, yes('bob', ['acme/treasury'], 'checked \u202e'));
    const parking = await find(desk);
    expect(parking.verdictOn('secondPair', JSON.stringify(termsOf()))).toEqual({
      id,
      denial: undefined,
      outcome: {
        action: 'accept',
        asked: true,
        data: { id, approvedBy: [{ who: 'bob', at: clock.now, comment: 'checked \\u{202E}' }] },
      },
    });
  });

  it.each(['ann', 'Ann', ' ANN ', 'ａｎｎ', 'a\u200bnn', 'ann\u0000'])(
    'V23 of the requester does not count, written as %j',
    async (who) => {
      const { desk } = testDesk();
      const id = await requested(desk);
      const answer = { counted: false, state: 'pending', why: 'own request' };
      expect(await desk.decide(id, yes(who))).toEqual(answer);
      expect(await desk.decide(id, no(who))).toEqual(answer);
    },
  );

  it.each([[[]], [['other/treasury']], [['ACME/TREASURY']], [['acme/treasury ']]])(
    'V24 of somebody with the groups %j does not count',
    async (groups) => {
      const { desk } = testDesk();
      const id = await requested(desk);
      const answer = { counted: false, state: 'pending', why: 'not in the group' };
      expect(await desk.decide(id, yes('bob', groups))).toEqual(answer);
    },
  );

  it('V25 counts a person once, however the id is written (trap 10)', async () => {
    const { desk } = testDesk();
    const id = await requested(desk, { quorum: 2 });
    for (const who of ['Bob', 'bob', 'BOB ', 'ｂob'])
      expect(await desk.decide(id, yes(who))).toEqual({ counted: true, state: 'pending' });
  });

  it('V25 counts a person once in all requests of a call', async () => {
    const { desk } = testDesk();
    const terms = termsOf();
    const open = ['first', 'second'].map((resolver) => ({ resolver, digest: resolver, terms }));
    const parking = await find(desk);
    const record = { id: 'x', definition: 'd', args: '', start: 1, deadline: 2 };
    const progress = {
      outcomes: new Map(),
      asked: new Map(),
      failed: new Map(),
      reworded: new Set<string>(),
      pins: new Map(),
    };
    const { error } = await parking.park({ record: { ...record, progress }, open, values: {} });
    const [first = '', second = ''] = error.meta.requests.map(({ id }) => id);
    expect(await desk.decide(first, yes('bob'))).toEqual({ counted: true, state: 'approved' });
    expect(await desk.decide(second, yes('BOB'))).toEqual({
      counted: false,
      state: 'pending',
      why: 'counted already',
    });
    expect(await desk.decide(second, yes('carol'))).toEqual({ counted: true, state: 'approved' });
  });

  it('V26 gives the same answer if it is made again, and does not prolong the request', async () => {
    const { desk, clock } = testDesk();
    const id = await requested(desk, { quorum: 2 });
    const first = await desk.decide(id, yes('bob'));
    clock.now += HOUR;
    expect(await desk.decide(id, yes('bob'))).toEqual(first);
    const denial = await desk.decide(id, no('carol'));
    expect(denial).toEqual({ counted: true, state: 'denied' });
    clock.now += HOUR;
    expect(await desk.decide(id, no('carol'))).toEqual(denial);
    expect(await desk.read(id)).toMatchObject({ expiresAt: clock.now - HOUR + DAY });
  });

  it('V27 denies with one no, also after the quorum, also by a person who approved', async () => {
    const { desk } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, yes('bob'));
    expect(await desk.decide(id, no('bob', 'wrong account'))).toEqual({
      counted: true,
      state: 'denied',
    });
    expect(await call(desk)).toMatchObject({ state: 'denied' });
  });

  it('V27 denies between the lookup of the call and its start', async () => {
    const { desk } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, yes('bob'));
    const parking = await find(desk);
    await desk.decide(id, no('carol'));
    await expect(goOn(parking)).rejects.toThrow('was denied');
    expect(await desk.read(id)).toMatchObject({ state: 'denied' });
  });

  it('V28 of yes does not count after a no', async () => {
    const { desk } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, no('carol'));
    for (const who of ['bob', 'carol'])
      expect(await desk.decide(id, yes(who))).toEqual({
        counted: false,
        state: 'denied',
        why: 'denied',
      });
  });

  it('V29 of no is repeated with its comment until it expires', async () => {
    const { desk, clock } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, no('carol', 'wrong account'));
    for (const _ of [1, 2]) {
      expect(await call(desk)).toMatchObject({
        state: 'denied',
        text: expect.stringContaining('The approver wrote: "wrong account".') as string,
      });
    }
    clock.now += DAY;
    expect(await requested(desk)).not.toBe(id);
  });

  it('V29 of no is over when the requester withdraws the request', async () => {
    const { desk } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, no('carol'));
    expect(await desk.withdraw(id, { who: 'ann' })).toEqual({ counted: true, state: 'over' });
    expect(await requested(desk)).not.toBe(id);
  });

  it('V31 does not count on a request that was withdrawn, and the next call is new', async () => {
    const { desk, events } = testDesk();
    const id = await requested(desk);
    expect(await desk.withdraw(id, { who: 'bob' })).toEqual({
      counted: false,
      state: 'pending',
      why: 'not the requester',
    });
    expect(await desk.withdraw(id, { who: 'Ann' })).toEqual({ counted: true, state: 'over' });
    expect(await desk.decide(id, yes('bob'))).toEqual({
      counted: false,
      state: 'over',
      why: 'over',
    });
    expect(await desk.withdraw(id, { who: 'ann' })).toMatchObject({ counted: false, why: 'over' });
    expect(await desk.pending({ by: 'acme/treasury' })).toEqual([]);
    const next = await requested(desk);
    expect(next).not.toBe(id);
    expect(await desk.pending({ by: 'acme/treasury' })).toMatchObject([{ id: next }]);
    expect(events.map(({ type }) => type)).toEqual([
      'requested',
      'withdrawn',
      'decided',
      'requested',
    ]);
  });

  it('V32 does not count after the request has expired', async () => {
    const { desk, clock } = testDesk();
    const id = await requested(desk);
    clock.now += DAY;
    expect(await desk.decide(id, yes('bob'))).toEqual({
      counted: false,
      state: 'over',
      why: 'over',
    });
    expect(await desk.pending({ by: 'acme/treasury' })).toEqual([]);
  });

  it.each([
    'AP-none',
    `AP-${'x'.repeat(22)}`,
    `AP-${'x'.repeat(100_000)}`,
    '__proto__',
    '\0',
    7,
    undefined,
  ])('does not count for the unknown id %j', async (id) => {
    const { desk } = testDesk();
    const answer = { counted: false, state: 'over', why: 'unknown' };
    expect(await desk.decide(id as string, yes('bob'))).toEqual(answer);
    expect(await desk.withdraw(id as string, { who: 'ann' })).toEqual(answer);
    expect(await desk.read(id as string)).toBeUndefined();
  });

  it.each([
    ['who', { who: ' ' }],
    ['who', { who: 7 }],
    ['groups', { groups: 'acme/treasury' }],
    ['groups', { groups: [7] }],
    ['verdict', { verdict: 'yes' }],
    ['comment', { comment: 'x'.repeat(2001) }],
  ])('throws for a malformed `%s`', async (option, wrong) => {
    const { desk } = testDesk();
    const id = await requested(desk);
    const decision = { ...yes('bob'), ...wrong } as ReturnType<typeof yes>;
    await expect(async () => desk.decide(id, decision)).rejects.toThrow(`\`${option}\``);
  });
});

describe('an approved call', () => {
  it('V34 runs once, if ten retries arrive at once', async () => {
    const { desk, events } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, yes('bob'));
    const ends = await Promise.all(Array.from({ length: 10 }, () => call(desk)));
    expect(ends.filter((end) => 'ran' in end)).toHaveLength(1);
    expect(ends.filter((end) => 'state' in end && end.state === 'used')).toHaveLength(9);
    expect(events.map(({ type }) => type)).toEqual(['requested', 'decided', 'used', 'ended']);
  });

  it('V36 does not run again on the same approval after a crash', async () => {
    const { desk } = testDesk();
    await desk.decide(await requested(desk), yes('bob'));
    const crash = () => {
      throw new Error('The process dies here.');
    };
    await expect(call(desk, { body: crash })).rejects.toThrow('The process dies here.');
    expect(await call(desk)).toMatchObject({ state: 'used' });
  });

  it('V37 is refused until a stated time, and is a new request then', async () => {
    const { desk, clock } = testDesk();
    const id = await requested(desk);
    await desk.decide(id, yes('bob'));
    await call(desk);
    const until = clock.now + HOUR + 10 * 60_000;
    clock.now = until - 1;
    expect(await call(desk)).toMatchObject({ state: 'used', expiresAt: until });
    expect(await desk.decide(id, no('bob'))).toEqual({
      counted: false,
      state: 'used',
      why: 'used',
    });
    expect(await desk.withdraw(id, { who: 'ann' })).toMatchObject({ counted: false, why: 'used' });
    clock.now = until;
    expect(await requested(desk)).not.toBe(id);
  });

  it('V39 has the id of the call that requested it', async () => {
    const { desk } = testDesk();
    const id = await requested(desk);
    const { record } = await find(desk);
    await desk.decide(id, yes('bob'));
    expect(await call(desk)).toEqual({ ran: 'paid', id: record?.id });
  });

  it('V14 ends with `changed` if a value is another one, and the next call requests anew', async () => {
    const { desk } = testDesk();
    const id = await requested(desk, { values: { iban: 'DE1', note: 'x' } });
    await desk.decide(id, yes('bob'));
    const changed = { values: { iban: 'DE2', note: 'x' } };
    expect(await call(desk, changed)).toMatchObject({
      state: 'refused',
      why: 'changed',
      text: expect.stringContaining("the value of 'iban' has changed") as string,
    });
    expect(await requested(desk, changed)).not.toBe(id);
    expect(await desk.read(id)).toBeUndefined();
  });

  it('V14 compares values that a request did not have yet with nothing', async () => {
    const { desk } = testDesk();
    await desk.decide(await requested(desk, { values: { a: [1, { b: 2 }] } }), yes('bob'));
    const values = { later: 1, a: [1, { b: 2 }] };
    expect(await call(desk, { values })).toMatchObject({ ran: 'paid' });
  });

  it('V15 does not compare values that are no JSON', async () => {
    const { desk } = testDesk();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const values = () => ({ client: new Map([[{}, 1]]), run: () => undefined, cycle });
    await desk.decide(await requested(desk, { values: values() }), yes('bob'));
    const others = { client: new Map(), run: 7, cycle: {} };
    expect(await call(desk, { values: others })).toMatchObject({ ran: 'paid' });
  });

  it('releases its approval if nothing has run', async () => {
    const { desk } = testDesk();
    await desk.decide(await requested(desk), yes('bob'));
    const parking = await find(desk);
    parking.verdictOn('secondPair', JSON.stringify(termsOf()));
    await parking.claim({ values: {}, tokensLiveMs: HOUR });
    expect(await call(desk)).toMatchObject({ state: 'used' });
    await parking.release();
    expect(await call(desk)).toMatchObject({ ran: 'paid' });
    await parking.release();
    expect(await call(desk)).toMatchObject({ state: 'used' });
  });

  it('V46 runs in another process than the one that requested it', async () => {
    const store = memoryStore();
    const [one, two, three] = [testDesk({ store }), testDesk({ store }), testDesk({ store })];
    const id = await requested(one.desk);
    expect(await requested(two.desk)).toBe(id);
    expect(await two.desk.pending({ by: 'acme/treasury' })).toMatchObject([{ id }]);
    await three.desk.decide(id, yes('bob'));
    expect(await call(two.desk)).toMatchObject({ ran: 'paid' });
    expect(await call(one.desk)).toMatchObject({ state: 'used' });
    expect([one, two, three].flatMap(({ notified }) => notified)).toEqual([id]);
  });

  it('cannot be approved by the same group name of another tenant (trap 20)', async () => {
    const { desk } = testDesk();
    const id = await requested(desk, { by: 'acme/treasury' });
    expect(await desk.decide(id, yes('eve', ['evil/treasury', 'treasury']))).toMatchObject({
      counted: false,
      why: 'not in the group',
    });
  });
});
