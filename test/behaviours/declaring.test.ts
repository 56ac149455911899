/** A. Declaring resolvers and tools. */
import { McpServer } from '@modelcontextprotocol/server';
import {
  arg,
  argsOf,
  confirm,
  defineTool,
  elicit,
  install,
  listRoots,
  outcome,
  resolver,
  sample,
} from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';
import { accept, decline, roots, run, says } from 'mcp-resolve/testing';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { contextOf } from '../engine/play.js';
import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf } from '../support/results.js';
import { httpHandler, serving } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';

const Title = z.object({ title: z.string() });
const title = argsOf(Title).title;
const Ok = z.object({ ok: z.boolean() });

describe.each(eras)('on the %s era', (era) => {
  test('A1: a resolver fills its parameter without asking the client', async () => {
    const priceOf = resolver({ title }, ({ title }) => (title === 'Dune' ? 42 : 0));
    const quote = defineTool(
      'quote',
      { inputSchema: Title, resolve: { price: priceOf } },
      ({ title, price }) => `${title}: ${price}`,
    );
    const client = await connectClient(era, serving([quote]));

    expect(await client.call('quote', { title: 'Dune' })).toMatchObject({
      content: [{ type: 'text', text: 'Dune: 42' }],
    });
    expect(await client.text('quote', { title: 'Dune' })).toBe('Dune: 42');
    expect(client.requests()).toBe(2);
  });

  test("A2: a resolver reads the tool's validated arguments by name", async () => {
    const checkStock = resolver(
      { title },
      ({ title }) => ({ Dune: 7, Neuromancer: 0 })[title] ?? 0,
    );
    const reserve = defineTool(
      'reserve_book',
      { inputSchema: Title, resolve: { stock: checkStock } },
      ({ title, stock }) =>
        stock === 0
          ? `'${title}' is out of stock.`
          : `Reserved '${title}' (${stock - 1} copies left).`,
    );

    expect(await run(reserve, { title: 'Dune' }, { era })).toMatchObject({
      text: "Reserved 'Dune' (6 copies left).",
    });
    expect(await run(reserve, { title: 'Neuromancer' }, { era })).toMatchObject({
      text: "'Neuromancer' is out of stock.",
    });
  });

  test('A2: a resolver reads the transformed value of an argument', async () => {
    const Input = z.object({ title: z.string().transform((text) => text.trim().toUpperCase()) });
    const shout = resolver({ of: argsOf(Input).title }, ({ of }) => `${of}!`);
    const tool = defineTool(
      'shout',
      { inputSchema: Input, resolve: { shout } },
      ({ title, shout }) => `${title} ${shout}`,
    );

    expect(await run(tool, { title: ' dune ' }, { era })).toMatchObject({ text: 'DUNE DUNE!' });
  });

  test('A3: a resolver receives the call context and can use variables of the app', async () => {
    const app = { greeting: 'hello' };
    const describeCall = resolver(
      {},
      (_, ctx) =>
        `${app.greeting} ${ctx.protocolVersion} ${ctx.mcpReq.method} ${typeof ctx.callId}`,
    );
    const tool = defineTool('describe', { resolve: { text: describeCall } }, ({ text }) => text);

    expect(await run(tool, {}, { era })).toMatchObject({
      text: `hello ${VERSION[era]} tools/call string`,
    });
  });

  test('A4: a resolver can depend on another resolver', async () => {
    const basePrice = resolver({ title }, () => 10);
    const withTax = resolver({ base: basePrice }, ({ base }) => base * 2);
    const cost = defineTool(
      'cost',
      { inputSchema: Title, resolve: { price: withTax } },
      ({ title, price }) => `${title} costs ${price}`,
    );

    expect(await run(cost, { title: 'Dune' }, { era })).toMatchObject({ text: 'Dune costs 20' });
  });

  test('A5: synchronous and asynchronous resolvers can depend on each other', async () => {
    const now = resolver({}, () => 'now');
    const later = resolver({ now }, async ({ now }) => `${now} and later`);
    const after = resolver({ later }, ({ later }) => `${later} and after`);
    const tool = defineTool('when', { resolve: { after } }, ({ after }) => after);

    expect(await run(tool, {}, { era })).toMatchObject({ text: 'now and later and after' });
  });

  test('A6: a computed value of any type reaches the body unchanged', async () => {
    class Account {
      constructor(readonly owner: string) {}
      who(): string {
        return this.owner;
      }
    }
    const account = new Account('ada');
    const inspect = (): string => 'called';
    const tool = defineTool(
      'inspect',
      {
        resolve: {
          token: resolver({}, () => 'secret-token'),
          cents: resolver({}, () => 1500),
          date: resolver({}, () => new Date(0)),
          map: resolver({}, () => new Map([['k', 'v']])),
          account: resolver({}, () => account),
          fn: resolver({}, () => inspect),
          nothing: resolver({}, () => undefined),
          nil: resolver({}, () => null),
          big: resolver({}, () => 10n),
        },
      },
      (v) =>
        [
          v.token,
          v.cents,
          v.date.toISOString(),
          v.map.get('k'),
          v.account === account && v.account.who(),
          v.fn === inspect && v.fn(),
          Object.hasOwn(v, 'nothing') && String(v.nothing),
          v.nil,
          typeof v.big,
        ].join(' '),
    );

    expect(await run(tool, {}, { era })).toMatchObject({
      text: 'secret-token 1500 1970-01-01T00:00:00.000Z v ada called undefined  bigint',
    });
  });

  test('A7: a resolver can ask the user, the model or for roots, and the answer is its value', async () => {
    const name = resolver({}, () => elicit('Name?', z.object({ name: z.string() })), {
      asks: 'form',
    });
    const capital = resolver(
      {},
      () =>
        sample({
          messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
          maxTokens: 10,
        }),
      { asks: 'sample' },
    );
    const folders = resolver({}, () => listRoots(), { asks: 'roots' });
    const tool = defineTool(
      'ask',
      { resolve: { name, capital, folders } },
      ({ name, capital, folders }) =>
        `${name.name} ${capital.content.type === 'text' ? capital.content.text : ''} ${folders.roots.length}`,
    );
    const { text, questions } = await run(
      tool,
      {},
      {
        era,
        answers: {
          name: accept({ name: 'octocat' }),
          capital: says('Paris'),
          folders: roots(['file:///docs']),
        },
      },
    );

    expect(text).toBe('octocat Paris 1');
    expect(questions.map(({ kind, message }) => [kind, message])).toEqual([
      ['form', 'Name?'],
      ['sample', 'Capital of France?'],
      ['roots', ''],
    ]);
  });

  test('A8: a resolver asks only when it cannot compute', async () => {
    const files: Record<string, string[]> = { '/empty': [], '/docs': ['a.md', 'b.md'] };
    const Folder = z.object({ path: z.string() });
    const approval = resolver(
      { path: argsOf(Folder).path },
      ({ path }) => {
        const count = files[path]!.length;
        return count === 0 ? { ok: true } : elicit(`${path} has ${count} file(s). Delete it?`, Ok);
      },
      { asks: 'form' },
    );
    const remove = defineTool(
      'delete_folder',
      { inputSchema: Folder, resolve: { approval } },
      ({ path, approval }) => (approval.ok ? `deleted ${path}` : 'kept the folder'),
    );
    const answers = { approval: accept({ ok: true }) };

    expect(await run(remove, { path: '/empty' }, { era })).toMatchObject({
      text: 'deleted /empty',
      questions: [],
    });
    expect(await run(remove, { path: '/docs' }, { era, answers })).toMatchObject({
      text: 'deleted /docs',
      questions: [{ message: '/docs has 2 file(s). Delete it?' }],
    });
  });

  test('A9: each consumer of a resolver chooses between the value and the outcome', async () => {
    const approval = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
    const bare = resolver({ approval }, ({ approval }) => `bare ${approval.ok}`);
    const audited = resolver({ how: outcome(approval) }, ({ how }) => `outcome ${how.action}`);
    const tool = defineTool(
      'go',
      { resolve: { bare, audited, approval, how: outcome(approval) } },
      ({ bare, audited, approval, how }) =>
        `${bare}, ${audited}, ${approval.ok}, ${how.action === 'accept' ? how.data.ok : how.action}`,
    );
    const onlyOutcome = defineTool('audit', { resolve: { audited } }, ({ audited }) => audited);
    const questions = [{ message: 'Go?' }];

    expect(await run(tool, {}, { era, answers: { approval: accept({ ok: true }) } })).toMatchObject(
      { text: 'bare true, outcome accept, true, true', questions },
    );
    expect(await run(tool, {}, { era, answers: { approval: decline() } })).toMatchObject({
      isError: true,
      text: "Error executing tool go: Resolver for parameter 'approval' could not resolve: elicitation was decline",
      questions,
    });
    expect(await run(onlyOutcome, {}, { era, answers: { how: decline() } })).toMatchObject({
      text: 'outcome decline',
      questions,
    });
  });

  test('A10: a sampling request has exactly the parameters that the author passes', async () => {
    const message = { role: 'user', content: { type: 'text', text: 'Hi' } } as const;
    const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } } as const;
    const all = {
      messages: [message],
      maxTokens: 7,
      systemPrompt: 'Be brief',
      includeContext: 'none',
      temperature: 0.5,
      stopSequences: ['.'],
      metadata: { trace: 'abc' },
      modelPreferences: { hints: [{ name: 'small' }], costPriority: 1 },
      tools: [{ name: 'add', inputSchema: { type: 'object', properties: {} } }],
      toolChoice: { mode: 'auto' },
    } as const;
    const least = resolver({}, () => sample({ messages: [message], maxTokens: 5 }), {
      asks: 'sample',
    });
    const most = resolver({}, () => sample(all as never), { asks: 'sample' });
    const tool = defineTool('two', { resolve: { least, most } }, () => 'done');
    const client = await connectClient(era, serving([tool]), {
      sample: () => answer,
      capabilities: { sampling: { tools: {}, context: {} } },
    });

    expect(await client.text('two')).toBe('done');
    expect(client.questions).toEqual([
      { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 5 } },
      { method: 'sampling/createMessage', params: all },
    ]);
  });

  test('A11: one resolver serves many tools, and their calls share nothing', async () => {
    const runs: string[] = [];
    const stock = resolver({ title }, ({ title }) => {
      runs.push(title);
      return runs.length;
    });
    const one = defineTool(
      'one',
      { inputSchema: Title, resolve: { stock } },
      ({ stock }) => `one ${stock}`,
    );
    const two = defineTool(
      'two',
      { inputSchema: Title, resolve: { copies: stock } },
      ({ copies }) => `two ${copies}`,
    );
    const { text } = await connectClient(era, serving([one, two]));

    expect(await text('one', { title: 'a' })).toBe('one 1');
    expect(await text('two', { title: 'b' })).toBe('two 2');
    expect(await text('one', { title: 'c' })).toBe('one 3');
    expect(runs).toEqual(['a', 'b', 'c']);
  });

  test.for([
    ['arg.optional(args.note)', arg.optional(argsOf(z.object({ note: z.string() })).note)],
    ["arg.optional('note')", arg.optional<string>('note')],
    ['arg.optional()', arg.optional<string>()],
  ] as const)('A16: %s takes an argument that a tool may lack', async ([, need]) => {
    const seen: unknown[] = [];
    const length = resolver({ note: need }, ({ note }) => {
      seen.push(note);
      return note?.length ?? -1;
    });
    const resolve = { length };
    const has = z.object({ note: z.string() });
    const show = ({ length }: { length: number }): string => String(length);
    const { text, call } = await connectClient(
      era,
      serving([
        defineTool('has', { inputSchema: has, resolve }, show),
        defineTool('may_have', { inputSchema: has.partial(), resolve }, show),
        defineTool('lacks', { resolve }, show),
        defineTool('takes_anything', { inputSchema: z.looseObject({}), resolve }, show),
      ]),
    );

    expect(await text('has', { note: 'abc' })).toBe('3');
    expect(await text('may_have', { note: 'ab' })).toBe('2');
    expect(await text('may_have', {})).toBe('-1');
    expect(await text('lacks', { note: 'sent' })).toBe('-1');
    expect(await text('takes_anything', { note: { length: 99 } })).toBe('-1');
    expect(seen).toEqual(['abc', 'ab', undefined, undefined, undefined]);
    expect(await call('has', { note: 7 })).toMatchObject({ isError: true });
    expect(seen).toHaveLength(5);
  });

  test('A14: a resolver that is used twice runs once, and two from one factory run both', async () => {
    const userNamed = (name: string) => resolver({}, () => name);
    const alice = userNamed('alice');
    const bob = userNamed('bob');
    const token = resolver({}, () => 'tok');
    const upper = resolver({ token }, ({ token }) => token.toUpperCase());
    const tool = defineTool(
      'who',
      { resolve: { alice, bob, token, upper } },
      ({ alice, bob, token, upper }) => `${alice},${bob} ${token}:${upper}`,
    );
    const { text, ran } = await run(tool, {}, { era });

    expect(text).toBe('alice,bob tok:TOK');
    expect(ran).toEqual({ alice: 1, bob: 1, token: 1, upper: 1 });
  });
});

