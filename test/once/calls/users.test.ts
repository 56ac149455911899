/** The user of a record. One user cannot fill a store in memory for the others. */
import { memoryStore } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { caller, overStdio, tokenOf } from '../../sealing/desk.js';
import {
  answerOf,
  bank,
  decline,
  PAID,
  payTool,
  recordSteps,
  roundsAt,
  roundsOf,
  storeFull,
  yes,
} from './support.js';

const ada = { authInfo: caller('ada') };
const bob = { authInfo: caller('bob') };

describe('a record counts for', () => {
  test('its principal, as a digest that is the same in every call', async () => {
    const { store, taken } = recordSteps();
    const rounds = roundsOf(payTool(store).tool);
    for (const user of [ada, ada, bob]) {
      const token = tokenOf(await rounds({}, user));
      await rounds({ token, answers: { approved: yes } }, user);
    }
    const users = taken.flatMap(({ how }) => (how === undefined ? [] : [how.of ?? 'none']));
    expect(users).toHaveLength(6);
    expect(new Set(users.slice(0, 4)).size).toBe(1);
    expect(new Set(users).size).toBe(2);
    for (const user of users) expect(user).toMatch(/^[\w-]{22}$/);
  });

  test('the anonymous user, if a request over HTTP has no principal', async () => {
    const { store, taken } = recordSteps();
    const rounds = roundsOf(payTool(store).tool);
    await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } });
    expect(taken.map(({ how }) => how && 'of' in how)).toEqual([undefined, false, false]);
  });

  test('the only user, if the request did not come over HTTP', async () => {
    const { store, taken } = recordSteps();
    const rounds = roundsAt(bank([payTool(store).tool]), 'pay', overStdio);
    await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } });
    expect(taken.map(({ how }) => how?.of)).toEqual([undefined, '*', '*']);
  });
});

test('a user who has a quarter of the records keeps no other user from paying', async () => {
  const { tool } = payTool(memoryStore({ maxEntries: 8 }));
  const rounds = roundsAt(bank([tool]), 'pay');
  const refuse = async () =>
    answerOf(
      await rounds({ token: tokenOf(await rounds({}, ada)), answers: { approved: decline } }, ada),
    );
  expect((await refuse()).text).toContain('elicitation was decline');
  expect((await refuse()).text).toContain('elicitation was decline');
  expect(await refuse()).toEqual(storeFull('pay'));

  const token = tokenOf(await rounds({}, bob));
  expect(answerOf(await rounds({ token, answers: { approved: yes } }, bob))).toEqual(PAID);
  const anonymous = tokenOf(await rounds());
  expect(answerOf(await rounds({ token: anonymous, answers: { approved: yes } }))).toEqual(PAID);
});
