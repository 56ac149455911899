/** E: asking the person, and what each answer means. Forms themselves are in `e-forms`. */
import { McpServer } from '@modelcontextprotocol/server';
import { arg, confirm, defineTool, elicit, install, outcome, resolver, sample } from 'mcp-resolve';
import { afterEach, describe, expect, test, vi } from 'vitest';
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
const askLogin = resolver({}, () => elicit('GitHub username?', Login));
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
        backorder: resolver({ title: arg<string>() }, ({ title }) =>
          elicit(`'${title}' is out of stock. Order it anyway?`, Order),
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
        resolver({ path: arg<string>() }, ({ path }) => {
          const { length } = folders[path] ?? [];
          return length === 0
            ? { ok: true }
            : elicit(`${path} has ${length} file(s). Delete it?`, z.object({ ok: z.boolean() }));
        }),
      ),
    },
  },
  ({ path, consent }) => {
    if (consent.action === 'decline') return 'declined: folder not deleted';
    if (consent.action === 'cancel') return 'cancelled: folder not deleted';
    return consent.data.ok ? `deleted ${path}` : 'kept the folder';
  },
);

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('on the %s era', (era) => {
  test('E1: a question goes to the elicitation handler and its validated answer is injected', async () => {
    const { text, asked } = await connectClient(era, serving(whoami), {
      elicit: [{ action: 'accept', content: { username: 'octocat' } }],
    });

    expect(await text('whoami')).toBe('octocat');
    expect(asked).toEqual(['GitHub username?']);
  });

  test('E2: a "no" inside an accepted form is an answer, so the body runs', async () => {
    const { text } = await connectClient(era, serving(orderBook(), deleteFolder), {
      elicit: [
        { action: 'accept', content: { confirm: false } },
        { action: 'accept', content: { ok: false } },
      ],
    });

    expect(await text('order_book', { title: 'Dune' })).toBe('No order placed.');
    expect(await text('delete_folder', { path: '/docs' })).toBe('kept the folder');
  });

  test.each([
    ['E3', 'decline'],
    ['E4', 'cancel'],
  ] as const)('%s: a %s ends the call of a plain consumer', async (_id, action) => {
    const ran = vi.fn();
    const { errorText } = await connectClient(era, serving(orderBook(ran)), {
      elicit: [{ action }],
    });

    expect(await errorText('order_book', { title: 'Dune' })).toBe(
      `Error executing tool order_book: Resolver for parameter 'backorder' could not resolve: elicitation was ${action}`,
    );
    expect(ran).not.toHaveBeenCalled();
  });

  test.each([
    [{ action: 'accept', content: { ok: true } }, 'deleted /docs'],
    [{ action: 'accept', content: { ok: false } }, 'kept the folder'],
    [{ action: 'decline' }, 'declined: folder not deleted'],
    [{ action: 'cancel' }, 'cancelled: folder not deleted'],
  ] as const)('E5: an outcome consumer gets %j', async (answer, expected) => {
    const { text, asked } = await connectClient(era, serving(deleteFolder), { elicit: [answer] });

    expect(await text('delete_folder', { path: '/docs' })).toBe(expected);
    expect(asked).toEqual(['/docs has 2 file(s). Delete it?']);
  });

  test('E5: an accepted outcome says that it was asked for, a computed one that it was not', async () => {
    const maybe = resolver({ ask: arg<boolean>() }, ({ ask }) =>
      ask ? elicit('Name?', z.object({ name: z.string() })) : { name: 'computed' },
    );
    const tool = defineTool(
      'tell',
      { inputSchema: z.object({ ask: z.boolean() }), resolve: { name: outcome(maybe) } },
      ({ name }) => JSON.stringify(name),
    );
    const { text } = await connectClient(era, serving(tool), {
      elicit: [{ action: 'accept', content: { name: 'Ada' } }],
    });

    expect(await text('tell', { ask: true })).toBe(
      '{"action":"accept","data":{"name":"Ada"},"asked":true}',
    );
    expect(await text('tell', { ask: false })).toBe(
      '{"action":"accept","data":{"name":"computed"},"asked":false}',
    );
  });

  test('E6: a consumer that takes the outcome receives the decline even if it only reads accepts', async () => {
    const tool = defineTool(
      'only_accepts',
      { resolve: { login: outcome(askLogin) } },
      ({ login }) => (login.action === 'accept' ? login.data.username : `no data: ${login.action}`),
    );
    const { text } = await connectClient(era, serving(tool), { elicit: [{ action: 'decline' }] });

    expect(await text('only_accepts')).toBe('no data: decline');
  });

  test('E7: the abort names the parameter at the point of use, here that of an inner resolver', async () => {
    const askScope = resolver({}, () => elicit('Refund all?', z.object({ full: z.boolean() })));
    const cents = resolver({ scope: askScope }, ({ scope }) => (scope.full ? 4800 : 1800));
    const tool = defineTool('refund_order', { resolve: { cents } }, ({ cents: sum }) =>
      String(sum),
    );
    const { errorText } = await connectClient(era, serving(tool), {
      elicit: [{ action: 'decline' }],
    });

    expect(await errorText('refund_order')).toBe(
      "Error executing tool refund_order: Resolver for parameter 'scope' could not resolve: elicitation was decline",
    );
  });

  test('E7: of two plain consumers under different names the first in walk order is named', async () => {
    const inner = resolver({ first: askLogin }, ({ first }) => first.username);
    const tool = defineTool(
      'both',
      { resolve: { inner, second: askLogin } },
      ({ inner: name }) => name,
    );
    const { errorText } = await connectClient(era, serving(tool), {
      elicit: [{ action: 'cancel' }],
    });

    expect(await errorText('both')).toBe(
      "Error executing tool both: Resolver for parameter 'first' could not resolve: elicitation was cancel",
    );
  });

  test('E8: what can be computed is not asked, so a client without elicitation gets its result', async () => {
    const { text, asked, requests } = await connectClient(era, serving(deleteFolder));

    expect(await text('delete_folder', { path: '/empty' })).toBe('deleted /empty');
    expect(asked).toEqual([]);
    expect(requests()).toBe(1);
  });

  test('E16: an answer in the names of the form is injected under the names of the schema', async () => {
    const Renamed = z
      .object({ vUser: z.string() })
      .transform(({ vUser }) => ({ user_name: vUser.toUpperCase() }));
    const tool = defineTool(
      'renamed',
      { resolve: { user: resolver({}, () => elicit('Who?', Renamed)) } },
      ({ user }) => JSON.stringify(user),
    );
    const { text, questions } = await connectClient(era, serving(tool), {
      elicit: [{ action: 'accept', content: { vUser: 'octocat' } }],
    });

    expect(await text('renamed')).toBe('{"user_name":"OCTOCAT"}');
    expect(questions[0]?.params).toMatchObject({
      requestedSchema: { properties: { vUser: { type: 'string' } }, required: ['vUser'] },
    });
  });

  test('E16: coercions, defaults, dates and asynchronous refinements reach the body as typed values', async () => {
    const Typed = z.object({
      count: z.coerce.number(),
      note: z.string().default('none'),
      day: z.iso.date().transform((day) => new Date(day)),
      code: z.string().refine(async (code) => Promise.resolve(code.startsWith('c'))),
    });
    const tool = defineTool(
      'typed',
      { resolve: { v: resolver({}, () => elicit('Values?', Typed)) } },
      ({ v }) => `${v.count + 1} ${v.note} ${v.day.getUTCFullYear()} ${v.code}`,
    );
    const { text } = await connectClient(era, serving(tool), {
      elicit: [{ action: 'accept', content: { count: '41', day: '2026-07-28', code: 'c3' } }],
    });

    expect(await text('typed')).toBe('42 none 2026 c3');
  });

  test('E17: a schema may be built anew in every call', async () => {
    const built = resolver({}, () => {
      const Built = z.object({ size: z.enum(['S', 'L']) });
      return elicit('Size?', Built);
    });
    const sure = resolver({ pick: built }, ({ pick }) =>
      elicit(`${pick.size}?`, z.object({ ok: z.boolean() })),
    );
    const tool = defineTool('built', { resolve: { sure } }, ({ sure: { ok } }) => String(ok));
    const { text, asked } = await connectClient(era, serving(tool), {
      elicit: [
        { action: 'accept', content: { size: 'L' } },
        { action: 'accept', content: { ok: true } },
      ],
    });

    expect(await text('built')).toBe('true');
    expect(asked).toEqual(['Size?', 'L?']);
  });

  test('E18: a resolver that asks without having declared it works, and its answer stays typed', async () => {
    const undeclared = resolver({}, (): unknown => elicit('GitHub username?', Login));
    const follow = resolver({ login: undeclared }, ({ login }) =>
      confirm(`as ${(login as { username: string }).username}?`),
    );
    const tool = defineTool('undeclared', { resolve: { follow, login: undeclared } }, ({ login }) =>
      JSON.stringify(login),
    );
    const { text, asked } = await connectClient(era, serving(tool), {
      elicit: [
        { action: 'accept', content: { username: 'octocat' } },
        { action: 'accept', content: { confirm: true } },
      ],
    });

    expect(await text('undeclared')).toBe('{"username":"octocat"}');
    expect(asked).toEqual(['GitHub username?', 'as octocat?']);
  });

  test('E19: content that comes along with a decline is ignored', async () => {
    const { text } = await connectClient(era, serving(deleteFolder), {
      elicit: [{ action: 'decline', content: { ok: true } }],
    });

    expect(await text('delete_folder', { path: '/docs' })).toBe('declined: folder not deleted');
  });
});

