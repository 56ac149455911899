/** G1-G11, G28-G36: a call over several rounds, from the first question to the result. */
import { SdkError } from '@modelcontextprotocol/client';
import { arg, confirm, defineTool, elicit, outcome, resolver } from 'mcp-resolve';
import type { Resolver } from 'mcp-resolve';
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

const accept = <C extends object>(content: C) => ({ action: 'accept' as const, content });
const yes = accept({ confirm: true });

/** Sent as `word`, injected as a `said` in capitals with a date: nothing of it is its own input. */
const Word = z
  .object({ word: z.string(), note: z.string().default('none') })
  .transform(async ({ word, note }) =>
    Promise.resolve({ said: word.toUpperCase(), note, on: new Date('2026-07-28T00:00:00Z') }),
  );
type Said = z.output<typeof Word>;

/** A tool whose n questions each quote the answer before. */
function chain(length: number) {
  let last: Resolver<Said> = resolver({}, () => elicit('1?', Word), { name: 'q1' });
  for (let n = 2; n <= length; n += 1) {
    last = resolver(
      { before: last },
      ({ before: { said, note, on } }) =>
        elicit(`${said} ${note} ${on.getUTCFullYear()} ${n}?`, Word),
      { name: `q${n}` },
    );
  }
  return defineTool('chain', { resolve: { last } }, ({ last: { said } }) => said);
}

/** The questions of a chain whose answers are `w1`, `w2` and so on. */
const questionsOfChain = (length: number): string[] =>
  Array.from({ length }, (_, index) => (index === 0 ? '1?' : `W${index} none 2026 ${index + 1}?`));

const folder = (deleted: string[]) =>
  defineTool(
    'delete_folder',
    {
      inputSchema: z.object({ path: z.string() }),
      resolve: {
        consent: resolver({ path: arg<string>() }, ({ path }) =>
          elicit(`${path} has 2 file(s). Delete?`, z.object({ ok: z.boolean() })),
        ),
      },
    },
    ({ path, consent }) => {
      if (consent.ok) deleted.push(path);
      return consent.ok ? `deleted ${path}` : 'kept the folder';
    },
  );

const Login = z.object({ username: z.string() });
const askLogin = resolver({}, () => elicit('Username?', Login));
const askSure = resolver({}, () => elicit('Sure?', z.object({ ok: z.boolean() })));

