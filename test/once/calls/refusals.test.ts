/**
 * A no is final: whoever comes back with a yes and the same token gets the refusal that was
 * recorded.
 */
import { confirm, defineTool, elicit, outcome, resolver } from 'mcp-resolve';
import { memoryOnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import {
  accept,
  answerOf,
  cancel,
  countOf,
  decline,
  heard,
  inProgress,
  payTool,
  roundsOf,
  unticked,
  yes,
} from './support.js';

const refused = (action: string, param = 'approved') => ({
  text: `Error executing tool pay: Resolver for parameter '${param}' could not resolve: elicitation was ${action}`,
  isError: true,
});
const PAID = { text: 'Paid 48 euros.' };

describe('where the bare value is wanted', () => {
  test.each([
    ['a decline', decline, refused('decline')],
    ['a cancel', cancel, refused('cancel')],
    ['an unticked box', unticked, refused('decline')],
  ])('%s ends the call for good', async (_, answer, expected) => {
    const { tool, runs } = payTool(memoryOnceStore());
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const no = await rounds({ token, answers: { approved: answer } });
    expect(answerOf(no)).toEqual(expected);
    const ran = runs.length;

    for (const later of [yes, answer, decline, cancel]) {
      expect((await rounds({ token, answers: { approved: later } })).text).toBe(no.text);
    }
    expect((await rounds({ token })).text).toBe(no.text);
    expect(runs).toHaveLength(ran);
    expect(countOf(runs, 'body')).toBe(0);
  });

  test('a no to one of two questions is final for both, and for earlier tokens', async () => {
    const first = resolver({}, () => elicit('To whom?', z.object({ to: z.string() })));
    const second = resolver({ first }, () => confirm('Pay?'));
    const third = resolver({ first }, () => confirm('Tell them?'));
    let bodies = 0;
    const tool = defineTool(
      'pay',
      { resolve: { second, third }, once: memoryOnceStore() },
      () => `${++bodies}`,
    );
    const rounds = roundsOf(tool);
    const one = tokenOf(await rounds());
    const two = tokenOf(await rounds({ token: one, answers: { first: accept({ to: 'Bob' }) } }));
    const no = await rounds({ token: two, answers: { third: decline } });
    expect(answerOf(no)).toEqual(refused('decline', 'third'));

    for (const token of [one, two]) {
      const answers = { first: accept({ to: 'Bob' }), second: yes, third: yes };
      expect((await rounds({ token, answers })).text).toBe(no.text);
    }
    expect(bodies).toBe(0);
  });

  test('a guard that asks is refused for good too', async () => {
    const sure = resolver({}, () => confirm('Are you allowed to?'), { name: 'sure' });
    let bodies = 0;
    const tool = defineTool(
      'pay',
      { guards: [sure], once: memoryOnceStore() },
      () => `${++bodies}`,
    );
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const no = await rounds({ token, answers: { sure: decline } });
    expect(answerOf(no)).toEqual(refused('decline', 'guard'));
    expect((await rounds({ token, answers: { sure: yes } })).text).toBe(no.text);
    expect(bodies).toBe(0);
  });

  test('a no is a no for its own call alone: the next one can be approved', async () => {
    const { tool } = payTool(memoryOnceStore());
    const rounds = roundsOf(tool);
    await rounds({ token: tokenOf(await rounds()), answers: { approved: decline } });
    const next = await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } });
    expect(answerOf(next)).toEqual(PAID);
  });
});

describe('where the outcome is wanted', () => {
  test.each([
    ['accept', yes],
    ['decline', decline],
    ['cancel', cancel],
  ])('the body runs once with a %s, and its result is recorded', async (action, answer) => {
    const bodies: string[] = [];
    const approved = resolver({}, () => confirm('Pay?'));
    const tool = defineTool(
      'pay',
      { resolve: { approved: outcome(approved) }, once: memoryOnceStore() },
      (values) => {
        bodies.push(values.approved.action);
        return `It was ${values.approved.action}.`;
      },
    );
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const end = await rounds({ token, answers: { approved: answer } });
    expect(answerOf(end)).toEqual({ text: `It was ${action}.` });
    for (const later of [yes, decline, cancel]) {
      expect((await rounds({ token, answers: { approved: later } })).text).toBe(end.text);
    }
    expect(bodies).toEqual([action]);
  });
});

describe('a yes and a no at the same time', () => {
  test.each(Array.from({ length: 12 }, (_, time) => time))(
    'end in one of the two, for both: %i',
    async (time) => {
      const { tool, runs } = payTool(memoryOnceStore());
      const rounds = roundsOf(tool);
      const token = tokenOf(await rounds());
      const order = time % 2 === 0 ? [yes, decline] : [decline, yes];
      const replies = await Promise.all(
        order.map((approved) => rounds({ token, answers: { approved } })),
      );
      const end = await rounds({ token, answers: { approved: yes } });
      const paid = countOf(runs, 'body');
      expect(answerOf(end)).toEqual(paid === 1 ? PAID : refused('decline'));
      expect(paid).toBeLessThan(2);
      for (const reply of replies) {
        expect([answerOf(end), inProgress('pay')]).toContainEqual(answerOf(reply));
      }
      expect(replies.map(({ text }) => text)).toContain(end.text);
    },
  );

  test('a no that comes while the body runs is told so, and changes nothing', async () => {
    const started = deferred();
    const release = deferred();
    const { tool } = payTool(memoryOnceStore(), async () => {
      started.resolve();
      await release.promise;
      return 'Paid 48 euros.';
    });
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const first = rounds({ token, answers: { approved: yes } });
    await started.promise;
    const no = await rounds({ token, answers: { approved: decline } });
    expect(answerOf(no)).toEqual(inProgress('pay'));
    release.resolve();
    expect(answerOf(await first)).toEqual(PAID);
    const late = await rounds({ token, answers: { approved: decline } });
    expect(answerOf(late)).toEqual(PAID);
  });

  test('a yes that comes while the no is being recorded does not run', async () => {
    const recording = deferred();
    const release = deferred();
    const memory = memoryOnceStore();
    const { tool, runs } = payTool({
      ...memory,
      finish: async (id, end) => {
        recording.resolve();
        await release.promise;
        return memory.finish(id, end);
      },
    });
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const no = rounds({ token, answers: { approved: decline } });
    await recording.promise;
    const late = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(late)).toEqual(inProgress('pay'));
    release.resolve();
    expect(answerOf(await no)).toEqual(refused('decline'));
    const last = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(last)).toEqual(refused('decline'));
    expect(countOf(runs, 'body')).toBe(0);
  });

  test('a no that loses to a yes between its read and its claim gets the answer to the yes', async () => {
    const reading = deferred();
    const release = deferred();
    const { store } = heard();
    let holds = true;
    const { tool, runs } = payTool({
      ...store,
      read: async (id) => {
        const known = await store.read(id);
        if (holds) {
          holds = false;
          reading.resolve();
          await release.promise;
        }
        return known;
      },
    });
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const no = rounds({ token, answers: { approved: decline } });
    await reading.promise;
    const paid = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(paid)).toEqual(PAID);
    release.resolve();
    expect((await no).text).toBe(paid.text);
    expect(countOf(runs, 'body')).toBe(1);
  });
});
