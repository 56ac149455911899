/** G23-G27: unknown, malformed or forged input of a client counts as no progress. */
import { confirm, defineTool, elicit, InvalidGraphError, outcome, resolver } from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { questionsOf, textOf } from '../support/results.js';
import {
  answering,
  type RoundResult,
  roundsOf,
  messagesOf,
  readState,
  type StateRecord,
  writeState,
} from '../support/rounds.js';

const yes = accept({ confirm: true });

const Login = z.object({ username: z.string() });
const login = resolver({}, () => elicit('Username?', Login), { asks: 'form' });
const sure = resolver({ login }, ({ login: { username } }) => confirm(`As ${username}?`), {
  asks: 'form',
});
const tool = defineTool(
  'two_steps',
  { resolve: { sure, login } },
  (values) => `${values.login.username}:${String(values.sure)}`,
);

/** The id and the start of the call, which every record has. */
const CALL = {
  ...{ id: 'AAAAAAAAAAAAAAAAAAAAAA', start: Date.now() / 1000, deadline: 1e12 },
  ...{ definition: 'tools/call two_steps', args: 'RBNvo1WzZ4oRRq0W9-hkng' },
};

const LOGIN_DIGEST = 'JolArRQvGZnYYcB7Wqfp7Q';

/** Answers the login, and returns the round that asks for the confirmation. */
async function secondRound(sendRound: ReturnType<typeof roundsOf>): Promise<RoundResult> {
  return sendRound(answering(await sendRound(), { login: accept({ username: 'octocat' }) }));
}

describe('G23: the server', () => {
  test.each(['ghost', 'constructor', 'toString', '', 'login#1', 'Login', '0'])(
    'G23: ignores the unknown key %j beside the real answer',
    async (key) => {
      const sendRound = roundsOf(tool);
      const ghost = accept({ username: 'mallory' });
      const second = await sendRound(
        answering(await sendRound(), { [key]: ghost, login: accept({ username: 'octocat' }) }),
      );
      expect(messagesOf(second)).toEqual({ sure: 'As octocat?' });
      expect(Object.keys(readState(second).outcomes)).toEqual(['login']);

      const done = await sendRound(answering(second, { [key]: ghost, sure: yes }));
      expect(textOf(done)).toBe('octocat:true');
    },
  );

  test('G23: asks the same question again if all keys are unknown', async () => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const again = await sendRound(answering(first, { ghost: yes, phantom: { action: 'banana' } }));

    expect(messagesOf(again)).toEqual({ login: 'Username?' });
    expect(readState(again)).toEqual(readState(first));
  });

  test('G23: does not read an answer from under the key __proto__', async () => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const inputResponses = JSON.parse(
      '{"__proto__":{"login":{"action":"accept","content":{"username":"mallory"}}}}',
    ) as Record<string, unknown>;

    expect(messagesOf(await sendRound(answering(first, inputResponses)))).toEqual({
      login: 'Username?',
    });
    expect('login' in {}).toBe(false);
  });

  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
    'G23: does not answer a question named %s with an inherited property',
    async (name) => {
      const inherited = resolver({}, () => elicit('Username?', Login), { asks: 'form', name });
      const sendRound = roundsOf(
        defineTool('inherited', { resolve: { who: inherited } }, ({ who }) => who.username),
      );
      const first = await sendRound();
      expect(questionsOf(first).keys).toEqual([name]);
      expect(messagesOf(await sendRound(answering(first, {})))).toEqual({ [name]: 'Username?' });

      const forged = { v: 8, outcomes: {}, asked: {} };
      const again = await sendRound({
        requestState: writeState(first, forged),
        inputResponses: {},
      });
      expect(messagesOf(again)).toEqual({ [name]: 'Username?' });

      const done = await sendRound(answering(first, { [name]: accept({ username: 'octocat' }) }));
      expect(textOf(done)).toBe('octocat');
    },
  );

  test.each([
    [
      'a resolver',
      () =>
        defineTool('p', { resolve: { x: resolver({}, () => 1, { name: '__proto__' }) } }, () => ''),
    ],
    ['a parameter', () => defineTool('p', { resolve: { ['__proto__']: login } }, () => '')],
    [
      'a parameter of a resolver',
      () =>
        defineTool('p', { resolve: { x: resolver({ ['__proto__']: login }, () => 1) } }, () => ''),
    ],
  ])('G23: refuses __proto__ as the name of %s', (_, define) => {
    expect(define).toThrow(InvalidGraphError);
    expect(define).toThrow("'__proto__' cannot be the name of a parameter or a resolver");
  });
});