test('G1: the first round returns the question and a state, and the body does not run', async () => {
  const deleted: string[] = [];
  const first = await roundsOf(folder(deleted))({ args: { path: '/docs' } });

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

test('G2: the retry with the answer and the echoed state completes', async () => {
  const deleted: string[] = [];
  const sendRound = roundsOf(folder(deleted));
  const args = { path: '/docs' };
  const first = await sendRound({ args });

  const second = await sendRound({ args, ...answering(first, { consent: accept({ ok: true }) }) });
  expect(second).toMatchObject({
    resultType: 'complete',
    content: [{ type: 'text', text: 'deleted /docs' }],
  });
  expect(deleted).toEqual(['/docs']);
});

test('G3: independent questions go out together and are answered together', async () => {
  const tool = defineTool(
    'two',
    { resolve: { login: askLogin, sure: askSure } },
    ({ login, sure }) => `${login.username}:${String(sure.ok)}`,
  );
  const sendRound = roundsOf(tool);
  const first = await sendRound();
  expect(messagesOf(first)).toEqual({ login: 'Username?', sure: 'Sure?' });

  const second = await sendRound(
    answering(first, { login: accept({ username: 'octocat' }), sure: accept({ ok: true }) }),
  );
  expect(textOf(second)).toBe('octocat:true');
});

test('G4: independent questions of nested resolvers go out together too', async () => {
  const left = resolver({ login: askLogin }, ({ login }) => login.username);
  const right = resolver({ sure: askSure }, ({ sure }) => sure.ok);
  const both = resolver({ left, right }, (values) => `${values.left}:${String(values.right)}`);
  const sendRound = roundsOf(defineTool('nested', { resolve: { both } }, ({ both: text }) => text));
  const first = await sendRound();
  expect(messagesOf(first)).toEqual({ login: 'Username?', sure: 'Sure?' });

  const second = await sendRound(
    answering(first, { login: accept({ username: 'octocat' }), sure: accept({ ok: true }) }),
  );
  expect(textOf(second)).toBe('octocat:true');
});

test('G5: a question that quotes an answer waits for it, its independent neighbours do not', async () => {
  const follow = resolver({ login: askLogin }, ({ login }) => confirm(`As ${login.username}?`));
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
    'G6: in a chain of %i transformed answers each question is shown once',
    async (length) => {
      let given = 0;
      const { text, asked, requests } = await connectClient(era, serving(chain(length)), {
        elicit: () => accept({ word: `w${++given}` }),
      });

      expect(await text('chain')).toBe(`W${length}`);
      expect(asked).toEqual(questionsOfChain(length));
      expect(requests()).toBe(era === 'modern' ? length + 1 : 1);
    },
  );

  test('G7: consumers of one resolver share one question, two resolvers of a factory do not', async () => {
    const ask = (who: string) => resolver({}, () => elicit(`${who}?`, Login), { name: 'who' });
    const [ada, bob] = [ask('Ada'), ask('Bob')];
    const again = resolver({ x: ada }, ({ x }) => x.username);
    const tool = defineTool(
      'factory',
      { resolve: { ada, bob, alias: ada, again } },
      ({ ada: a, bob: b, alias, again: c }) =>
        [a.username, b.username, alias.username, c].join(' '),
    );
    const { text, asked } = await connectClient(era, serving(tool), {
      elicit: ({ message }) => accept({ username: message.slice(0, 3).toLowerCase() }),
    });

    expect(await text('factory')).toBe('ada bob ada ada');
    expect(asked.toSorted()).toEqual(['Ada?', 'Bob?']);
  });

  test('G30: a lone surrogate in an answer survives recording and restoring', async () => {
    const follow = resolver({ login: askLogin }, ({ login }) => confirm(`${login.username}?`));
    const last = resolver({ follow }, () => confirm('Really?'));
    const tool = defineTool(
      'surrogate',
      { resolve: { last, login: askLogin } },
      ({ last: sure, login }) => `${login.username}:${String(sure)}`,
    );
    const { text, asked } = await connectClient(era, serving(tool), {
      elicit: [accept({ username: 'oc\ud800t' }), yes, yes],
    });

    expect(await text('surrogate')).toBe('oc\ud800t:true');
    expect(asked).toEqual(['Username?', 'oc\ud800t?', 'Really?']);
  });

  test('G6: an answer of a megabyte rides along to the end', async () => {
    const follow = resolver({ login: askLogin }, ({ login }) =>
      confirm(`${login.username.length}?`),
    );
    const last = resolver({ follow }, () => confirm('Really?'));
    const tool = defineTool('huge', { resolve: { last, login: askLogin } }, ({ login }) =>
      String(login.username.length),
    );
    const { text } = await connectClient(era, serving(tool), {
      elicit: [accept({ username: 'x'.repeat(1_000_000) }), yes, yes],
    });

    expect(await text('huge')).toBe('1000000');
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'G7: %s is a name like any other, for a parameter and for a resolver',
    async (name) => {
      const byName = resolver({}, () => elicit('By name?', Login), { name });
      const byParameter = resolver({ inner: byName }, ({ inner }) =>
        elicit(`After ${inner.username}?`, Login),
      );
      const last = resolver({ [name]: byParameter }, (values) =>
        confirm(`${(values as Record<string, { username: string }>)[name]!.username}?`),
      );
      const tool = defineTool('odd', { resolve: { [name]: byParameter, last } }, () => 'done');
      const { text, asked } = await connectClient(era, serving(tool), {
        elicit: [accept({ username: 'ada' }), accept({ username: 'bob' }), yes],
      });

      expect(await text('odd')).toBe('done');
      expect(asked).toEqual(['By name?', 'After ada?', 'bob?']);
    },
  );
});

test('G7: keys are unique, and numbered where a name comes twice', async () => {
  const ask = (who: string) => resolver({}, () => elicit(`${who}?`, Login), { name: 'who' });
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

test('G8: a decline rides the state and is not asked again', async () => {
  const last = resolver({ login: outcome(askLogin) }, ({ login }) => confirm(`${login.action}?`));
  const tool = defineTool(
    'declined',
    { resolve: { login: outcome(askLogin), sure: outcome(askSure), last } },
    ({ login, sure }) => `${login.action} ${sure.action}`,
  );
  const sendRound = roundsOf(tool);
  const second = await sendRound(
    answering(await sendRound(), { login: { action: 'decline' }, sure: { action: 'cancel' } }),
  );
  expect(messagesOf(second)).toEqual({ last: 'decline?' });
  expect(readState(second).outcomes).toMatchObject({
    login: { action: 'decline' },
    sure: { action: 'cancel' },
  });

  expect(textOf(await sendRound(answering(second, { last: yes })))).toBe('decline cancel');
});

test('G8: what is computed never rides the state', async () => {
  const computed = resolver({}, () => ({ price: 42, at: new Date(), map: new Map() }));
  const tool = defineTool(
    'mixed',
    { resolve: { computed, login: askLogin, last: chained() } },
    () => 'done',
  );
  const sendRound = roundsOf(tool);
  const second = await sendRound(
    answering(await sendRound(), { login: accept({ username: 'octocat' }) }),
  );

  expect(Object.keys(readState(second).outcomes)).toEqual(['login']);
  expect(JSON.stringify(readState(second))).not.toContain('42');

  function chained() {
    return resolver({ login: askLogin, computed }, ({ login }) => confirm(`${login.username}?`));
  }
});

test('G9: the state keeps exactly the JSON that the client sent', async () => {
  const Renamed = z
    .object({ vUser: z.string(), size: z.coerce.number().default(7) })
    .transform(({ vUser, size }) => ({ user_name: vUser, size, day: new Date(0) }));
  const user = resolver({}, () => elicit('Who?', Renamed));
  const last = resolver({ user }, ({ user: { user_name } }) => confirm(`${user_name}?`));
  const sendRound = roundsOf(defineTool('renamed', { resolve: { last } }, () => 'done'));
  const first = await sendRound();

  const plain = await sendRound(answering(first, { user: accept({ vUser: 'octocat' }) }));
  expect(readState(plain).outcomes.user?.data).toEqual({ vUser: 'octocat' });

  const text = '{"vUser":"octocat","size":"8","extra":{"deep":[1,null]},"__proto__":{"a":1}}';
  const odd = await sendRound(answering(first, { user: accept(JSON.parse(text) as object) }));
  expect(JSON.stringify(readState(odd).outcomes.user?.data)).toBe(text);
});

test('G10: a restored answer is the same typed value as a fresh one', async () => {
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

test('G11: a restored entry is carried on unchanged, its digest included', async () => {
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

describe('G28: missing answers', () => {
  const three = defineTool(
    'three',
    {
      resolve: {
        a: resolver({}, () => elicit('A?', Login)),
        b: outcome(resolver({}, () => elicit('B?', Login))),
        c: resolver({}, () => elicit('C?', Login)),
      },
    },
    ({ a, b, c }) => `${a.username} ${b.action} ${c.username}`,
  );

  test('G28: only the question that was not answered comes again', async () => {
    const sendRound = roundsOf(three);
    const second = await sendRound(
      answering(await sendRound(), { a: accept({ username: 'ada' }), b: { action: 'cancel' } }),
    );
    expect(messagesOf(second)).toEqual({ c: 'C?' });

    const third = await sendRound(answering(second, { c: accept({ username: 'cyd' }) }));
    expect(textOf(third)).toBe('ada cancel cyd');
  });

  test('G28: without any answer the same questions come again, with an equal state', async () => {
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

  test('G28: answers may come one by one, in any order', async () => {
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

describe('G29: only what was asked again in this round is carried', () => {
  test('G29: rewording the first question of a chain drops all answers behind it', async () => {
    let wording = 'A?';
    const a = resolver({}, () => elicit(wording, Login));
    const b = resolver({ a }, ({ a: { username } }) => elicit(`${username}, B?`, Login));
    const c = resolver({ b }, ({ b: { username } }) => elicit(`${username}, C?`, Login));
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

  test('G29: a resolver that stops asking loses its record', async () => {
    let computes = false;
    const a = resolver({}, () => (computes ? { username: 'computed' } : elicit('A?', Login)));
    const b = resolver({ a }, ({ a: { username } }) => elicit(`${username}, B?`, Login));
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

test('G31: any server of the same definitions can serve any round', async () => {
  const workers = [roundsOf(chain(4)), roundsOf(chain(4))] as const;
  let result = await workers[0]();
  for (const n of [1, 2, 3, 4]) {
    result = await workers[n % 2]!(answering(result, { [`q${n}`]: accept({ word: `w${n}` }) }));
  }

  expect(textOf(result)).toBe('W4');
});

test('G31: a round can be sent twice, and both go on from the same place', async () => {
  const sendRound = roundsOf(chain(3));
  const second = await sendRound(answering(await sendRound(), { q1: accept({ word: 'w1' }) }));
  const retry = (word: string) => sendRound(answering(second, { q2: accept({ word }) }));

  const [ada, bob] = await Promise.all([retry('ada'), retry('bob')]);
  expect(messagesOf(ada)).toEqual({ q3: 'ADA none 2026 3?' });
  expect(messagesOf(bob)).toEqual({ q3: 'BOB none 2026 3?' });
});

test('G32, J2, J3: a chain longer than the cap of the client ends in its error', async () => {
  let given = 0;
  const { call, asked, requests } = await connectClient('modern', serving(chain(11)), {
    elicit: () => accept({ word: `w${++given}` }),
    maxRounds: 10,
  });
  const error: unknown = await call('chain').catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(SdkError);
  expect((error as SdkError).code).toBe('INPUT_REQUIRED_ROUNDS_EXCEEDED');
  expect(asked).toEqual(questionsOfChain(10));
  expect(requests()).toBe(11);
});

test('G32: by hand a chain of eleven comes to its end, every question shown once', async () => {
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

test('G34: every round that asks has questions and a state', async () => {
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

test('G35: the order of the answers in a retry means nothing', async () => {
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

test('G35: of two bad answers the first in walk order is reported, whatever their order', async () => {
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
  ['a wrapper', { method: 'elicitation/create', result: accept({ username: 'octocat' }) }],
  ['half a wrapper', { result: accept({ username: 'octocat' }) }],
  ['an answer with a method', { method: 'x', ...accept({ username: 'octocat' }) }],
  ['null', null],
  ['a list', [accept({ username: 'octocat' })]],
  ['a text', 'octocat'],
  ['a number', 7],
])('G36: %s counts as no answer: the question comes again', async (_, entry) => {
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
  'G36: inputResponses %j hold no answers: the question comes again',
  async (inputResponses) => {
    const tool = defineTool('none', { resolve: { login: askLogin } }, () => 'ran');
    const sendRound = roundsOf(tool);
    const { requestState } = questionsOf(await sendRound());

    const again = await sendRound({ inputResponses, requestState });
    expect(messagesOf(again)).toEqual({ login: 'Username?' });
  },
);