test('A3: a resolver reads the headers and the validated identity of an HTTP request', async () => {
  const tenant = resolver({}, (_, ctx) => ctx.http?.req?.headers.get('x-tenant') ?? 'none');
  const user = resolver({}, (_, ctx) => String(ctx.http?.authInfo?.extra?.sub));
  const tool = defineTool('whoami', { resolve: { tenant, user } }, (v) => `${v.user}@${v.tenant}`);
  const handler = httpHandler(serving([tool]));
  const authenticated = {
    ...handler,
    fetch: (request: Request) =>
      handler.fetch(request, {
        authInfo: { token: 't', clientId: 'c', scopes: [], extra: { sub: 'ada' } },
      }),
  };

  const { body } = await post(
    authenticated,
    'tools/call',
    { name: 'whoami', arguments: {} },
    { headers: { 'x-tenant': 'acme' } },
  );
  expect(body.result?.content).toEqual([{ type: 'text', text: 'ada@acme' }]);
});

test.each([
  ['2026-07-28', 'input_required'],
  ['2027-01-01', 'input_required'],
  ['2025-11-25', 'push'],
  ['2024-11-05', 'push'],
  ['2026-07-27', 'push'],
  ['DRAFT-2026-v1', 'push'],
  ['9999', 'push'],
  [undefined, 'push'],
])(
  'A12: a client of protocol version %s receives its question by %s',
  async (protocolVersion, expected) => {
    const plan = planResolvers(
      { name: 'go', resolve: { ok: resolver({}, () => confirm('Go?'), { asks: 'form' }) } },
      [],
    );
    const factory = () => {
      const server = new McpServer({ name: 'framework', version: '1.0.0' });
      server.registerTool('go', {}, async (ctx) => {
        const clientCapabilities = { elicitation: {} };
        const resolution = await resolveArguments(
          plan,
          {},
          { ctx, protocolVersion, clientCapabilities },
        );
        const text = resolution.done ? 'push' : resolution.result.resultType;
        return { content: [{ type: 'text', text }] };
      });
      return server;
    };
    const client = await connectClient('legacy', factory, { elicit: [accept({ confirm: true })] });

    expect(await client.text('go')).toBe(expected);
    expect(client.asked).toEqual(expected === 'push' ? ['Go?'] : []);
  },
);

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'A12: a client that negotiated %s receives the question during its call',
  async (protocolVersion) => {
    const go = defineTool(
      'go',
      { resolve: { ok: resolver({}, () => confirm('Go?'), { asks: 'form' }) } },
      () => 'went',
    );
    const client = await rawLegacy(serving([go]), {
      protocolVersion,
      capabilities: { elicitation: {} },
      answer: () => ({ result: { action: 'accept', content: { confirm: true } } }),
    });

    const { result } = await client.request('tools/call', { name: 'go' });
    expect(result).toEqual({ content: [{ type: 'text', text: 'went' }] });
    expect(client.received.map(({ method }) => method)).toEqual(['elicitation/create']);
  },
);

