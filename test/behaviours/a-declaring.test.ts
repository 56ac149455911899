/** A. Declaring resolvers and tools. */
import { McpServer } from '@modelcontextprotocol/server';
import {
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
import { accept, decline } from 'mcp-resolve/testing';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf } from '../support/results.js';
import { httpHandler, serving } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';

const Title = z.object({ title: z.string() });
const title = argsOf(Title).title;
const Ok = z.object({ ok: z.boolean() });

describe.each(eras)('%s', (era) => {
  test('A1: a resolver fills its parameter without any client interaction', async () => {
    const priceOf = resolver({ title }, ({ title }) => (title === 'Dune' ? 42 : 0));
    const quote = defineTool(
      'quote',
      { inputSchema: Title, resolve: { price: priceOf } },
      ({ title, price }) => `${title}: ${price}`,
    );
    const chat = await connectClient(era, serving([quote]));

    expect(await chat.call('quote', { title: 'Dune' })).toMatchObject({
      content: [{ type: 'text', text: 'Dune: 42' }],
    });
    expect(await chat.text('quote', { title: 'Dune' })).toBe('Dune: 42');
    expect(chat.requests()).toBe(2);
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
    const chat = await connectClient(era, serving([reserve]));

    expect(await chat.text('reserve_book', { title: 'Dune' })).toBe(
      "Reserved 'Dune' (6 copies left).",
    );
    expect(await chat.text('reserve_book', { title: 'Neuromancer' })).toBe(
      "'Neuromancer' is out of stock.",
    );
  });

  test('A2: a resolver sees what validation made of an argument', async () => {
    const Input = z.object({ title: z.string().transform((text) => text.trim().toUpperCase()) });
    const shout = resolver({ of: argsOf(Input).title }, ({ of }) => `${of}!`);
    const tool = defineTool(
      'shout',
      { inputSchema: Input, resolve: { shout } },
      ({ title, shout }) => `${title} ${shout}`,
    );
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('shout', { title: ' dune ' })).toBe('DUNE DUNE!');
  });

  test('A3: a resolver receives the request context and closes over app state', async () => {
    const app = { greeting: 'hello' };
    const describeCall = resolver(
      {},
      (_, ctx) =>
        `${app.greeting} ${ctx.protocolVersion} ${ctx.mcpReq.method} ${typeof ctx.callId}`,
    );
    const tool = defineTool('describe', { resolve: { text: describeCall } }, ({ text }) => text);
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('describe')).toBe(`hello ${VERSION[era]} tools/call string`);
  });

  test('A4: a resolver may depend on another resolver', async () => {
    const basePrice = resolver({ title }, () => 10);
    const withTax = resolver({ base: basePrice }, ({ base }) => base * 2);
    const cost = defineTool(
      'cost',
      { inputSchema: Title, resolve: { price: withTax } },
      ({ title, price }) => `${title} costs ${price}`,
    );
    const chat = await connectClient(era, serving([cost]));

    expect(await chat.text('cost', { title: 'Dune' })).toBe('Dune costs 20');
  });

  test('A5: synchronous and asynchronous resolvers mix', async () => {
    const now = resolver({}, () => 'now');
    const later = resolver({ now }, async ({ now }) => `${now} and later`);
    const after = resolver({ later }, ({ later }) => `${later} and after`);
    const tool = defineTool('when', { resolve: { after } }, ({ after }) => after);
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('when')).toBe('now and later and after');
  });

  test('A6: a computed value may be anything, and reaches the body as it is', async () => {
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
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('inspect')).toBe(
      'secret-token 1500 1970-01-01T00:00:00.000Z v ada called undefined  bigint',
    );
  });

  test('A7: a resolver may ask the person, the model or for roots, and the answer is its value', async () => {
    const name = resolver({}, () => elicit('Name?', z.object({ name: z.string() })));
    const capital = resolver({}, () =>
      sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
        maxTokens: 10,
      }),
    );
    const roots = resolver({}, () => listRoots());
    const tool = defineTool(
      'ask',
      { resolve: { name, capital, roots } },
      ({ name, capital, roots }) =>
        `${name.name} ${capital.content.type === 'text' ? capital.content.text : ''} ${roots.roots.length}`,
    );
    const chat = await connectClient(era, serving([tool]), {
      elicit: [accept({ name: 'octocat' })],
      sample: [{ role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } }],
      roots: [{ roots: [{ uri: 'file:///docs' }] }],
    });

    expect(await chat.text('ask')).toBe('octocat Paris 1');
    expect(chat.asked).toEqual(['Name?', 'Capital of France?', 'roots/list']);
  });

  test('A8: a resolver asks only when it cannot compute', async () => {
    const files: Record<string, string[]> = { '/empty': [], '/docs': ['a.md', 'b.md'] };
    const Folder = z.object({ path: z.string() });
    const approval = resolver({ path: argsOf(Folder).path }, ({ path }) => {
      const count = files[path]!.length;
      return count === 0 ? { ok: true } : elicit(`${path} has ${count} file(s). Delete it?`, Ok);
    });
    const remove = defineTool(
      'delete_folder',
      { inputSchema: Folder, resolve: { approval } },
      ({ path, approval }) => (approval.ok ? `deleted ${path}` : 'kept the folder'),
    );
    const chat = await connectClient(era, serving([remove]), { elicit: [accept({ ok: true })] });

    expect(await chat.text('delete_folder', { path: '/empty' })).toBe('deleted /empty');
    expect(chat.asked).toEqual([]);
    expect(await chat.text('delete_folder', { path: '/docs' })).toBe('deleted /docs');
    expect(chat.asked).toEqual(['/docs has 2 file(s). Delete it?']);
  });

  test('A9: each consumer of one resolver chooses between the bare value and the outcome', async () => {
    const approval = resolver({}, () => elicit('Go?', Ok));
    const bare = resolver({ approval }, ({ approval }) => `bare ${approval.ok}`);
    const audited = resolver({ how: outcome(approval) }, ({ how }) => `outcome ${how.action}`);
    const tool = defineTool(
      'go',
      { resolve: { bare, audited, approval, how: outcome(approval) } },
      ({ bare, audited, approval, how }) =>
        `${bare}, ${audited}, ${approval.ok}, ${how.action === 'accept' ? how.data.ok : how.action}`,
    );
    const onlyOutcome = defineTool('audit', { resolve: { audited } }, ({ audited }) => audited);
    const chat = await connectClient(era, serving([tool, onlyOutcome]), {
      elicit: [accept({ ok: true }), decline(), decline()],
    });

    expect(await chat.text('go')).toBe('bare true, outcome accept, true, true');
    expect(await chat.errorText('go')).toBe(
      "Error executing tool go: Resolver for parameter 'approval' could not resolve: elicitation was decline",
    );
    expect(await chat.text('audit')).toBe('outcome decline');
    expect(chat.asked).toEqual(['Go?', 'Go?', 'Go?']);
  });

  test('A10: a sampling request carries exactly the parameters that were given', async () => {
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
    const least = resolver({}, () => sample({ messages: [message], maxTokens: 5 }));
    const most = resolver({}, () => sample(all as never));
    const tool = defineTool('two', { resolve: { least, most } }, () => 'done');
    const chat = await connectClient(era, serving([tool]), {
      sample: () => answer,
      capabilities: { sampling: { tools: {}, context: {} } },
    });

    expect(await chat.text('two')).toBe('done');
    expect(chat.questions).toEqual([
      { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 5 } },
      { method: 'sampling/createMessage', params: all },
    ]);
  });

  test('A11: one resolver serves many tools, each with its own plan and memo', async () => {
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
    const chat = await connectClient(era, serving([one, two]));

    expect(await chat.text('one', { title: 'a' })).toBe('one 1');
    expect(await chat.text('two', { title: 'b' })).toBe('two 2');
    expect(await chat.text('one', { title: 'c' })).toBe('one 3');
    expect(runs).toEqual(['a', 'b', 'c']);
  });

  test('A14: a resolver is the object: used twice it runs once, two of one factory are two', async () => {
    const runs: string[] = [];
    const whoIs = (name: string) =>
      resolver({}, () => {
        runs.push(name);
        return name;
      });
    const alice = whoIs('alice');
    const bob = whoIs('bob');
    const token = resolver({}, () => {
      runs.push('token');
      return 'tok';
    });
    const upper = resolver({ token }, ({ token }) => token.toUpperCase());
    const tool = defineTool(
      'who',
      { resolve: { alice, bob, token, upper } },
      ({ alice, bob, token, upper }) => `${alice},${bob} ${token}:${upper}`,
    );
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('who')).toBe('alice,bob tok:TOK');
    expect(runs.sort()).toEqual(['alice', 'bob', 'token']);
  });
});