describe('G24: unknown entries of a state', () => {
  /** Adds an entry to the outcomes of a record. */
  const forge = (record: StateRecord, json: string): string =>
    JSON.stringify({ ...CALL, ...record }).replace('"outcomes":{', `"outcomes":{${json},`);

  test.each([
    '"ghost":{"action":"accept","data":{"username":"mallory"},"q":"AAAAAAAAAAAAAAAAAAAAAA"}',
    '"ghost":{"action":"decline"}',
    '"__proto__":{"action":"cancel"}',
    '"constructor":{"action":"accept","data":null}',
    '"":{"action":"accept"}',
    `"login#1":{"action":"decline","q":"${LOGIN_DIGEST}"}`,
  ])('G24: are ignored and dropped: %s', async (json) => {
    const sendRound = roundsOf(tool);
    const second = await secondRound(sendRound);
    const requestState = writeState(second, forge(readState(second), json));

    const again = await sendRound({ requestState });
    expect(messagesOf(again)).toEqual({ sure: 'As octocat?' });
    expect(readState(again)).toEqual(readState(second));
    expect(textOf(await sendRound({ requestState, inputResponses: { sure: yes } }))).toBe(
      'octocat:true',
    );
  });

  test('G24: are dropped from `asked` and from the record itself', async () => {
    const sendRound = roundsOf(tool);
    const second = await secondRound(sendRound);
    const record = readState(second);
    const requestState = writeState(second, {
      ...record,
      asked: { ...record.asked, ghost: 'AAAAAAAAAAAAAAAAAAAAAA' },
      admin: true,
    });

    const again = await sendRound({ requestState });
    expect(readState(again)).toEqual(record);
  });

  test('G24: do not displace the real answers, even if there are a hundred thousand', async () => {
    const sendRound = roundsOf(tool);
    const second = await secondRound(sendRound);
    const record = readState(second);
    const ghosts = (value: unknown) =>
      Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`g${index}`, value]));
    const requestState = writeState(second, {
      ...record,
      outcomes: { ...ghosts({ action: 'cancel' }), ...record.outcomes },
      asked: { ...ghosts(''), ...record.asked },
    });

    const again = await sendRound({ requestState });
    expect(readState(again)).toEqual(record);
    expect(textOf(await sendRound({ requestState, inputResponses: { sure: yes } }))).toBe(
      'octocat:true',
    );
  });
});

describe('G25: recorded data', () => {
  test.each([
    ['not-a-dict'],
    [{ hacked: true }],
    [{}],
    [null],
    [undefined],
    [7],
    [true],
    [[]],
    [[{ username: 'mallory' }]],
    [{ username: 7 }],
    [{ username: null }],
    [{ username: ['mallory'] }],
  ])('G25: is asked for again if it is %j', async (data) => {
    const sendRound = roundsOf(tool);
    const second = await secondRound(sendRound);
    const { v, outcomes, asked } = readState(second);
    const forged = { v, outcomes: { login: { ...outcomes.login, data } }, asked };

    const again = await sendRound({
      requestState: writeState(second, forged),
      inputResponses: { sure: yes },
    });
    expect(messagesOf(again)).toEqual({ login: 'Username?' });
    expect(readState(again)).toEqual({ v: 8, outcomes: {}, asked: { login: LOGIN_DIGEST } });
  });

  test('G25: is asked for again if it does not fit a confirmation', async () => {
    const third = resolver({ sure }, () => confirm('Really?'), { asks: 'form' });
    const sendRound = roundsOf(defineTool('three_steps', { resolve: { third } }, () => 'ran'));
    const second = await secondRound(sendRound);
    const three = await sendRound(answering(second, { sure: yes }));
    const { v, outcomes, asked } = readState(three);

    for (const data of [{}, { confirm: 'yes' }, { confirm: 1 }, [true], 'true', true]) {
      const forged = { v, outcomes: { ...outcomes, sure: { ...outcomes.sure, data } }, asked };
      const again = await sendRound({ requestState: writeState(three, forged) });
      expect(messagesOf(again)).toEqual({ sure: 'As octocat?' });
    }
  });

  test('G25: is asked for again if it no longer passes an asynchronous refinement', async () => {
    const taken = new Set<string>();
    const Free = z.object({
      username: z.string().refine(async (name) => Promise.resolve(!taken.has(name))),
    });
    const free = resolver({}, () => elicit('Username?', Free), { asks: 'form' });
    const last = resolver({ free }, ({ free: { username } }) => confirm(`${username}?`), {
      asks: 'form',
    });
    const sendRound = roundsOf(defineTool('free', { resolve: { last } }, () => 'ran'));
    const second = await sendRound(
      answering(await sendRound(), { free: accept({ username: 'octocat' }) }),
    );
    expect(messagesOf(second)).toEqual({ last: 'octocat?' });

    taken.add('octocat');
    const third = await sendRound(answering(second, { last: yes }));
    expect(messagesOf(third)).toEqual({ free: 'Username?' });
    expect(readState(third).outcomes).toEqual({});
  });

  test('G25: is ignored if it was recorded with a decline', async () => {
    const refusing = defineTool(
      'refusing',
      {
        resolve: {
          login: outcome(login),
          last: resolver({ login: outcome(login) }, () => confirm('Last?'), { asks: 'form' }),
        },
      },
      (values) => JSON.stringify(values.login),
    );
    const sendRound = roundsOf(refusing);
    const second = await sendRound(answering(await sendRound(), { login: decline() }));
    const { v, outcomes, asked } = readState(second);
    const data = { username: 'mallory' };
    const forged = { v, outcomes: { login: { ...outcomes.login!, data } }, asked };

    const done = await sendRound({
      requestState: writeState(second, forged),
      inputResponses: { last: yes },
    });
    expect(textOf(done)).toBe('{"action":"decline"}');
  });
});