describe('answers that are none', () => {
  const text = (rest: string): string => `Error executing tool whoami: Resolver 'login' ${rest}`;
  const legacyText = (rest: string): string => `Error executing tool whoami: ${rest}`;
  const NO_CONTENT = 'an accepted elicitation with no content';
  const MISFIT = 'an accepted elicitation whose content does not match the requested schema';
  const OTHER_KIND = 'a non-elicitation response';

  const unusable: [id: string, response: object, complaint: string][] = [
    ['E9', { action: 'accept' }, NO_CONTENT],
    ['E9', { action: 'accept', content: null }, NO_CONTENT],
    ['E10', { action: 'accept', content: { nope: 'x' } }, MISFIT],
    ['E10', { action: 'accept', content: {} }, MISFIT],
    ['E10', { action: 'accept', content: { username: 7 } }, MISFIT],
    ['E10', { action: 'accept', content: { username: null } }, MISFIT],
    ['E10', { action: 'accept', content: { username: { first: 'octo' } } }, MISFIT],
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
    '%s: %j is a tool error on the modern era, and the question can still be answered',
    async (_id, response, complaint) => {
      const sendRound = roundsOf(whoami);
      const first = await sendRound();

      const refused = await sendRound(answering(first, { login: response }));
      expect(errorTextOf(refused)).toBe(text(`received ${complaint}`));

      const corrected = await sendRound(
        answering(first, { login: { action: 'accept', content: { username: 'octocat' } } }),
      );
      expect(textOf(corrected)).toBe('octocat');
    },
  );

  test.each(unusable)(
    '%s: %j is a tool error on the legacy era',
    async (_id, response, complaint) => {
      const { result, pushed } = await callOnLegacy(whoami, [response]);

      expect(errorTextOf(result)).toBe(legacyText(`Received ${complaint}`));
      expect(pushed).toHaveLength(1);
    },
  );

  test('E9: accept without content never counts as a cancel, not even for an outcome consumer', async () => {
    const sendRound = roundsOf(deleteFolder);
    const args = { path: '/docs' };
    const first = await sendRound({ args });

    const refused = await sendRound({
      args,
      ...answering(first, { consent: { action: 'accept' } }),
    });
    expect(errorTextOf(refused)).toBe(
      "Error executing tool delete_folder: Resolver 'consent' received an accepted elicitation with no content",
    );
    const { result } = await callOnLegacy(deleteFolder, [{ action: 'accept' }], args);
    expect(errorTextOf(result)).toBe(
      'Error executing tool delete_folder: Received an accepted elicitation with no content',
    );
  });

  test('E9: accept without content is an error where every field is optional too', async () => {
    const Optional = z.object({ note: z.string().optional() });
    const tool = defineTool(
      'optional',
      { resolve: { note: resolver({}, () => elicit('Note?', Optional)) } },
      ({ note }) => note.note ?? 'none',
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    expect(
      errorTextOf(await sendRound(answering(first, { note: { action: 'accept' } }))),
    ).toContain('no content');
    const empty = await sendRound(answering(first, { note: { action: 'accept', content: {} } }));
    expect(textOf(empty)).toBe('none');
  });

  test('E10: the words of the validator stay on the server', async () => {
    const Secret = z.object({
      pin: z.string().refine((pin) => pin === '1234', { message: 'the pin is 1234' }),
    });
    const tool = defineTool(
      'secret',
      { resolve: { pin: resolver({}, () => elicit('Pin?', Secret)) } },
      () => 'in',
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const wrong = { action: 'accept', content: { pin: '0000' } };

    expect(errorTextOf(await sendRound(answering(first, { pin: wrong })))).toBe(
      "Error executing tool secret: Resolver 'pin' received an accepted elicitation whose content does not match the requested schema",
    );
    const { result } = await callOnLegacy(tool, [wrong]);
    expect(errorTextOf(result)).toBe(
      'Error executing tool secret: Received an accepted elicitation whose content does not match the requested schema',
    );
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['a text', 'accept'],
    ['a number', 1],
    ['a truth value', true],
    ['a wrapper', { method: 'elicitation/create', result: { action: 'decline' } }],
  ])(
    'E12: %s is no answer at all on the modern era: the question comes again',
    async (_, value) => {
      const sendRound = roundsOf(whoami);
      const first = await sendRound();

      expect(messagesOf(await sendRound(answering(first, { login: value })))).toEqual({
        login: 'GitHub username?',
      });
    },
  );

  test('E10: unknown fields are for the schema to judge: stripped, kept or refused', async () => {
    const answer = { action: 'accept', content: { m: 'x', extra: 1 } };
    const results = [];
    for (const schema of [
      z.object({ m: z.string() }),
      z.looseObject({ m: z.string() }),
      z.strictObject({ m: z.string() }),
    ]) {
      const tool = defineTool(
        'extra',
        { resolve: { form: resolver({}, () => elicit('M?', schema)) } },
        ({ form }) => JSON.stringify(form),
      );
      const sendRound = roundsOf(tool);
      results.push(summaryOf(await sendRound(answering(await sendRound(), { form: answer }))));
    }

    expect(results).toEqual([
      '{"m":"x"}',
      '{"m":"x","extra":1}',
      "Error executing tool extra: Resolver 'form' received an accepted elicitation whose content does not match the requested schema",
    ]);
  });

  test('E10: content with own __proto__ and constructor members changes nothing but itself', async () => {
    const Loose = z.looseObject({ username: z.string() });
    const tool = defineTool(
      'hostile',
      { resolve: { login: resolver({}, () => elicit('Who?', Loose)) } },
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

  test('E10: a megabyte of text is an answer like any other', async () => {
    const username = 'x'.repeat(1_000_000);
    const sendRound = roundsOf(whoami);
    const first = await sendRound();

    const done = await sendRound(
      answering(first, { login: { action: 'accept', content: { username } } }),
    );
    expect(textOf(done)).toHaveLength(1_000_000);
  });
});

test('E13: the rendered question is the same on both eras', async () => {
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
  const { pushed } = await callOnLegacy(whoami, [{ action: 'decline' }]);
  expect(pushed).toEqual([expected]);
});

test('E17: a recorded answer is validated against the schema that the question has now', async () => {
  let maximum = 10;
  const askCount = resolver({}, () =>
    elicit('How many?', z.object({ n: z.number().max(maximum) })),
  );
  const sure = resolver({ count: askCount }, ({ count }) => confirm(`${count.n}?`));
  const tool = defineTool('count', { resolve: { sure } }, () => 'done');
  const sendRound = roundsOf(tool);
  const second = await sendRound(
    answering(await sendRound(), { count: { action: 'accept', content: { n: 7 } } }),
  );
  expect(messagesOf(second)).toEqual({ sure: '7?' });

  maximum = 5;
  const third = await sendRound(
    answering(second, { sure: { action: 'accept', content: { confirm: true } } }),
  );
  expect(messagesOf(third)).toEqual({ count: 'How many?' });
  expect(readState(third).outcomes).toEqual({});
});

test('E19: content that comes along with a decline or a cancel is not recorded', async () => {
  const askA = resolver({}, () => elicit('A?', Login));
  const askB = resolver({}, () => elicit('B?', Login));
  const askC = resolver({}, () => elicit('C?', Login));
  const tool = defineTool(
    'three',
    { resolve: { a: outcome(askA), b: outcome(askB), c: askC } },
    () => 'done',
  );
  const sendRound = roundsOf(tool);
  const second = await sendRound(
    answering(await sendRound(), {
      a: { action: 'decline', content: { username: 'mallory' } },
      b: { action: 'cancel', content: { username: 'mallory' } },
    }),
  );

  expect(JSON.stringify(readState(second))).not.toContain('mallory');
  const { a, b } = readState(second).outcomes;
  expect(Object.keys(a!)).toEqual(['action', 'q']);
  expect(Object.keys(b!)).toEqual(['action', 'q']);
});

test('E20: a legacy push carries the id of the call it belongs to', async () => {
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
      answer: () => ({ result: { action: 'accept', content: { username: 'octocat' } } }),
    },
  );

  const { id } = await client.request('tools/call', { name: 'whoami', arguments: {} });
  expect(options).toEqual([expect.objectContaining({ relatedRequestId: id })]);
});

describe.each(eras)('confirm on the %s era', (era) => {
  const sure = resolver({}, () => confirm('Delete everything?'));
  const plain = defineTool(
    'plain',
    { resolve: { sure } },
    ({ sure: yes }) => `deleted: ${String(yes)}`,
  );
  const taken = defineTool('taken', { resolve: { sure: outcome(sure) } }, ({ sure: how }) =>
    JSON.stringify(how),
  );
  const aborted = (action: string): string =>
    `Error executing tool plain: Resolver for parameter 'sure' could not resolve: elicitation was ${action}`;

  test.each([
    ['ticked', { action: 'accept', content: { confirm: true } }, 'deleted: true'],
    ['unticked', { action: 'accept', content: { confirm: false } }, aborted('decline')],
    ['declined', { action: 'decline' }, aborted('decline')],
    ['cancelled', { action: 'cancel' }, aborted('cancel')],
  ] as const)('E2: %s, for a plain consumer', async (_, answer, expected) => {
    const { call, asked } = await connectClient(era, serving(plain), { elicit: [answer] });

    expect(summaryOf(await call('plain'))).toBe(expected);
    expect(asked).toEqual(['Delete everything?']);
  });

  test.each([
    [
      'ticked',
      { action: 'accept', content: { confirm: true } },
      '{"action":"accept","data":true,"asked":true}',
    ],
    ['unticked', { action: 'accept', content: { confirm: false } }, '{"action":"decline"}'],
    ['declined', { action: 'decline' }, '{"action":"decline"}'],
    ['cancelled', { action: 'cancel' }, '{"action":"cancel"}'],
  ] as const)('E4: %s, for an outcome consumer', async (_, answer, expected) => {
    const { text } = await connectClient(era, serving(taken), { elicit: [answer] });

    expect(await text('taken')).toBe(expected);
  });

  test.each([
    ['ticked', { action: 'accept', content: { confirm: true } }, 'accept'],
    ['unticked', { action: 'accept', content: { confirm: false } }, 'decline'],
    ['declined', { action: 'decline' }, 'decline'],
    ['cancelled', { action: 'cancel' }, 'cancel'],
  ] as const)('E2: %s keeps its meaning over two more questions', async (_, answer, meaning) => {
    const second = resolver({ sure: outcome(sure) }, ({ sure: { action } }) =>
      elicit(`${action}, second?`, Login),
    );
    const third = resolver({ second }, ({ second: { username } }) =>
      elicit(`${username}, third?`, Login),
    );
    const tool = defineTool(
      'chain',
      { resolve: { sure: outcome(sure), third } },
      ({ sure: { action }, third: { username } }) => `${action} ${username}`,
    );
    const { text, asked } = await connectClient(era, serving(tool), {
      elicit: [
        answer,
        { action: 'accept', content: { username: 'ada' } },
        { action: 'accept', content: { username: 'bob' } },
      ],
    });

    expect(await text('chain')).toBe(`${meaning} bob`);
    expect(asked).toEqual(['Delete everything?', `${meaning}, second?`, 'ada, third?']);
  });

  test('E13: it renders as a form of one required box', async () => {
    const { questions, call } = await connectClient(era, serving(plain), {
      elicit: [{ action: 'cancel' }],
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
])('E10: %j ticks no box of confirm', async (content) => {
  const sure = resolver({}, () => confirm('Sure?'));
  const tool = defineTool('sure', { resolve: { sure } }, () => 'ran');
  const sendRound = roundsOf(tool);

  const refused = await sendRound(
    answering(await sendRound(), { sure: { action: 'accept', content } }),
  );
  expect(errorTextOf(refused)).toBe(
    "Error executing tool sure: Resolver 'sure' received an accepted elicitation whose content does not match the requested schema",
  );
});

test('G9: an unticked confirm is recorded as the client sent it', async () => {
  const sure = resolver({}, () => confirm('Sure?'));
  const next = resolver({ sure: outcome(sure) }, () => elicit('Next?', Login));
  const sendRound = roundsOf(defineTool('unticked', { resolve: { next } }, () => 'ran'));

  const second = await sendRound(
    answering(await sendRound(), { sure: { action: 'accept', content: { confirm: false } } }),
  );
  expect(readState(second).outcomes).toEqual({
    sure: { action: 'accept', data: { confirm: false }, q: '_e9aOTPPkrntmlW09xwgJw' },
  });
});

describe.each(eras)('declared questions on the %s era', (era) => {
  const hello = {
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }],
    maxTokens: 5,
  };
  const Other = z.object({ username: z.string() });

  test.each([
    ['form', () => sample(hello), "declares that it asks 'form', but it asked 'sample'"],
    ['sample', () => elicit('Who?', Login), "declares that it asks 'sample', but it asked 'form'"],
    ['roots', () => confirm('Sure?'), "declares that it asks 'roots', but it asked 'form'"],
    ['nothing', () => confirm('Sure?'), "declares that it asks nothing, but it asked 'form'"],
    [Login, () => sample(hello), "declares that it asks 'form', but it asked 'sample'"],
    [
      Login,
      () => elicit('Who?', Other),
      "asked with another schema than the one it declares in 'asks'",
    ],
    [Login, () => confirm('Sure?'), "asked with another schema than the one it declares in 'asks'"],
  ] as const)(
    'C8: what is not declared is a tool error, and nothing is asked',
    async (asks, fn, text) => {
      const strays = resolver({}, fn as () => unknown, { asks, name: 'stray' });
      const tool = defineTool('strays', { resolve: { strays } }, () => 'ran');
      const { errorText, asked } = await connectClient(era, serving(tool), {
        capabilities: { elicitation: {}, sampling: {}, roots: {} },
      });

      expect(await errorText('strays')).toBe(
        `Error executing tool strays: Resolver 'stray' ${text}`,
      );
      expect(asked).toEqual([]);
    },
  );

  test.each([['form' as const], [Login]])('C8: the declared question is asked', async (asks) => {
    const asking = resolver({}, () => elicit('Who?', Login), { asks });
    const tool = defineTool('asking', { resolve: { asking } }, ({ asking: a }) => a.username);
    const { text } = await connectClient(era, serving(tool), {
      elicit: [{ action: 'accept', content: { username: 'octocat' } }],
    });

    expect(await text('asking')).toBe('octocat');
  });
});