test('A3: a resolver sees the headers and the validated identity of an HTTP request', async () => {
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
  ['2025-11-25', 'pushed'],
  ['2024-11-05', 'pushed'],
  ['2026-07-27', 'pushed'],
  ['DRAFT-2026-v1', 'pushed'],
  ['9999', 'pushed'],
  [undefined, 'pushed'],
])('A12: with protocol version %s a question is %s', async (protocolVersion, expected) => {
  const plan = planResolvers(
    { name: 'go', resolve: { ok: resolver({}, () => confirm('Go?')) } },
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
      const text = resolution.done ? 'pushed' : resolution.result.resultType;
      return { content: [{ type: 'text', text }] };
    });
    return server;
  };
  const chat = await connectClient('legacy', factory, { elicit: [accept({ confirm: true })] });

  expect(await chat.text('go')).toBe(expected);
  expect(chat.asked).toEqual(expected === 'pushed' ? ['Go?'] : []);
});

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'A12: a client that negotiated %s is asked in the middle of its call',
  async (protocolVersion) => {
    const go = defineTool(
      'go',
      { resolve: { ok: resolver({}, () => confirm('Go?')) } },
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

test('A13: the same tool serves a client of each era at the same time with the same answer', async () => {
  const approval = resolver({ title }, ({ title }) => elicit(`Order ${title}?`, Ok));
  const order = defineTool(
    'order',
    { inputSchema: Title, resolve: { approval } },
    ({ title, approval }) => `${title} ${approval.ok ? 'ordered' : 'not ordered'}`,
  );
  const factory = serving([order]);
  const person = { elicit: () => accept({ ok: true }) };
  const chats = await Promise.all(eras.map((era) => connectClient(era, factory, person)));

  const texts = await Promise.all(chats.map((chat) => chat.text('order', { title: 'Dune' })));
  expect(texts).toEqual(['Dune ordered', 'Dune ordered']);
  expect(chats.map(({ asked }) => asked)).toEqual([['Order Dune?'], ['Order Dune?']]);
});

describe('wire keys', () => {
  const ask = (text: string, name?: string) =>
    resolver({}, () => elicit(text, Ok), name === undefined ? {} : { name });

  /** Everything about the graph, made anew: other objects, the same registration data. */
  const build = () => {
    const inner = ask('inner');
    const outer = resolver({ inner, again: ask('again') }, () => elicit('outer', Ok));
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

  test('A15: wire keys come from the definition alone, so any worker gives the same', async () => {
    const requests = await Promise.all(
      [build(), build()].map(async (tool) => {
        const chat = await connectClient('modern', serving([tool]), { elicit: [] });
        return questionsOf(await chat.sendRound('ask_all'));
      }),
    );

    expect(requests[0]!.keys).toEqual(['first', 'inner', 'again', 'inner#1', 'inner#2']);
    expect(requests[1]!.requests).toEqual(requests[0]!.requests);
  });

  test('A15: two resolvers of one factory get two keys, and their answers do not mix', async () => {
    const askFor = (what: string) =>
      resolver({}, () => elicit(`${what}?`, z.object({ value: z.string() })), { name: 'field' });
    const tool = defineTool(
      'form',
      { resolve: { a: askFor('First name'), b: askFor('Last name') } },
      ({ a, b }) => `${a.value} ${b.value}`,
    );
    const chat = await connectClient('modern', serving([tool]), { elicit: [] });
    const { requests, requestState } = questionsOf(await chat.sendRound('form'));

    expect(Object.entries(requests).map(([key, { params }]) => [key, params?.message])).toEqual([
      ['field', 'First name?'],
      ['field#1', 'Last name?'],
    ]);
    const result = await chat.sendRound(
      'form',
      {},
      {
        requestState,
        inputResponses: {
          'field#1': accept({ value: 'Lovelace' }),
          field: accept({ value: 'Ada' }),
        },
      },
    );
    expect(result.content).toEqual([{ type: 'text', text: 'Ada Lovelace' }]);
  });

  test('A15: a number that an author has taken is left out', async () => {
    const tool = defineTool(
      'taken',
      { resolve: { 'a#1': ask('1'), x: ask('2', 'a'), y: ask('3', 'a') } },
      () => 'done',
    );
    const chat = await connectClient('modern', serving([tool]), { elicit: [] });

    expect(questionsOf(await chat.sendRound('taken')).keys).toEqual(['a#1', 'a', 'a#2']);
  });

  test('A15: a resolver that does not ask still counts in the numbering', async () => {
    const computed = resolver({}, () => 1, { name: 'key' });
    const tool = defineTool('n', { resolve: { computed, asked: ask('?', 'key') } }, () => 'done');
    const chat = await connectClient('modern', serving([tool]), { elicit: [] });

    expect(questionsOf(await chat.sendRound('n')).keys).toEqual(['key#1']);
  });
});

test('A11: nothing but installing the tool is needed, on a server that has other tools', async () => {
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
    const chat = await connectClient(era, factory);
    expect((await chat.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'before',
      'ours',
      'after',
    ]);
    expect(await chat.text('before')).toBe('before');
    expect(await chat.text('ours')).toBe('ours 42');
    expect(await chat.text('after')).toBe('after');
  }
});