describe('G26, G27: a record', () => {
  const record = (change: object): string =>
    JSON.stringify({
      v: 8,
      ...CALL,
      outcomes: { login: { action: 'accept', data: { username: 'octocat' }, q: LOGIN_DIGEST } },
      asked: {},
      ...change,
    });
  const entry = (login: unknown, rest: object = {}): string =>
    record({ outcomes: { login, ...rest } });
  const good = { action: 'accept', data: { username: 'octocat' }, q: LOGIN_DIGEST };

  test('G26: restores the answers if it is valid', async () => {
    const sendRound = roundsOf(tool);
    const again = await sendRound({ requestState: writeState(await sendRound(), record({})) });

    expect(messagesOf(again)).toEqual({ sure: 'As octocat?' });
  });

  test.each([
    ['it is empty', ''],
    ['it is a space', ' '],
    ['it is not JSON', 'not json'],
    ['it is cut off', record({}).slice(0, -1)],
    ['other characters follow it', `${record({})}x`],
    ['it is encoded as JSON twice', JSON.stringify(record({}))],
    ['it is null', 'null'],
    ['it is a boolean', 'true'],
    ['it is a number', '3'],
    ['it is a string', '"state"'],
    ['it is an array', '[]'],
    ['it is in an array', `[${record({})}]`],
    ['it is an empty object', '{}'],
    ['it is deeply nested', '['.repeat(100_000)],
    ['it has no id', record({ id: undefined })],
    ['its id is a number', record({ id: 7 })],
    ['it has no start', record({ start: undefined })],
    ['its start is a string', record({ start: '0' })],
    ['it has no deadline', record({ deadline: undefined })],
    ['its deadline is a string', record({ deadline: '1e12' })],
    ['its deadline is infinite', record({}).replace('1000000000000', '1e999')],
    ['reworded is a string', record({ reworded: 'login' })],
    ['reworded is an array of numbers', record({ reworded: [7] })],
    ['it has no outcomes', record({ outcomes: undefined })],
    ['outcomes is null', record({ outcomes: null })],
    ['outcomes is an array', record({ outcomes: [good] })],
    ['outcomes is a string', record({ outcomes: 'login' })],
    ['outcomes is a number', record({ outcomes: 7 })],
    ['it has no asked', record({ asked: undefined })],
    ['asked is null', record({ asked: null })],
    ['asked is an array', record({ asked: ['login'] })],
    ['asked is a string', record({ asked: 'login' })],
    ['asked has a number', record({ asked: { sure: 7 } })],
    ['asked has null', record({ asked: { sure: null } })],
    ['an entry is null', entry(null)],
    ['an entry is an array', entry([good])],
    ['an entry is a string', entry('accept')],
    ['an entry has no action', entry({ ...good, action: undefined })],
    ['an entry has an unknown action', entry({ ...good, action: 'banana' })],
    ['the action of an entry is an array', entry({ ...good, action: ['accept'] })],
    ['the digest of an entry is a number', entry({ ...good, q: 7 })],
    ['the digest of an entry is null', entry({ ...good, q: null })],
    ['one of two entries is malformed', entry(good, { sure: null })],
    ['an entry without a question is malformed', entry(good, { ghost: { action: 'banana' } })],
  ])('G26: counts as no progress if %s', async (_, inner) => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    const again = await sendRound({ requestState: writeState(first, inner) });
    expect(messagesOf(again)).toEqual({ login: 'Username?' });
    expect(readState(again)).toEqual({ v: 8, outcomes: {}, asked: { login: LOGIN_DIGEST } });
  });

  test.each([['1'], ['2'], ['7'], ['9'], ['"8"'], ['8.5'], ['null'], ['true'], ['[8]'], ['{}']])(
    'G27: counts as no progress if its version is %s',
    async (version) => {
      const sendRound = roundsOf(tool);
      const first = await sendRound();
      const inner = record({}).replace('"v":8', `"v":${version}`);

      const again = await sendRound({ requestState: writeState(first, inner) });
      expect(messagesOf(again)).toEqual({ login: 'Username?' });
      expect(readState(again)).toEqual(readState(first));
    },
  );

  test('G27: counts as no progress if it has no version', async () => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const again = await sendRound({ requestState: writeState(first, record({ v: undefined })) });

    expect(messagesOf(again)).toEqual({ login: 'Username?' });
  });

  test('G27: has a version, outcomes and asked, and nothing else', async () => {
    const sendRound = roundsOf(tool);
    const second = await secondRound(sendRound);

    expect(readState(second)).toEqual({
      v: 8,
      outcomes: { login: good },
      asked: { sure: '2ddCvuo5Arx25thXkb0TXA' },
    });
  });

  test('G26: makes the server ask again for answers that come with it, if it is malformed', async () => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const again = await sendRound({
      requestState: writeState(first, 'not json'),
      inputResponses: { login: accept({ username: 'octocat' }) },
    });

    expect(messagesOf(again)).toEqual({ login: 'Username?' });
  });
});
