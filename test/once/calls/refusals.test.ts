/**
 * A refusal is final. A later approval with the same token receives the recorded refusal.
 */
import { confirm, defineTool, elicit, memoryStore, outcome, resolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import {
  answerOf,
  askedCall,
  cancel,
  countOf,
  decline,
  inProgress,
  PAID,
  payTool,
  roundsOf,
  runningCall,
  unticked,
  withStep,
  yes,
} from './support.js';

const refused = (action: string, param = 'approved') => ({
  text: `Error executing tool pay: Resolver for parameter '${param}' could not resolve: elicitation was ${action}`,
  isError: true,
});
describe('if the tool takes the value', () => {
  test.each([
    ['a refusal', decline, refused('decline')],
    ['a cancellation', cancel, refused('cancel')],
    ['an unticked box', unticked, refused('decline')],
  ])('%s ends the call, and a later approval does not run it', async (_, answer, expected) => {
    const { tool, runs } = payTool(memoryStore());
    const { rounds, token } = await askedCall(tool);
    const refusal = await rounds({ token, answers: { approved: answer } });
    expect(answerOf(refusal)).toEqual(expected);
    const ran = runs.length;

    for (const later of [yes, answer, decline, cancel]) {
      expect((await rounds({ token, answers: { approved: later } })).text).toBe(refusal.text);
    }
    expect((await rounds({ token })).text).toBe(refusal.text);
    expect(runs).toHaveLength(ran);
    expect(countOf(runs, 'body')).toBe(0);
  });

  test('a refusal of one of two questions ends the call for all of its tokens', async () => {
    const first = resolver({}, () => elicit('To whom?', z.object({ to: z.string() })), {
      asks: 'form',
    });
    const second = resolver({ first }, () => confirm('Pay?'), { asks: 'form' });
    const third = resolver({ first }, () => confirm('Tell them?'), { asks: 'form' });
    let bodies = 0;
    const tool = defineTool(
      'pay',
      { resolve: { second, third }, once: memoryStore() },
      () => `${++bodies}`,
    );
    const rounds = roundsOf(tool);
    const one = tokenOf(await rounds());
    const two = tokenOf(await rounds({ token: one, answers: { first: accept({ to: 'Bob' }) } }));
    const refusal = await rounds({ token: two, answers: { third: decline } });
    expect(answerOf(refusal)).toEqual(refused('decline', 'third'));

    for (const token of [one, two]) {
      const answers = { first: accept({ to: 'Bob' }), second: yes, third: yes };
      expect((await rounds({ token, answers })).text).toBe(refusal.text);
    }
    expect(bodies).toBe(0);
  });

  test("a refusal of a guard's question ends the call", async () => {
    const sure = resolver({}, () => confirm('Are you allowed to?'), { asks: 'form', name: 'sure' });
    let bodies = 0;
    const tool = defineTool('pay', { guards: [sure], once: memoryStore() }, () => `${++bodies}`);
    const { rounds, token } = await askedCall(tool);
    const refusal = await rounds({ token, answers: { sure: decline } });
    expect(answerOf(refusal)).toEqual(refused('decline', 'sure'));
    expect((await rounds({ token, answers: { sure: yes } })).text).toBe(refusal.text);
    expect(bodies).toBe(0);
  });

  test('a refusal does not affect the next call', async () => {
    const { tool } = payTool(memoryStore());
    const rounds = roundsOf(tool);
    await rounds({ token: tokenOf(await rounds()), answers: { approved: decline } });
    const next = await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } });
    expect(answerOf(next)).toEqual(PAID);
  });
});

describe('if the tool takes the outcome', () => {
  test.each([
    ['accept', yes],
    ['decline', decline],
    ['cancel', cancel],
  ])(
    'the body runs once with the outcome %s, and its result is recorded',
    async (action, answer) => {
      const bodies: string[] = [];
      const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
      const tool = defineTool(
        'pay',
        { resolve: { approved: outcome(approved) }, once: memoryStore() },
        (values) => {
          bodies.push(values.approved.action);
          return `It was ${values.approved.action}.`;
        },
      );
      const { rounds, token } = await askedCall(tool);
      const end = await rounds({ token, answers: { approved: answer } });
      expect(answerOf(end)).toEqual({ text: `It was ${action}.` });
      for (const later of [yes, decline, cancel]) {
        expect((await rounds({ token, answers: { approved: later } })).text).toBe(end.text);
      }
      expect(bodies).toEqual([action]);
    },
  );
});

describe('an approval and a refusal at the same time', () => {
  test.each(Array.from({ length: 12 }, (_, time) => time))(
    'end with the same result for both (attempt %i)',
    async (time) => {
      const { tool, runs } = payTool(memoryStore());
      const { rounds, token } = await askedCall(tool);
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

  test('let the body finish if it runs when the refusal arrives', async () => {
    const { rounds, token, first, release } = await runningCall(memoryStore());
    const refusal = await rounds({ token, answers: { approved: decline } });
    expect(answerOf(refusal)).toEqual(inProgress('pay'));
    release();
    expect(answerOf(await first)).toEqual(PAID);
    const late = await rounds({ token, answers: { approved: decline } });
    expect(answerOf(late)).toEqual(PAID);
  });

  test('do not run the body if the approval arrives while the refusal is recorded', async () => {
    const recording = deferred();
    const release = deferred();
    const slow = async (take: () => Promise<unknown>) => {
      recording.resolve();
      await release.promise;
      return take();
    };
    const { tool, runs } = payTool(withStep('finish', slow));
    const { rounds, token } = await askedCall(tool);
    const refusal = rounds({ token, answers: { approved: decline } });
    await recording.promise;
    const late = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(late)).toEqual(inProgress('pay'));
    release.resolve();
    expect(answerOf(await refusal)).toEqual(refused('decline'));
    const last = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(last)).toEqual(refused('decline'));
    expect(countOf(runs, 'body')).toBe(0);
  });

  test('return the payment for both if the approval claims the call first', async () => {
    const reading = deferred();
    const release = deferred();
    let holds = true;
    const slowAtFirst = async (take: () => Promise<unknown>) => {
      const known = await take();
      if (holds) {
        holds = false;
        reading.resolve();
        await release.promise;
      }
      return known;
    };
    const { tool, runs } = payTool(withStep('read', slowAtFirst));
    const { rounds, token } = await askedCall(tool);
    const refusal = rounds({ token, answers: { approved: decline } });
    await reading.promise;
    const paid = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(paid)).toEqual(PAID);
    release.resolve();
    expect((await refusal).text).toBe(paid.text);
    expect(countOf(runs, 'body')).toBe(1);
  });
});
