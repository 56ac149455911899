/** E: questions to the user, and the effect of each answer. `forms` covers the forms. */
import { type ElicitResult, McpServer } from '@modelcontextprotocol/server';
import { arg, confirm, defineTool, elicit, install, outcome, resolver, sample } from 'mcp-resolve';
import { accept, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';
import { rawLegacy } from '../support/wire.js';
import {
  answering,
  callOnLegacy,
  roundsOf,
  messagesOf,
  readState,
  serving,
  summaryOf,
} from '../support/rounds.js';

const Login = z.object({ username: z.string() });
const askLogin = resolver({}, () => elicit('GitHub username?', Login), { asks: 'form' });
const whoami = defineTool(
  'whoami',
  { resolve: { login: askLogin } },
  ({ login }) => login.username,
);

const Order = z.object({ confirm: z.boolean() });
const orderBook = (ran: () => void = () => undefined) =>
  defineTool(
    'order_book',
    {
      inputSchema: z.object({ title: z.string() }),
      resolve: {
        backorder: resolver(
          { title: arg<string>() },
          ({ title }) => elicit(`'${title}' is out of stock. Order it anyway?`, Order),
          { asks: 'form' },
        ),
      },
    },
    ({ title, backorder }) => {
      ran();
      return backorder.confirm ? `Ordered '${title}'.` : 'No order placed.';
    },
  );

const folders: Record<string, string[]> = { '/empty': [], '/docs': ['a.md', 'b.md'] };
const deleteFolder = defineTool(
  'delete_folder',
  {
    inputSchema: z.object({ path: z.string() }),
    resolve: {
      consent: outcome(
        resolver(
          { path: arg<string>() },
          ({ path }) => {
            const { length } = folders[path] ?? [];
            return length === 0
              ? { ok: true }
              : elicit(`${path} has ${length} file(s). Delete it?`, z.object({ ok: z.boolean() }));
          },
          { asks: 'form' },
        ),
      ),
    },
  },
  ({ path, consent }) => {
    if (consent.action === 'decline') return 'declined: folder not deleted';
    if (consent.action === 'cancel') return 'cancelled: folder not deleted';
    return consent.data.ok ? `deleted ${path}` : 'kept the folder';
  },
);

describe.each(eras)('on the %s era', (era) => {
  test('E1: sends the question to the elicitation handler and injects the validated answer', async () => {
    const { text, asked } = await connectClient(era, serving(whoami), {
      elicit: [accept({ username: 'octocat' })],
    });

    expect(await text('whoami')).toBe('octocat');
    expect(asked).toEqual(['GitHub username?']);
  });

  test('E2: runs the body when the user accepts a form and says no in it', async () => {
    const order = await run(
      orderBook(),
      { title: 'Dune' },
      { era, answers: { backorder: accept({ confirm: false }) } },
    );
    const deletion = await run(
      deleteFolder,
      { path: '/docs' },
      { era, answers: { consent: accept({ ok: false }) } },
    );

    expect(order.text).toBe('No order placed.');
    expect(deletion.text).toBe('kept the folder');
  });

  test.each([
    ['E3', 'decline'],
    ['E4', 'cancel'],
  ] as const)(
    '%s: ends the call on a %s if the tool takes the plain value',
    async (_id, action) => {
      const ran = vi.fn();
      const { isError, text } = await run(
        orderBook(ran),
        { title: 'Dune' },
        { era, answers: { backorder: { action } } },
      );

      expect(isError).toBe(true);
      expect(text).toBe(
        `Error executing tool order_book: Resolver for parameter 'backorder' could not resolve: elicitation was ${action}`,
      );
      expect(ran).not.toHaveBeenCalled();
    },
  );

  test.each([
    [accept({ ok: true }), 'deleted /docs'],
    [accept({ ok: false }), 'kept the folder'],
    [decline(), 'declined: folder not deleted'],
    [cancel(), 'cancelled: folder not deleted'],
  ])('E5: passes %j to a tool that takes the outcome', async (answer, expected) => {
    const { text, questions } = await run(
      deleteFolder,
      { path: '/docs' },
      { era, answers: { consent: answer } },
    );

    expect(text).toBe(expected);
    expect(questions.map(({ message }) => message)).toEqual(['/docs has 2 file(s). Delete it?']);
  });

  test('E5: marks an answer as asked, and a computed value as not asked', async () => {
    const maybe = resolver(
      { ask: arg<boolean>() },
      ({ ask }) => (ask ? elicit('Name?', z.object({ name: z.string() })) : { name: 'computed' }),
      { asks: 'form' },
    );
    const tool = defineTool(
      'tell',
      { inputSchema: z.object({ ask: z.boolean() }), resolve: { name: outcome(maybe) } },
      ({ name }) => JSON.stringify(name),
    );
    const answers = { name: accept({ name: 'Ada' }) };
    const answered = await run(tool, { ask: true }, { era, answers });
    const computed = await run(tool, { ask: false }, { era });

    expect(answered.text).toBe('{"action":"accept","data":{"name":"Ada"},"asked":true}');
    expect(computed.text).toBe('{"action":"accept","data":{"name":"computed"},"asked":false}');
  });

  test('E6: passes a decline even to a tool that handles only accepted outcomes', async () => {
    const tool = defineTool(
      'only_accepts',
      { resolve: { login: outcome(askLogin) } },
      ({ login }) => (login.action === 'accept' ? login.data.username : `no data: ${login.action}`),
    );
    const { text } = await run(tool, {}, { era, answers: { login: decline() } });

    expect(text).toBe('no data: decline');
  });

  test('E7: names the parameter of the inner resolver that needed the refused answer', async () => {
    const askScope = resolver({}, () => elicit('Refund all?', z.object({ full: z.boolean() })), {
      asks: 'form',
    });
    const cents = resolver({ scope: askScope }, ({ scope }) => (scope.full ? 4800 : 1800));
    const tool = defineTool('refund_order', { resolve: { cents } }, ({ cents: sum }) =>
      String(sum),
    );

    expect(await run(tool, {}, { era, answers: { scope: decline() } })).toMatchObject({
      isError: true,
      text: "Error executing tool refund_order: Resolver for parameter 'scope' could not resolve: elicitation was decline",
    });
  });

  test('E7: names the first parameter in walk order when two needed the refused answer', async () => {
    const inner = resolver({ first: askLogin }, ({ first }) => first.username);
    const tool = defineTool(
      'both',
      { resolve: { inner, second: askLogin } },
      ({ inner: name }) => name,
    );

    expect(await run(tool, {}, { era, answers: { first: cancel() } })).toMatchObject({
      isError: true,
      text: "Error executing tool both: Resolver for parameter 'first' could not resolve: elicitation was cancel",
    });
  });

  test('E8: does not ask for a value it can compute, so a client without elicitation gets it', async () => {
    const { text, asked, requests } = await connectClient(era, serving(deleteFolder));

    expect(await text('delete_folder', { path: '/empty' })).toBe('deleted /empty');
    expect(asked).toEqual([]);
    expect(requests()).toBe(1);
  });

  test('E16: injects the transformed answer, under other names than those of the form', async () => {
    const Renamed = z
      .object({ vUser: z.string() })
      .transform(({ vUser }) => ({ user_name: vUser.toUpperCase() }));
    const tool = defineTool(
      'renamed',
      { resolve: { user: resolver({}, () => elicit('Who?', Renamed), { asks: 'form' }) } },
      ({ user }) => JSON.stringify(user),
    );
    const answers = { user: accept({ vUser: 'octocat' }) };
    const { text, questions } = await run(tool, {}, { era, answers });

    expect(text).toBe('{"user_name":"OCTOCAT"}');
    expect(questions[0]?.schema).toMatchObject({
      properties: { vUser: { type: 'string' } },
      required: ['vUser'],
    });
  });

  test('E16: passes coerced, defaulted, transformed and refined answers to the body', async () => {
    const Typed = z.object({
      count: z.coerce.number(),
      note: z.string().default('none'),
      day: z.iso.date().transform((day) => new Date(day)),
      code: z.string().refine(async (code) => Promise.resolve(code.startsWith('c'))),
    });
    const tool = defineTool(
      'typed',
      { resolve: { v: resolver({}, () => elicit('Values?', Typed), { asks: 'form' }) } },
      ({ v }) => `${v.count + 1} ${v.note} ${v.day.getUTCFullYear()} ${v.code}`,
    );
    const answers = { v: accept({ count: '41', day: '2026-07-28', code: 'c3' }) };
    const { text } = await run(tool, {}, { era, answers });

    expect(text).toBe('42 none 2026 c3');
  });

  test('E17: accepts a schema that the resolver creates in every round', async () => {
    const built = resolver(
      {},
      () => {
        const Built = z.object({ size: z.enum(['S', 'L']) });
        return elicit('Size?', Built);
      },
      { asks: 'form' },
    );
    const sure = resolver(
      { pick: built },
      ({ pick }) => elicit(`${pick.size}?`, z.object({ ok: z.boolean() })),
      { asks: 'form' },
    );
    const tool = defineTool('built', { resolve: { sure } }, ({ sure: { ok } }) => String(ok));
    const answers = { pick: accept({ size: 'L' }), sure: accept({ ok: true }) };
    const { text, questions } = await run(tool, {}, { era, answers });

    expect(text).toBe('true');
    expect(questions.map(({ message }) => message)).toEqual(['Size?', 'L?']);
  });

  test('E18: asks and injects the answer when the resolver does not declare that it asks', async () => {
    const undeclared = resolver({}, (): unknown => elicit('GitHub username?', Login));
    const follow = resolver(
      { login: undeclared },
      ({ login }) => confirm(`as ${(login as { username: string }).username}?`),
      { asks: 'form' },
    );
    const tool = defineTool('undeclared', { resolve: { follow, login: undeclared } }, ({ login }) =>
      JSON.stringify(login),
    );
    const answers = {
      login: accept({ username: 'octocat' }),
      follow: accept({ confirm: true }),
    };
    const { text, questions } = await run(tool, {}, { era, answers });

    expect(text).toBe('{"username":"octocat"}');
    expect(questions.map(({ message }) => message)).toEqual(['GitHub username?', 'as octocat?']);
  });

  test('E19: ignores content that comes with a decline', async () => {
    const answers = { consent: { ...decline(), content: { ok: true } } };
    const { text } = await run(deleteFolder, { path: '/docs' }, { era, answers });

    expect(text).toBe('declined: folder not deleted');
  });
});

describe('an answer on the wire', () => {
  const NO_CONTENT = 'an accepted elicitation with no content';
  const MISFIT = 'an accepted elicitation whose content does not match the requested schema';
  const BAD_USERNAME = `${MISFIT} (field 'username')`;
  const OTHER_KIND = 'a non-elicitation response';

  const unusable: [id: string, response: object, complaint: string][] = [
    ['E9', { action: 'accept' }, NO_CONTENT],
    ['E9', { action: 'accept', content: null }, NO_CONTENT],
    ['E10', { action: 'accept', content: { nope: 'x' } }, BAD_USERNAME],
    ['E10', { action: 'accept', content: {} }, BAD_USERNAME],
    ['E10', { action: 'accept', content: { username: 7 } }, BAD_USERNAME],
    ['E10', { action: 'accept', content: { username: null } }, BAD_USERNAME],
    ['E10', { action: 'accept', content: { username: { first: 'octo' } } }, BAD_USERNAME],
    ['E10', { action: 'accept', content: [] }, MISFIT],
    ['E10', { action: 'accept', content: [{ username: 'octocat' }] }, MISFIT],
    ['E10', { action: 'accept', content: 'octocat' }, MISFIT],
    ['E10', { action: 'accept', content: 7 }, MISFIT],
    ['E10', { action: 'accept', content: true }, MISFIT],
    ['E11', { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }, OTHER_KIND],
    ['E11', { roots: [] }, OTHER_KIND],
    ['E12', {}, OTHER_KIND],
    ['E12', { action: 'banana' }, OTHER_KIND],
    ['E12', { action: 'banana', content: { username: 'octocat' } }, OTHER_KIND],
    ['E12', { action: 'Accept', content: { username: 'octocat' } }, OTHER_KIND],
    ['E12', { action: ['accept'], content: { username: 'octocat' } }, OTHER_KIND],
    ['E12', { action: null, content: { username: 'octocat' } }, OTHER_KIND],
    ['E12', { content: { username: 'octocat' } }, OTHER_KIND],
  ];

  test.each(unusable)(
    '%s: fails the modern call and can be corrected afterwards: %j',
    async (_id, response, complaint) => {
      const sendRound = roundsOf(whoami);
      const first = await sendRound();

      const refused = await sendRound(answering(first, { login: response }));
      expect(errorTextOf(refused)).toBe(
        `Error executing tool whoami: Resolver 'login' received ${complaint}`,
      );

      const corrected = await sendRound(
        answering(first, { login: accept({ username: 'octocat' }) }),
      );
      expect(textOf(corrected)).toBe('octocat');
    },
  );

  test.each(unusable)('%s: fails the legacy call: %j', async (_id, response, complaint) => {
    const { result, pushed } = await callOnLegacy(whoami, [response]);

    expect(errorTextOf(result)).toBe(
      `Error executing tool whoami: Resolver 'login' received ${complaint}`,
    );
    expect(pushed).toHaveLength(1);
  });

  test('E9: fails without content, and is not a cancel in the outcome', async () => {
    const sendRound = roundsOf(deleteFolder);
    const args = { path: '/docs' };
    const first = await sendRound({ args });

    const refused = await sendRound({
      args,
      ...answering(first, { consent: accept() }),
    });
    const text = `Error executing tool delete_folder: Resolver 'consent' received ${NO_CONTENT}`;
    expect(errorTextOf(refused)).toBe(text);
    const { result } = await callOnLegacy(deleteFolder, [accept()], args);
    expect(errorTextOf(result)).toBe(text);
  });

  test('E9: fails without content even if every field is optional', async () => {
    const Optional = z.object({ note: z.string().optional() });
    const tool = defineTool(
      'optional',
      { resolve: { note: resolver({}, () => elicit('Note?', Optional), { asks: 'form' }) } },
      ({ note }) => note.note ?? 'none',
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    expect(errorTextOf(await sendRound(answering(first, { note: accept() })))).toContain(
      'no content',
    );
    const empty = await sendRound(answering(first, { note: accept({}) }));
    expect(textOf(empty)).toBe('none');
  });

  test('E10, K8: fails without the message of the validator', async () => {
    const Secret = z.object({
      pin: z.string().refine((pin) => pin === '1234', { message: 'the pin is 1234' }),
    });
    const tool = defineTool(
      'secret',
      { resolve: { pin: resolver({}, () => elicit('Pin?', Secret), { asks: 'form' }) } },
      () => 'in',
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const wrong = accept({ pin: '0000' });

    const text = `Error executing tool secret: Resolver 'pin' received ${MISFIT} (field 'pin')`;
    expect(errorTextOf(await sendRound(answering(first, { pin: wrong })))).toBe(text);
    const { result } = await callOnLegacy(tool, [wrong]);
    expect(errorTextOf(result)).toBe(text);
  });

  test.each([
    ['null', null],
    ['an array', []],
    ['a string', 'accept'],
    ['a number', 1],
    ['a boolean', true],
    ['a wrapped result', { method: 'elicitation/create', result: decline() }],
  ])('E12: is ignored on the modern era, which asks again, if it is %s', async (_, value) => {
    const sendRound = roundsOf(whoami);
    const first = await sendRound();

    expect(messagesOf(await sendRound(answering(first, { login: value })))).toEqual({
      login: 'GitHub username?',
    });
  });

  test('E10: may have unknown fields if the schema strips or keeps them', async () => {
    const answer = accept({ m: 'x', extra: 1 });
    const results = [];
    for (const schema of [
      z.object({ m: z.string() }),
      z.looseObject({ m: z.string() }),
      z.strictObject({ m: z.string() }),
    ]) {
      const tool = defineTool(
        'extra',
        { resolve: { form: resolver({}, () => elicit('M?', schema), { asks: 'form' }) } },
        ({ form }) => JSON.stringify(form),
      );
      const sendRound = roundsOf(tool);
      results.push(summaryOf(await sendRound(answering(await sendRound(), { form: answer }))));
    }

    expect(results).toEqual([
      '{"m":"x"}',
      '{"m":"x","extra":1}',
      `Error executing tool extra: Resolver 'form' received ${MISFIT}`,
    ]);
  });

  test('E10: cannot change prototypes with __proto__ and constructor properties', async () => {
    const Loose = z.looseObject({ username: z.string() });
    const tool = defineTool(
      'hostile',
      { resolve: { login: resolver({}, () => elicit('Who?', Loose), { asks: 'form' }) } },
      ({ login }) =>
        `${login.username} ${String('admin' in login)} ${String(Object.hasOwn({}, 'admin'))}`,
    );
    const content: unknown = JSON.parse(
      '{"username":"octocat","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
    );
    const sendRound = roundsOf(tool);

    const done = await sendRound(
      answering(await sendRound(), { login: { action: 'accept', content } }),
    );
    expect(textOf(done)).toBe('octocat false false');
    expect('admin' in {}).toBe(false);
  });

  test('E10: may contain a string of a megabyte', async () => {
    const username = 'x'.repeat(1_000_000);
    const sendRound = roundsOf(whoami);
    const first = await sendRound();

    const done = await sendRound(answering(first, { login: accept({ username }) }));
    expect(textOf(done)).toHaveLength(1_000_000);
  });
});

test('E13: renders the same question on both eras', async () => {
  const expected = {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'GitHub username?',
      requestedSchema: {
        type: 'object',
        properties: { username: { type: 'string' } },
        required: ['username'],
        $schema: 'https://json-schema.org/draft/2020-12/schema',
      },
    },
  };

  expect(questionsOf(await roundsOf(whoami)()).requests).toEqual({ login: expected });
  const { pushed } = await callOnLegacy(whoami, [decline()]);
  expect(pushed).toEqual([expected]);
});

test('E17: validates a recorded answer against the current schema of its question', async () => {
  let maximum = 10;
  const askCount = resolver(
    {},
    () => elicit('How many?', z.object({ n: z.number().max(maximum) })),
    { asks: 'form' },
  );
  const sure = resolver({ count: askCount }, ({ count }) => confirm(`${count.n}?`), {
    asks: 'form',
  });
  const tool = defineTool('count', { resolve: { sure } }, () => 'done');
  const sendRound = roundsOf(tool);
  const second = await sendRound(answering(await sendRound(), { count: accept({ n: 7 }) }));
  expect(messagesOf(second)).toEqual({ sure: '7?' });

  maximum = 5;
  const third = await sendRound(answering(second, { sure: accept({ confirm: true }) }));
  expect(messagesOf(third)).toEqual({ count: 'How many?' });
  expect(readState(third).outcomes).toEqual({});
});

test('E19: does not record content that comes with a decline or a cancel', async () => {
  const askA = resolver({}, () => elicit('A?', Login), { asks: 'form' });
  const askB = resolver({}, () => elicit('B?', Login), { asks: 'form' });
  const askC = resolver({}, () => elicit('C?', Login), { asks: 'form' });
  const tool = defineTool(
    'three',
    { resolve: { a: outcome(askA), b: outcome(askB), c: askC } },
    () => 'done',
  );
  const sendRound = roundsOf(tool);
  const second = await sendRound(
    answering(await sendRound(), {
      a: { ...decline(), content: { username: 'mallory' } },
      b: { ...cancel(), content: { username: 'mallory' } },
    }),
  );

  expect(JSON.stringify(readState(second))).not.toContain('mallory');
  const { a, b } = readState(second).outcomes;
  expect(Object.keys(a!)).toEqual(['action', 'q']);
  expect(Object.keys(b!)).toEqual(['action', 'q']);
});

test('E20: sends a legacy question with the id of its call', async () => {
  const options: unknown[] = [];
  const client = await rawLegacy(
    () => {
      const server = new McpServer({ name: 'related', version: '1.0.0' });
      install(server, [whoami]);
      const connect = server.connect.bind(server);
      server.connect = async (transport) => {
        const send = transport.send.bind(transport);
        transport.send = (message, sendOptions) => {
          if ('method' in message && message.method === 'elicitation/create') {
            options.push(sendOptions);
          }
          return send(message, sendOptions);
        };
        await connect(transport);
      };
      return server;
    },
    {
      capabilities: { elicitation: {} },
      answer: () => ({ result: accept({ username: 'octocat' }) }),
    },
  );

  const { id } = await client.request('tools/call', { name: 'whoami', arguments: {} });
  expect(options).toEqual([expect.objectContaining({ relatedRequestId: id })]);
});

describe.each(eras)('confirm on the %s era', (era) => {
  const sure = resolver({}, () => confirm('Delete everything?'), { asks: 'form' });
  const plain = defineTool(
    'plain',
    { resolve: { sure } },
    ({ sure: yes }) => `deleted: ${String(yes)}`,
  );
  const taken = defineTool('taken', { resolve: { sure: outcome(sure) } }, ({ sure: how }) =>
    JSON.stringify(how),
  );
  const answersWithActions: [given: string, action: string, answer: ElicitResult][] = [
    ['a ticked box', 'accept', accept({ confirm: true })],
    ['an unticked box', 'decline', accept({ confirm: false })],
    ['a decline', 'decline', decline()],
    ['a cancel', 'cancel', cancel()],
  ];

  test.each(answersWithActions)(
    'E2: takes %s as %s if the tool takes the plain value',
    async (_, action, answer) => {
      const { isError, text, questions } = await run(plain, {}, { era, answers: { sure: answer } });

      expect({ isError, text }).toEqual(
        action === 'accept'
          ? { isError: false, text: 'deleted: true' }
          : {
              isError: true,
              text: `Error executing tool plain: Resolver for parameter 'sure' could not resolve: elicitation was ${action}`,
            },
      );
      expect(questions.map(({ message }) => message)).toEqual(['Delete everything?']);
    },
  );

  test.each(answersWithActions)(
    'E4: takes %s as %s if the tool takes the outcome',
    async (_, action, answer) => {
      const { text } = await run(taken, {}, { era, answers: { sure: answer } });

      expect(text).toBe(
        action === 'accept'
          ? '{"action":"accept","data":true,"asked":true}'
          : `{"action":"${action}"}`,
      );
    },
  );

  test.each(answersWithActions)('E2: still takes %s as %s two questions later', async (...row) => {
    const [, action, answer] = row;
    const second = resolver(
      { sure: outcome(sure) },
      ({ sure: how }) => elicit(`${how.action}, second?`, Login),
      { asks: 'form' },
    );
    const third = resolver(
      { second },
      ({ second: { username } }) => elicit(`${username}, third?`, Login),
      { asks: 'form' },
    );
    const tool = defineTool(
      'chain',
      { resolve: { sure: outcome(sure), third } },
      ({ sure: how, third: { username } }) => `${how.action} ${username}`,
    );
    const answers = {
      sure: answer,
      second: accept({ username: 'ada' }),
      third: accept({ username: 'bob' }),
    };
    const { text, questions } = await run(tool, {}, { era, answers });

    expect(text).toBe(`${action} bob`);
    expect(questions.map(({ message }) => message)).toEqual([
      'Delete everything?',
      `${action}, second?`,
      'ada, third?',
    ]);
  });

  test('E13: renders as a form with one required checkbox', async () => {
    const { questions, call } = await connectClient(era, serving(plain), {
      elicit: [cancel()],
    });
    await call('plain');

    expect(questions).toEqual([
      {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Delete everything?',
          requestedSchema: {
            type: 'object',
            properties: { confirm: { type: 'boolean' } },
            required: ['confirm'],
          },
        },
      },
    ]);
  });
});

test.each([
  [{}],
  [{ confirm: 'true' }],
  [{ confirm: 1 }],
  [{ confirm: null }],
  [{ confirm: [true] }],
  [{ Confirm: true }],
])('E10: refuses the content %j as an answer to confirm', async (content) => {
  const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
  const tool = defineTool('sure', { resolve: { sure } }, () => 'ran');
  const sendRound = roundsOf(tool);

  const refused = await sendRound(
    answering(await sendRound(), { sure: { action: 'accept', content } }),
  );
  expect(errorTextOf(refused)).toBe(
    "Error executing tool sure: Resolver 'sure' received an accepted elicitation whose content does not match the requested schema (field 'confirm')",
  );
});

test('G9: records an unticked confirm as the client sent it', async () => {
  const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
  const next = resolver({ sure: outcome(sure) }, () => elicit('Next?', Login), { asks: 'form' });
  const sendRound = roundsOf(defineTool('unticked', { resolve: { next } }, () => 'ran'));

  const second = await sendRound(
    answering(await sendRound(), { sure: accept({ confirm: false }) }),
  );
  expect(readState(second).outcomes).toEqual({
    sure: { action: 'accept', data: { confirm: false }, q: '_e9aOTPPkrntmlW09xwgJw' },
  });
});

describe.each(eras)('a resolver that declares its question, on the %s era', (era) => {
  const hello = {
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }],
    maxTokens: 5,
  };
  const Other = z.object({ username: z.string() });

  test.each([
    [
      'a form and returns a sample',
      'form',
      () => sample(hello),
      "declares that it asks a 'form' question, but it returned a 'sample' question. Change `asks`, or return the declared question.",
    ],
    [
      'a sample and returns a form',
      'sample',
      () => elicit('Who?', Login),
      "declares that it asks a 'sample' question, but it returned a 'form' question. Change `asks`, or return the declared question.",
    ],
    [
      'roots and returns a confirmation',
      'roots',
      () => confirm('Sure?'),
      "declares that it asks a 'roots' question, but it returned a 'form' question. Change `asks`, or return the declared question.",
    ],
    [
      'a schema and returns a sample',
      Login,
      () => sample(hello),
      "declares that it asks a 'form' question, but it returned a 'sample' question. Change `asks`, or return the declared question.",
    ],
    [
      'a schema and returns a form with another schema',
      Login,
      () => elicit('Who?', Other),
      'asked with a different schema than the one it declares in `asks`. Use the same schema object for both.',
    ],
    [
      'a schema and returns a confirmation',
      Login,
      () => confirm('Sure?'),
      'asked with a different schema than the one it declares in `asks`. Use the same schema object for both.',
    ],
  ] as const)('C8: fails without asking when it declares %s', async (_, asks, fn, problem) => {
    const strays = resolver({}, fn as () => unknown, { asks, name: 'stray' });
    const tool = defineTool('strays', { resolve: { strays } }, () => 'ran');
    const { isError, text, cause, questions } = await run(tool, {}, { era });

    expect({ isError, text }).toEqual({ isError: true, text: 'Error executing tool strays' });
    expect(cause?.message).toBe(`Resolver 'stray' ${problem}`);
    expect(questions).toEqual([]);
  });

  test.each([['form' as const], [Login]])(
    'C8: asks the question that it declares',
    async (asks) => {
      const asking = resolver({}, () => elicit('Who?', Login), { asks });
      const tool = defineTool('asking', { resolve: { asking } }, ({ asking: a }) => a.username);
      const answers = { asking: accept({ username: 'octocat' }) };

      expect((await run(tool, {}, { era, answers })).text).toBe('octocat');
    },
  );
});
