/** G1-G11, G28-G36: calls over several rounds, from the first question to the result. */
import { SdkError } from '@modelcontextprotocol/client';
import { arg, confirm, defineTool, elicit, outcome, resolver } from 'mcp-resolve';
import type { Resolver } from 'mcp-resolve';
import { accept, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';
import {
  answering,
  type RoundResult,
  roundsOf,
  messagesOf,
  readState,
  serving,
  summaryOf,
} from '../support/rounds.js';

const yes = accept({ confirm: true });

/** The client sends `word`, and the tool receives `said`, in capitals, with a note and a date. */
const Word = z
  .object({ word: z.string(), note: z.string().default('none') })
  .transform(async ({ word, note }) =>
    Promise.resolve({ said: word.toUpperCase(), note, on: new Date('2026-07-28T00:00:00Z') }),
  );
type Said = z.output<typeof Word>;

/** Creates a tool with a chain of questions. Each quotes the answer to the one before. */
function chain(length: number) {
  let last: Resolver<Said> = resolver({}, () => elicit('1?', Word), { asks: 'form', name: 'q1' });
  for (let n = 2; n <= length; n += 1) {
    last = resolver(
      { before: last },
      ({ before: { said, note, on } }) =>
        elicit(`${said} ${note} ${on.getUTCFullYear()} ${n}?`, Word),
      { asks: 'form', name: `q${n}` },
    );
  }
  return defineTool('chain', { resolve: { last } }, ({ last: { said } }) => said);
}

/** Returns the questions of a chain whose answers are `w1`, `w2` and so on. */
const questionsOfChain = (length: number): string[] =>
  Array.from({ length }, (_, index) => (index === 0 ? '1?' : `W${index} none 2026 ${index + 1}?`));

const deleteFolder = (deleted: string[]) =>
  defineTool(
    'delete_folder',
    {
      inputSchema: z.object({ path: z.string() }),
      resolve: {
        consent: resolver(
          { path: arg<string>() },
          ({ path }) => elicit(`${path} has 2 file(s). Delete?`, z.object({ ok: z.boolean() })),
          { asks: 'form' },
        ),
      },
    },
    ({ path, consent }) => {
      if (consent.ok) deleted.push(path);
      return consent.ok ? `deleted ${path}` : 'kept the folder';
    },
  );

const Login = z.object({ username: z.string() });
const askLogin = resolver({}, () => elicit('Username?', Login), { asks: 'form' });
const askSure = resolver({}, () => elicit('Sure?', z.object({ ok: z.boolean() })), {
  asks: 'form',
});

test('G1: returns the question and a state in the first round, without running the body', async () => {
  const deleted: string[] = [];
  const first = await roundsOf(deleteFolder(deleted))({ args: { path: '/docs' } });

  expect(first).toMatchObject({
    resultType: 'input_required',
    inputRequests: {
      consent: {
        method: 'elicitation/create',
        params: { mode: 'form', message: '/docs has 2 file(s). Delete?' },
      },
    },
    requestState: expect.any(String) as string,
  });
  expect(questionsOf(first).keys).toEqual(['consent']);
  expect(deleted).toEqual([]);
});

test('G2: completes the call when a retry brings the answer and the state', async () => {
  const deleted: string[] = [];
  const sendRound = roundsOf(deleteFolder(deleted));
  const args = { path: '/docs' };
  const first = await sendRound({ args });

  const second = await sendRound({ args, ...answering(first, { consent: accept({ ok: true }) }) });
  expect(second).toMatchObject({
    resultType: 'complete',
    content: [{ type: 'text', text: 'deleted /docs' }],
  });
  expect(deleted).toEqual(['/docs']);
});

const left = resolver({ login: askLogin }, ({ login }) => login.username);
const right = resolver({ sure: askSure }, ({ sure }) => sure.ok);
const both = resolver({ left, right }, (values) => `${values.left}:${String(values.right)}`);

test.each([
  [
    'G3: sends independent questions in one round',
    defineTool(
      'two',
      { resolve: { login: askLogin, sure: askSure } },
      ({ login, sure }) => `${login.username}:${String(sure.ok)}`,
    ),
  ],
  [
    'G4: sends independent questions of nested resolvers in one round',
    defineTool('nested', { resolve: { both } }, ({ both: text }) => text),
  ],
])('%s', async (_, tool) => {
  const sendRound = roundsOf(tool);
  const first = await sendRound();
  expect(messagesOf(first)).toEqual({ login: 'Username?', sure: 'Sure?' });

  const second = await sendRound(
    answering(first, { login: accept({ username: 'octocat' }), sure: accept({ ok: true }) }),
  );
  expect(textOf(second)).toBe('octocat:true');
});

test('G5: sends a question that quotes an answer one round later than independent ones', async () => {
  const follow = resolver({ login: askLogin }, ({ login }) => confirm(`As ${login.username}?`), {
    asks: 'form',
  });
  const tool = defineTool('order', { resolve: { follow, sure: askSure } }, () => 'done');
  const sendRound = roundsOf(tool);
  const first = await sendRound();
  expect(messagesOf(first)).toEqual({ login: 'Username?', sure: 'Sure?' });

  const second = await sendRound(
    answering(first, { login: accept({ username: 'octocat' }), sure: accept({ ok: true }) }),
  );
  expect(messagesOf(second)).toEqual({ follow: 'As octocat?' });
  expect(textOf(await sendRound(answering(second, { follow: yes })))).toBe('done');
});

describe.each(eras)('on the %s era', (era) => {
  test.each([3, 4, 10])(
    'G6: asks each question of a chain of %i transformed answers once',
    async (length) => {
      let answered = 0;
      const { text, asked, requests } = await connectClient(era, serving(chain(length)), {
        elicit: () => accept({ word: `w${++answered}` }),
      });

      expect(await text('chain')).toBe(`W${length}`);
      expect(asked).toEqual(questionsOfChain(length));
      expect(requests()).toBe(era === 'modern' ? length + 1 : 1);
    },
  );

  test('G7: asks once per resolver for all its consumers, even if two have the same name', async () => {
    const ask = (who: string) =>
      resolver({}, () => elicit(`${who}?`, Login), { asks: 'form', name: 'who' });
    const [ada, bob] = [ask('Ada'), ask('Bob')];
    const again = resolver({ x: ada }, ({ x }) => x.username);
    const tool = defineTool(
      'factory',
      { resolve: { ada, bob, alias: ada, again } },
      ({ ada: a, bob: b, alias, again: c }) =>
        [a.username, b.username, alias.username, c].join(' '),
    );
    const answers = { who: accept({ username: 'ada' }), 'who#1': accept({ username: 'bob' }) };
    const { text, questions } = await run(tool, {}, { era, answers });

    expect(text).toBe('ada bob ada ada');
    expect(questions.map(({ message }) => message).toSorted()).toEqual(['Ada?', 'Bob?']);
  });

  test('G30: keeps a lone surrogate in an answer through recording and restoring', async () => {
    const follow = resolver({ login: askLogin }, ({ login }) => confirm(`${login.username}?`), {
      asks: 'form',
    });
    const last = resolver({ follow }, () => confirm('Really?'), { asks: 'form' });
    const tool = defineTool(
      'surrogate',
      { resolve: { last, login: askLogin } },
      ({ last: sure, login }) => `${login.username}:${String(sure)}`,
    );
    const answers = { login: accept({ username: 'oc\ud800t' }), follow: yes, last: yes };
    const { text, questions } = await run(tool, {}, { era, answers });

    expect(text).toBe('oc\ud800t:true');
    // A question shows the surrogate as its code.
    expect(questions.map(({ message }) => message)).toEqual(['Username?', 'oc\ud800t?', 'Really?']);
  });

  test('G6: carries an answer of a megabyte to the end of the call', async () => {
    const follow = resolver(
      { login: askLogin },
      ({ login }) => confirm(`${login.username.length}?`),
      { asks: 'form' },
    );
    const last = resolver({ follow }, () => confirm('Really?'), { asks: 'form' });
    const tool = defineTool('huge', { resolve: { last, login: askLogin } }, ({ login }) =>
      String(login.username.length),
    );
    const { text } = await connectClient(era, serving(tool), {
      elicit: [accept({ username: 'x'.repeat(1_000_000) }), yes, yes],
    });

    expect(await text('huge')).toBe('1000000');
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'G7: allows %s as the name of a parameter and of a resolver',
    async (name) => {
      const byName = resolver({}, () => elicit('By name?', Login), { asks: 'form', name });
      const byParameter = resolver(
        { inner: byName },
        ({ inner }) => elicit(`After ${inner.username}?`, Login),
        { asks: 'form' },
      );
      const last = resolver(
        { [name]: byParameter },
        (values) => confirm(`${(values as Record<string, { username: string }>)[name]!.username}?`),
        { asks: 'form' },
      );
      const tool = defineTool('odd', { resolve: { [name]: byParameter, last } }, () => 'done');
      const scripted = [accept({ username: 'ada' }), accept({ username: 'bob' }), yes];
      const { text, questions } = await run(tool, {}, { era, answers: () => scripted.shift() });

      expect(text).toBe('done');
      expect(questions.map(({ message }) => message)).toEqual(['By name?', 'After ada?', 'bob?']);
    },
  );
});

test('G7: numbers the keys of questions that share a name', async () => {
  const ask = (who: string) =>
    resolver({}, () => elicit(`${who}?`, Login), { asks: 'form', name: 'who' });
  const [ada, bob] = [ask('Ada'), ask('Bob')];
  const tool = defineTool(
    'keys',
    { resolve: { ada, bob, again: ada, who: askLogin } },
    () => 'done',
  );

  expect(messagesOf(await roundsOf(tool)())).toEqual({
    who: 'Ada?',
    'who#1': 'Bob?',
    'who#2': 'Username?',
  });
});

test('G8: records a decline and a cancel, and does not ask again', async () => {
  const last = resolver({ login: outcome(askLogin) }, ({ login }) => confirm(`${login.action}?`), {
    asks: 'form',
  });
  const tool = defineTool(
    'declined',
    { resolve: { login: outcome(askLogin), sure: outcome(askSure), last } },
    ({ login, sure }) => `${login.action} ${sure.action}`,
  );
  const sendRound = roundsOf(tool);
  const second = await sendRound(
    answering(await sendRound(), { login: decline(), sure: cancel() }),
  );
  expect(messagesOf(second)).toEqual({ last: 'decline?' });
  expect(readState(second).outcomes).toMatchObject({
    login: { action: 'decline' },
    sure: { action: 'cancel' },
  });

  expect(textOf(await sendRound(answering(second, { last: yes })))).toBe('decline cancel');
});

test('G8: does not record computed values', async () => {
  const computed = resolver({}, () => ({ price: 42, at: new Date(), map: new Map() }));
  const last = resolver(
    { login: askLogin, computed },
    ({ login }) => confirm(`${login.username}?`),
    { asks: 'form' },
  );
  const tool = defineTool('mixed', { resolve: { computed, login: askLogin, last } }, () => 'done');
  const sendRound = roundsOf(tool);
  const second = await sendRound(
    answering(await sendRound(), { login: accept({ username: 'octocat' }) }),
  );

  expect(Object.keys(readState(second).outcomes)).toEqual(['login']);
  expect(JSON.stringify(readState(second))).not.toContain('42');
});

test('G9: records exactly the JSON that the client sent', async () => {
  const Renamed = z
    .object({ vUser: z.string(), size: z.coerce.number().default(7) })
    .transform(({ vUser, size }) => ({ user_name: vUser, size, day: new Date(0) }));
  const user = resolver({}, () => elicit('Who?', Renamed), { asks: 'form' });
  const last = resolver({ user }, ({ user: { user_name } }) => confirm(`${user_name}?`), {
    asks: 'form',
  });
  const sendRound = roundsOf(defineTool('renamed', { resolve: { last } }, () => 'done'));
  const first = await sendRound();

  const plain = await sendRound(answering(first, { user: accept({ vUser: 'octocat' }) }));
  expect(readState(plain).outcomes.user?.data).toEqual({ vUser: 'octocat' });

  const text = '{"vUser":"octocat","size":"8","extra":{"deep":[1,null]},"__proto__":{"a":1}}';
  const content: unknown = JSON.parse(text);
  const odd = await sendRound(answering(first, { user: { action: 'accept', content } }));
  expect(JSON.stringify(readState(odd).outcomes.user?.data)).toBe(text);
});

test('G10: restores a recorded answer to the same typed value', async () => {
  const sendRound = roundsOf(chain(4));
  let result = await sendRound();
  const messages: unknown[] = [];
  for (const n of [1, 2, 3]) {
    result = await sendRound(answering(result, { [`q${n}`]: accept({ word: `w${n}` }) }));
    messages.push(messagesOf(result));
  }

  expect(messages).toEqual([
    { q2: 'W1 none 2026 2?' },
    { q3: 'W2 none 2026 3?' },
    { q4: 'W3 none 2026 4?' },
  ]);
});

test('G11: carries a recorded answer on unchanged, with its digest', async () => {
  const sendRound = roundsOf(chain(4));
  const second = await sendRound(answering(await sendRound(), { q1: accept({ word: 'w1' }) }));
  const third = await sendRound(answering(second, { q2: accept({ word: 'w2' }) }));
  const fourth = await sendRound(answering(third, { q3: accept({ word: 'w3' }) }));
  const entries = [second, third, fourth].map((result) => readState(result).outcomes);

  expect(entries[0]).toEqual({
    q1: { action: 'accept', data: { word: 'w1' }, q: readState(await sendRound()).asked.q1 },
  });
  expect(entries[1]).toEqual({
    ...entries[0],
    q2: { action: 'accept', data: { word: 'w2' }, q: readState(second).asked.q2 },
  });
  expect(entries[2]).toEqual({
    ...entries[1],
    q3: { action: 'accept', data: { word: 'w3' }, q: readState(third).asked.q3 },
  });
});

describe('G28: a retry with missing answers', () => {
  const three = defineTool(
    'three',
    {
      resolve: {
        a: resolver({}, () => elicit('A?', Login), { asks: 'form' }),
        b: outcome(resolver({}, () => elicit('B?', Login), { asks: 'form' })),
        c: resolver({}, () => elicit('C?', Login), { asks: 'form' }),
      },
    },
    ({ a, b, c }) => `${a.username} ${b.action} ${c.username}`,
  );

  test('G28: gets only the unanswered question again', async () => {
    const sendRound = roundsOf(three);
    const second = await sendRound(
      answering(await sendRound(), { a: accept({ username: 'ada' }), b: cancel() }),
    );
    expect(messagesOf(second)).toEqual({ c: 'C?' });

    const third = await sendRound(answering(second, { c: accept({ username: 'cyd' }) }));
    expect(textOf(third)).toBe('ada cancel cyd');
  });

  test('G28: gets the same questions with an equal state if it has no answer', async () => {
    const sendRound = roundsOf(three);
    const first = await sendRound();

    for (const again of [
      await sendRound(answering(first, {})),
      await sendRound({ requestState: questionsOf(first).requestState }),
    ]) {
      expect(questionsOf(again).requests).toEqual(questionsOf(first).requests);
      expect(readState(again)).toEqual(readState(first));
    }
  });

  test('G28: may bring the answers one by one, in any order', async () => {
    const sendRound = roundsOf(three);
    let result: RoundResult = await sendRound();
    const steps: string[] = [summaryOf(result)];
    for (const key of ['c', 'b', 'a']) {
      result = await sendRound(answering(result, { [key]: accept({ username: key }) }));
      steps.push(summaryOf(result));
    }

    expect(steps).toEqual(['asks a, b, c', 'asks a, b', 'asks a', 'a accept c']);
  });
});

describe('G29: the record', () => {
  test('G29: loses all answers after a question whose message changes', async () => {
    let wording = 'A?';
    const a = resolver({}, () => elicit(wording, Login), { asks: 'form' });
    const b = resolver({ a }, ({ a: { username } }) => elicit(`${username}, B?`, Login), {
      asks: 'form',
    });
    const c = resolver({ b }, ({ b: { username } }) => elicit(`${username}, C?`, Login), {
      asks: 'form',
    });
    const sendRound = roundsOf(
      defineTool('reworded', { resolve: { c } }, ({ c: { username } }) => username),
    );
    const second = await sendRound(
      answering(await sendRound(), { a: accept({ username: 'ada' }) }),
    );
    const third = await sendRound(answering(second, { b: accept({ username: 'bob' }) }));
    expect(Object.keys(readState(third).outcomes)).toEqual(['a', 'b']);

    wording = 'A, please?';
    const fourth = await sendRound(answering(third, { c: accept({ username: 'cyd' }) }));
    expect(messagesOf(fourth)).toEqual({ a: 'A, please?' });
    expect(readState(fourth).outcomes).toEqual({});

    const fifth = await sendRound(answering(fourth, { a: accept({ username: 'ada' }) }));
    expect(messagesOf(fifth)).toEqual({ b: 'ada, B?' });
  });

  test('G29: loses the answer of a resolver that stops asking', async () => {
    let computes = false;
    const a = resolver({}, () => (computes ? { username: 'computed' } : elicit('A?', Login)), {
      asks: 'form',
    });
    const b = resolver({ a }, ({ a: { username } }) => elicit(`${username}, B?`, Login), {
      asks: 'form',
    });
    const sendRound = roundsOf(
      defineTool('stops', { resolve: { b } }, ({ b: { username } }) => username),
    );
    const second = await sendRound(
      answering(await sendRound(), { a: accept({ username: 'ada' }) }),
    );
    expect(Object.keys(readState(second).outcomes)).toEqual(['a']);

    computes = true;
    const third = await sendRound(answering(second, { b: accept({ username: 'bob' }) }));
    expect(messagesOf(third)).toEqual({ b: 'computed, B?' });
    expect(readState(third).outcomes).toEqual({});

    computes = false;
    const fourth = await sendRound(answering(third, {}));
    expect(messagesOf(fourth)).toEqual({ a: 'A?' });
  });
});

test('G31: completes a call whose rounds go to different servers', async () => {
  const workers = [roundsOf(chain(4)), roundsOf(chain(4))] as const;
  let result = await workers[0]();
  for (const n of [1, 2, 3, 4]) {
    result = await workers[n % 2]!(answering(result, { [`q${n}`]: accept({ word: `w${n}` }) }));
  }

  expect(textOf(result)).toBe('W4');
});

test('G31: continues from the same state when a round is sent twice', async () => {
  const sendRound = roundsOf(chain(3));
  const second = await sendRound(answering(await sendRound(), { q1: accept({ word: 'w1' }) }));
  const retry = (word: string) => sendRound(answering(second, { q2: accept({ word }) }));

  const [ada, bob] = await Promise.all([retry('ada'), retry('bob')]);
  expect(messagesOf(ada)).toEqual({ q3: 'ADA none 2026 3?' });
  expect(messagesOf(bob)).toEqual({ q3: 'BOB none 2026 3?' });
});

test("G32, J2, J3: ends in the client's error when a chain is longer than its limit", async () => {
  let answered = 0;
  const { call, asked, requests } = await connectClient('modern', serving(chain(11)), {
    elicit: () => accept({ word: `w${++answered}` }),
    maxRounds: 10,
  });
  const error: unknown = await call('chain').catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(SdkError);
  expect((error as SdkError).code).toBe('INPUT_REQUIRED_ROUNDS_EXCEEDED');
  expect(asked).toEqual(questionsOfChain(10));
  expect(requests()).toBe(11);
});

test('G32: completes a chain of eleven questions by hand, each asked once', async () => {
  const sendRound = roundsOf(chain(11));
  let result = await sendRound();
  const shown: unknown[] = [];
  for (let n = 1; n <= 11; n += 1) {
    shown.push(...Object.values(messagesOf(result)));
    result = await sendRound(answering(result, { [`q${n}`]: accept({ word: `w${n}` }) }));
  }

  expect(textOf(result)).toBe('W11');
  expect(shown).toEqual(questionsOfChain(11));
});

test('G34: sends questions and a state in every round that asks', async () => {
  const sendRound = roundsOf(chain(4));
  let result = await sendRound();
  for (const n of [1, 2, 3]) {
    const { keys, requestState } = questionsOf(result);
    expect(keys).toEqual([`q${n}`]);
    expect(requestState).toEqual(expect.any(String));
    expect(requestState).not.toBe('');
    result = await sendRound(answering(result, { [`q${n}`]: accept({ word: `w${n}` }) }));
  }
});

test('G35: accepts the answers of a retry in any order', async () => {
  const tool = defineTool(
    'two',
    { resolve: { login: outcome(askLogin), sure: askSure } },
    ({ login, sure }) => `${login.action}:${String(sure.ok)}`,
  );
  const sendRound = roundsOf(tool);
  const first = await sendRound();
  const answers = { login: accept({ username: 'octocat' }), sure: accept({ ok: true }) };
  const reversed = Object.fromEntries(Object.entries(answers).reverse());

  expect(textOf(await sendRound(answering(first, answers)))).toBe('accept:true');
  expect(textOf(await sendRound(answering(first, reversed)))).toBe('accept:true');
});

test('G35: reports the first of two invalid answers in walk order, whatever their own order', async () => {
  const tool = defineTool('two', { resolve: { login: askLogin, sure: askSure } }, () => 'ran');
  const sendRound = roundsOf(tool);
  const first = await sendRound();
  const answers = { login: accept({}), sure: accept({}) };
  const reversed = Object.fromEntries(Object.entries(answers).reverse());

  for (const inputResponses of [answers, reversed]) {
    expect(errorTextOf(await sendRound(answering(first, inputResponses)))).toContain(
      "Resolver 'login' ",
    );
  }
});

test.each([
  ['a wrapped result', { method: 'elicitation/create', result: accept({ username: 'octocat' }) }],
  ['a half wrapped result', { result: accept({ username: 'octocat' }) }],
  ['an answer with a method', { method: 'x', ...accept({ username: 'octocat' }) }],
  ['null', null],
  ['an array', [accept({ username: 'octocat' })]],
  ['a string', 'octocat'],
  ['a number', 7],
])('G36: ignores %s as an answer and asks again', async (_, entry) => {
  const tool = defineTool(
    'wrapped',
    { resolve: { login: askLogin } },
    ({ login }) => login.username,
  );
  const sendRound = roundsOf(tool);
  const first = await sendRound();
  const again = await sendRound(answering(first, { login: entry }));

  expect(messagesOf(again)).toEqual({ login: 'Username?' });
  expect(readState(again)).toEqual(readState(first));
  const done = await sendRound(answering(again, { login: accept({ username: 'octocat' }) }));
  expect(textOf(done)).toBe('octocat');
});

test.each([[null], [[]], ['login'], [7], [{}]])(
  'G36: ignores the inputResponses %j and asks again',
  async (inputResponses) => {
    const tool = defineTool('none', { resolve: { login: askLogin } }, () => 'ran');
    const sendRound = roundsOf(tool);
    const { requestState } = questionsOf(await sendRound());

    const again = await sendRound({ inputResponses, requestState });
    expect(messagesOf(again)).toEqual({ login: 'Username?' });
  },
);
