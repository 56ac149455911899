/** G23-G27: what a client sends that is unknown, malformed or forged reads as no progress. */
import { confirm, defineTool, elicit, InvalidGraphError, outcome, resolver } from 'mcp-resolve';
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

const accept = <C extends object>(content: C) => ({ action: 'accept' as const, content });
const yes = accept({ confirm: true });

const Login = z.object({ username: z.string() });
const login = resolver({}, () => elicit('Username?', Login));
const sure = resolver({ login }, ({ login: { username } }) => confirm(`As ${username}?`));
const tool = defineTool(
  'two_steps',
  { resolve: { sure, login } },
  (values) => `${values.login.username}:${String(values.sure)}`,
);

/** What a record says of the call itself. */
const CALL = { id: 'AAAAAAAAAAAAAAAAAAAAAA', start: Date.now() / 1000 };

const Q = { login: 'JolArRQvGZnYYcB7Wqfp7Q' };

/** The second round: the login is recorded, the confirmation is out. */
async function secondRound(sendRound: ReturnType<typeof roundsOf>): Promise<RoundResult> {
  return sendRound(answering(await sendRound(), { login: accept({ username: 'octocat' }) }));
}

describe('G23: unknown keys among the answers are ignored', () => {
  test.each(['ghost', 'constructor', 'toString', '', 'login#1', 'Login', '0'])(
    'G23: %j beside the real answer',
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

  test('G23: unknown keys alone leave everything as it is', async () => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const again = await sendRound(answering(first, { ghost: yes, phantom: { action: 'banana' } }));

    expect(messagesOf(again)).toEqual({ login: 'Username?' });
    expect(readState(again)).toEqual(readState(first));
  });

  test('G23: an answer that is only inherited, through a key __proto__, is none', async () => {
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
    'G23: a question called %s is not answered by what every object inherits',
    async (name) => {
      const inherited = resolver({}, () => elicit('Username?', Login), { name });
      const sendRound = roundsOf(
        defineTool('inherited', { resolve: { who: inherited } }, ({ who }) => who.username),
      );
      const first = await sendRound();
      expect(questionsOf(first).keys).toEqual([name]);
      expect(messagesOf(await sendRound(answering(first, {})))).toEqual({ [name]: 'Username?' });

      const forged = { v: 4, outcomes: {}, asked: {} };
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
  ])('G23: __proto__ cannot be the name of %s', (_, define) => {
    expect(define).toThrow(InvalidGraphError);
    expect(define).toThrow("'__proto__' cannot be the name of a parameter or a resolver");
  });
});

describe('G24: unknown entries of a state are ignored and not carried on', () => {
  const forge = (record: StateRecord, json: string): string =>
    JSON.stringify({ ...CALL, ...record }).replace('"outcomes":{', `"outcomes":{${json},`);

  test.each([
    '"ghost":{"action":"accept","data":{"username":"mallory"},"q":"AAAAAAAAAAAAAAAAAAAAAA"}',
    '"ghost":{"action":"decline"}',
    '"__proto__":{"action":"cancel"}',
    '"constructor":{"action":"accept","data":null}',
    '"":{"action":"accept"}',
    `"login#1":{"action":"decline","q":"${Q.login}"}`,
  ])('G24: %s', async (json) => {
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

  test('G24: unknown keys and members of the record itself', async () => {
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

  test('G24: a hundred thousand of them cost no answer', async () => {
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

describe('G25: recorded data that does not fit the question is asked again', () => {
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
  ])('G25: %j', async (data) => {
    const sendRound = roundsOf(tool);
    const second = await secondRound(sendRound);
    const { v, outcomes, asked } = readState(second);
    const forged = { v, outcomes: { login: { ...outcomes.login, data } }, asked };

    const again = await sendRound({
      requestState: writeState(second, forged),
      inputResponses: { sure: yes },
    });
    expect(messagesOf(again)).toEqual({ login: 'Username?' });
    expect(readState(again)).toEqual({ v: 4, outcomes: {}, asked: { login: Q.login } });
  });

  test('G25: the answer of a confirm is checked again too', async () => {
    const third = resolver({ sure }, () => confirm('Really?'));
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

  test('G25: data that no longer passes an asynchronous condition is asked again', async () => {
    const taken = new Set<string>();
    const Free = z.object({
      username: z.string().refine(async (name) => Promise.resolve(!taken.has(name))),
    });
    const free = resolver({}, () => elicit('Username?', Free));
    const last = resolver({ free }, ({ free: { username } }) => confirm(`${username}?`));
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

  test('G25: data under a recorded decline means nothing', async () => {
    const refusing = defineTool(
      'refusing',
      {
        resolve: {
          login: outcome(login),
          last: resolver({ login: outcome(login) }, () => confirm('Last?')),
        },
      },
      (values) => JSON.stringify(values.login),
    );
    const sendRound = roundsOf(refusing);
    const second = await sendRound(answering(await sendRound(), { login: { action: 'decline' } }));
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

describe('G26, G27: a state that is no record of this version reads as no progress', () => {
  const record = (change: object): string =>
    JSON.stringify({
      v: 4,
      ...CALL,
      outcomes: { login: { action: 'accept', data: { username: 'octocat' }, q: Q.login } },
      asked: {},
      ...change,
    });
  const entry = (login: unknown, rest: object = {}): string =>
    record({ outcomes: { login, ...rest } });
  const good = { action: 'accept', data: { username: 'octocat' }, q: Q.login };

  test('G26: the record that is spoiled below is itself good', async () => {
    const sendRound = roundsOf(tool);
    const again = await sendRound({ requestState: writeState(await sendRound(), record({})) });

    expect(messagesOf(again)).toEqual({ sure: 'As octocat?' });
  });

  test.each([
    ['empty', ''],
    ['a blank', ' '],
    ['not JSON', 'not json'],
    ['cut off', record({}).slice(0, -1)],
    ['followed by more', `${record({})}x`],
    ['JSON twice over', JSON.stringify(record({}))],
    ['null', 'null'],
    ['a truth value', 'true'],
    ['a number', '3'],
    ['a text', '"state"'],
    ['a list', '[]'],
    ['a list of a record', `[${record({})}]`],
    ['an empty object', '{}'],
    ['deeply nested', '['.repeat(100_000)],
    ['without an id', record({ id: undefined })],
    ['an id that is a number', record({ id: 7 })],
    ['without a start', record({ start: undefined })],
    ['a start that is a text', record({ start: '0' })],
    ['reworded a text', record({ reworded: 'login' })],
    ['reworded a list of numbers', record({ reworded: [7] })],
    ['without outcomes', record({ outcomes: undefined })],
    ['outcomes null', record({ outcomes: null })],
    ['outcomes a list', record({ outcomes: [good] })],
    ['outcomes a text', record({ outcomes: 'login' })],
    ['outcomes a number', record({ outcomes: 7 })],
    ['without asked', record({ asked: undefined })],
    ['asked null', record({ asked: null })],
    ['asked a list', record({ asked: ['login'] })],
    ['asked a text', record({ asked: 'login' })],
    ['asked with a number', record({ asked: { sure: 7 } })],
    ['asked with null', record({ asked: { sure: null } })],
    ['an entry null', entry(null)],
    ['an entry a list', entry([good])],
    ['an entry a text', entry('accept')],
    ['an entry without an action', entry({ ...good, action: undefined })],
    ['an entry with an unknown action', entry({ ...good, action: 'banana' })],
    ['an entry with a list as action', entry({ ...good, action: ['accept'] })],
    ['an entry with a number as digest', entry({ ...good, q: 7 })],
    ['an entry with null as digest', entry({ ...good, q: null })],
    ['one malformed entry beside a good one', entry(good, { sure: null })],
    ['one malformed entry nobody asks for', entry(good, { ghost: { action: 'banana' } })],
  ])('G26: %s', async (_, inner) => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    const again = await sendRound({ requestState: writeState(first, inner) });
    expect(messagesOf(again)).toEqual({ login: 'Username?' });
    expect(readState(again)).toEqual({ v: 4, outcomes: {}, asked: { login: Q.login } });
  });

  test.each([['1'], ['2'], ['3'], ['5'], ['"4"'], ['4.5'], ['null'], ['true'], ['[4]'], ['{}']])(
    'G27: version %s is another version',
    async (version) => {
      const sendRound = roundsOf(tool);
      const first = await sendRound();
      const inner = record({}).replace('"v":4', `"v":${version}`);

      const again = await sendRound({ requestState: writeState(first, inner) });
      expect(messagesOf(again)).toEqual({ login: 'Username?' });
      expect(readState(again)).toEqual(readState(first));
    },
  );

  test('G27: a record without a version is no record', async () => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const again = await sendRound({ requestState: writeState(first, record({ v: undefined })) });

    expect(messagesOf(again)).toEqual({ login: 'Username?' });
  });

  test('G27: the record of a round has a version, outcomes and asked, and nothing else', async () => {
    const sendRound = roundsOf(tool);
    const second = await secondRound(sendRound);

    expect(readState(second)).toEqual({
      v: 4,
      outcomes: { login: good },
      asked: { sure: '2ddCvuo5Arx25thXkb0TXA' },
    });
  });

  test('G26: answers that come with such a state are asked for again', async () => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const again = await sendRound({
      requestState: writeState(first, 'not json'),
      inputResponses: { login: accept({ username: 'octocat' }) },
    });

    expect(messagesOf(again)).toEqual({ login: 'Username?' });
  });
});