test('A13: one server returns the same answer to clients of both eras at the same time', async () => {
  const approval = resolver({ title }, ({ title }) => elicit(`Order ${title}?`, Ok), {
    asks: 'form',
  });
  const order = defineTool(
    'order',
    { inputSchema: Title, resolve: { approval } },
    ({ title, approval }) => `${title} ${approval.ok ? 'ordered' : 'not ordered'}`,
  );
  const factory = serving([order]);
  const user = { elicit: () => accept({ ok: true }) };
  const clients = await Promise.all(eras.map((era) => connectClient(era, factory, user)));

  const texts = await Promise.all(clients.map(({ text }) => text('order', { title: 'Dune' })));
  expect(texts).toEqual(['Dune ordered', 'Dune ordered']);
  expect(clients.map(({ asked }) => asked)).toEqual([['Order Dune?'], ['Order Dune?']]);
});

describe('wire keys', () => {
  const ask = (text: string, name?: string) =>
    resolver({}, () => elicit(text, Ok), { asks: 'form', ...(name !== undefined && { name }) });

  /** Defines the same tool again, with new resolver objects. */
  const defineAskAll = () => {
    const inner = ask('inner');
    const outer = resolver({ inner, again: ask('again') }, () => elicit('outer', Ok), {
      asks: 'form',
    });
    return defineTool(
      'ask_all',
      {
        resolve: {
          first: ask('first'),
          outer,
          inner: ask('second inner'),
          named: ask('n', 'inner'),
        },
      },
      () => 'done',
    );
  };

  test('A15: depend only on the definition, so every process computes the same ones', async () => {
    const rounds = await Promise.all(
      [defineAskAll(), defineAskAll()].map(async (tool) => {
        const client = await connectClient('modern', serving([tool]), { elicit: [] });
        return questionsOf(await client.sendRound('ask_all'));
      }),
    );

    expect(rounds[0]!.keys).toEqual(['first', 'inner', 'again', 'inner#1', 'inner#2']);
    expect(rounds[1]!.requests).toEqual(rounds[0]!.requests);
  });

  test('A15: differ for two resolvers of one factory, so their answers do not mix', async () => {
    const askFor = (what: string) =>
      resolver({}, () => elicit(`${what}?`, z.object({ value: z.string() })), {
        asks: 'form',
        name: 'field',
      });
    const tool = defineTool(
      'form',
      { resolve: { a: askFor('First name'), b: askFor('Last name') } },
      ({ a, b }) => `${a.value} ${b.value}`,
    );
    const { sendRound } = await connectClient('modern', serving([tool]), { elicit: [] });
    const { requests, requestState } = questionsOf(await sendRound('form'));

    expect(Object.entries(requests).map(([key, { params }]) => [key, params?.message])).toEqual([
      ['field', 'First name?'],
      ['field#1', 'Last name?'],
    ]);
    const inputResponses = {
      'field#1': accept({ value: 'Lovelace' }),
      field: accept({ value: 'Ada' }),
    };
    const result = await sendRound('form', {}, { requestState, inputResponses });
    expect(result.content).toEqual([{ type: 'text', text: 'Ada Lovelace' }]);
  });

  test('A15: skip a number that the author has used', async () => {
    const tool = defineTool(
      'taken',
      { resolve: { 'a#1': ask('1'), x: ask('2', 'a'), y: ask('3', 'a') } },
      () => 'done',
    );
    const client = await connectClient('modern', serving([tool]), { elicit: [] });

    expect(questionsOf(await client.sendRound('taken')).keys).toEqual(['a#1', 'a', 'a#2']);
  });

  test('A15: count resolvers that do not ask', async () => {
    const computed = resolver({}, () => 1, { name: 'key' });
    const tool = defineTool('n', { resolve: { computed, asked: ask('?', 'key') } }, () => 'done');
    const client = await connectClient('modern', serving([tool]), { elicit: [] });

    expect(questionsOf(await client.sendRound('n')).keys).toEqual(['key#1']);
  });
});

test('A11: a tool only has to be installed, also on a server with other tools', async () => {
  const price = resolver({}, () => 42);
  const ours = defineTool('ours', { resolve: { price } }, ({ price }) => `ours ${price}`);
  const factory = () => {
    const server = new McpServer({ name: 'mixed', version: '1.0.0' });
    server.registerTool('before', {}, () => ({ content: [{ type: 'text', text: 'before' }] }));
    install(server, [ours]);
    server.registerTool('after', {}, () => ({ content: [{ type: 'text', text: 'after' }] }));
    return server;
  };
  for (const era of eras) {
    const { client, text } = await connectClient(era, factory);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'before',
      'ours',
      'after',
    ]);
    expect(await text('before')).toBe('before');
    expect(await text('ours')).toBe('ours 42');
    expect(await text('after')).toBe('after');
  }
});

test('an approval that its resolver does not declare is an error that says how to declare it', async () => {
  const approved = resolver({}, (): unknown =>
    approval('Pay?', { by: 'treasury', requester: 'ann' }),
  );
  const plan = planResolvers({ name: 'pay', resolve: { approved } }, []);
  const resolution = resolveArguments(
    plan,
    {},
    {
      ctx: contextOf({}),
      protocolVersion: VERSION.modern,
      clientCapabilities: {},
    },
  );
  await expect(resolution).rejects.toThrow(
    "Resolver 'approved' asks for an approval, but does not declare it. Add { asks: 'approval' } to its options.",
  );
});
