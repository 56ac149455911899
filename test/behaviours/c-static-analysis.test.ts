/** C. Static analysis: a graph or a definition that cannot work throws when it is defined. */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import {
  argsOf,
  arg,
  confirm,
  defineTool,
  elicit,
  install,
  InvalidGraphError,
  listRoots,
  outcome,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { AnyResolver, Needs, Tool } from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { object as valibotObject, string as valibotString } from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';

/** The functions as an author sees them who writes JavaScript: without types. */
const js = {
  tool: defineTool as unknown as (...args: unknown[]) => Tool,
  resolver: resolver as unknown as (...args: unknown[]) => AnyResolver,
  outcome: outcome as unknown as (...args: unknown[]) => AnyResolver,
  arg: arg as unknown as (...args: unknown[]) => AnyResolver,
  argsOf: argsOf as unknown as (...args: unknown[]) => object,
  install: install as unknown as (...args: unknown[]) => void,
};

const body = (): string => 'ran';
const one = resolver({}, () => 1);
const Ok = z.object({ ok: z.boolean() });

interface Mistake {
  readonly code: string;
  readonly path: readonly string[];
  readonly message: string;
}

/** What a mistake throws. */
function mistake(define: () => unknown): Mistake {
  try {
    define();
  } catch (error) {
    if (!(error instanceof InvalidGraphError)) throw error;
    return { code: error.code, path: error.path, message: error.message };
  }
  throw new Error('expected an InvalidGraphError');
}

/** What a mistake in the fields of `refund_order` throws. */
const mistakeIn = (config: unknown): Mistake =>
  mistake(() => js.tool('refund_order', config, body));

describe('C1: a bad graph stops the server before a client connects', () => {
  test('C1: the error is thrown by the definition and names tool, parameter and path', () => {
    const scope = resolver({ order_id: arg<string>() }, ({ order_id }) => order_id);
    const cents = resolver({ scope }, () => 1);

    expect(mistakeIn({ inputSchema: z.object({ id: z.string() }), resolve: { cents } })).toEqual({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'cents', 'scope', 'order_id'],
      message:
        "Resolver 'scope' parameter 'order_id' cannot be resolved: 'refund_order' has no argument 'order_id' (it has 'id'). " +
        "Add 'order_id' to inputSchema, or name the argument that is meant: arg('name'). " +
        '(at refund_order -> cents -> scope -> order_id)',
    });
  });

  test('C1: the error has its own class and name, and is not a tool error', () => {
    const error = (() => {
      try {
        js.tool('refund_order', { resolve: { cents: undefined } }, body);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();

    expect(error).toBeInstanceOf(InvalidGraphError);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ name: 'InvalidGraphError', code: 'ERR_GRAPH_NEED' });
  });

  test('C1: nothing of the graph has run', () => {
    let runs = 0;
    const counted = resolver({}, () => ++runs);
    expect(() => js.tool('t', { resolve: { counted, bad: null } }, body)).toThrow(
      InvalidGraphError,
    );
    expect(runs).toBe(0);
  });
});

describe('cycles', () => {
  const REMEDY = 'let one of the resolvers on the path compute its value without the other.';

  test('C2: two resolvers that need each other, joined by changing needs afterwards', () => {
    const needs: Record<string, AnyResolver> = {};
    const scope = resolver(needs as Needs, () => 1);
    needs.order = resolver({ scope }, () => 1);

    expect(mistakeIn({ resolve: { cents: scope } })).toEqual({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'cents', 'order', 'scope'],
      message: `Resolver 'cents' has a cyclic dependency: ${REMEDY} (at refund_order -> cents -> order -> scope)`,
    });
  });

  test('C2: two resolvers that need each other, joined by a getter', () => {
    const a: AnyResolver = js.resolver(
      {
        get b() {
          return b;
        },
      },
      body,
    );
    const b: AnyResolver = resolver({ a }, body);

    expect(mistakeIn({ resolve: { cents: resolver({ a }, body) } })).toEqual({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'cents', 'a', 'b', 'a'],
      message: `Resolver 'a' has a cyclic dependency: ${REMEDY} (at refund_order -> cents -> a -> b -> a)`,
    });
  });

  test('C2: a resolver that needs itself', () => {
    const needs: Record<string, AnyResolver> = {};
    const self = resolver(needs as Needs, () => 1, { name: 'ouroboros' });
    needs.me = self;

    expect(mistakeIn({ resolve: { cents: self } })).toEqual({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'cents', 'me'],
      message: `Resolver 'ouroboros' has a cyclic dependency: ${REMEDY} (at refund_order -> cents -> me)`,
    });
  });

  test('C2: a cycle through an outcome, and one among the guards', () => {
    const needs: Record<string, unknown> = {};
    const a = resolver(needs as Needs, () => 1);
    needs.how = outcome(resolver({ a }, () => 1));

    expect(mistakeIn({ resolve: { cents: a } }).path).toEqual([
      'refund_order',
      'cents',
      'how',
      'a',
    ]);
    expect(mistakeIn({ guards: [a] })).toMatchObject({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'guard', 'how', 'a'],
    });
  });

  test('C3: a cycle is found by identity, not by name', () => {
    const inner = resolver({}, () => 1, { name: 'same' });
    const outer = resolver({ inner }, () => 2, { name: 'same' });

    expect(() => defineTool('fine', { resolve: { outer } }, body)).not.toThrow();
  });

  test('C3: a cycle through the members of one object is found', () => {
    const service = {
      get a(): AnyResolver {
        return (this._a ??= js.resolver(this.needsOf('b'), body));
      },
      get b(): AnyResolver {
        return (this._b ??= js.resolver(this.needsOf('a'), body));
      },
      needsOf(name: 'a' | 'b') {
        return Object.defineProperty({}, name, { enumerable: true, get: () => this[name] });
      },
      _a: undefined as AnyResolver | undefined,
      _b: undefined as AnyResolver | undefined,
    };

    expect(mistakeIn({ resolve: { cents: service.a } }).code).toBe('ERR_GRAPH_CYCLE');
  });

  test('C4: a diamond is not a cycle', () => {
    const order = resolver({}, () => 1);
    const scope = resolver({ order }, ({ order }) => order);
    const cents = resolver({ order, scope }, ({ order, scope }) => order + scope);
    const restock = resolver({ order, scope }, () => true);

    expect(() =>
      defineTool('refund_order', { resolve: { cents, restock: outcome(restock), order } }, body),
    ).not.toThrow();
  });

  test('C4: a very deep graph is analysed without exhausting the stack', async () => {
    let last: AnyResolver = resolver({}, () => 0);
    for (let depth = 0; depth < 20_000; depth += 1) {
      last = js.resolver({ previous: last }, ({ previous }: { previous: number }) => previous + 1);
    }
    const tool = js.tool('deep', { resolve: { last } }, ({ last }: { last: number }) => `${last}`);

    expect(await (await connectClient('legacy', serving([tool]))).text('deep')).toBe('20000');
  });
});

describe('needs that nothing fills', () => {
  test('C5: what is neither a resolver nor an argument of the tool is named with its resolver', () => {
    const cents = resolver({ mystery: arg<string>() }, ({ mystery }) => mystery, {
      name: 'amount',
    });

    expect(mistakeIn({ resolve: { cents } })).toEqual({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'cents', 'mystery'],
      message:
        "Resolver 'amount' parameter 'mystery' cannot be resolved: 'refund_order' has no argument 'mystery' (it has none). " +
        "Add 'mystery' to inputSchema, or name the argument that is meant: arg('name'). (at refund_order -> cents -> mystery)",
    });
  });

  test('C5: a renamed argument is named as the tool would have it', () => {
    const id = js.arg('order_id');
    const cents = js.resolver({ id }, body);

    expect(
      mistakeIn({ inputSchema: z.object({ id: z.string() }), resolve: { cents } }),
    ).toMatchObject({
      path: ['refund_order', 'cents', 'id'],
      message: expect.stringContaining(
        "'refund_order' has no argument 'order_id' (it has 'id')",
      ) as string,
    });
  });

  test('C5: in TypeScript it does not compile, and the sentence names the argument', () => {
    const cents = resolver({ order_id: arg<string>() }, ({ order_id }) => order_id);
    const config = { inputSchema: z.object({ id: z.string() }) };
    expect(() =>
      defineTool(
        'refund_order',
        {
          ...config,
          resolve: {
            // @ts-expect-error 'cents' needs the argument 'order_id', which inputSchema does not have.
            cents,
          },
        },
        body,
      ),
    ).toThrow(InvalidGraphError);
  });

  test('C6: another resolved parameter of the tool is not an argument', () => {
    const q = resolver({ p: arg<number>() }, ({ p }) => p);

    expect(
      mistakeIn({ inputSchema: z.object({ a: z.string() }), resolve: { p: one, q } }),
    ).toMatchObject({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'q', 'p'],
    });
  });

  test('C7: a default in the function does not make up for a missing argument', () => {
    const bad = js.resolver({ x: arg<number>() }, ({ x = 3 }) => x);

    expect(mistakeIn({ inputSchema: z.object({}), resolve: { bad } })).toMatchObject({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'bad', 'x'],
    });
  });

  test('C5: arguments of a union and of a transformed object are arguments', () => {
    const Either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    const Made = z.object({ a: z.string() }).transform(({ a }) => ({ b: a }));
    const needsB = js.resolver({ b: arg<string>() }, body);

    expect(() =>
      js.tool('either', { inputSchema: Either, resolve: { needsB } }, body),
    ).not.toThrow();
    expect(() => js.tool('made', { inputSchema: Made, resolve: { needsB } }, body)).not.toThrow();
  });

  const EXPECTED_TOP = 'expected a resolver or outcome(resolver)';
  const EXPECTED_NEED =
    'expected a resolver, outcome(resolver), or an argument of the tool by name, arg()';

  test.each<[string, unknown, string]>([
    [
      'undefined',
      undefined,
      'it is undefined (is its name misspelt, is it defined further down, or imported in a circle?)',
    ],
    ['null', null, 'it is null'],
    ['a function', () => 1, 'it is a function: wrap it as resolver({ … }, fn)'],
    [
      'a schema',
      z.string(),
      'it is a schema: use arg() for an argument, or elicit() inside a resolver',
    ],
    ['a question', confirm('Go?'), 'it is a question: return it from a resolver'],
    ['a tool', defineTool('t', {}, body), 'it is a tool: name the resolvers it uses instead'],
    ['a list', [one], 'it is a list'],
    ['a wrapper', { resolver: one, optional: true }, 'it is of type object'],
    ['a text', 'one', 'it is of type string'],
  ])('C10: %s where a resolver belongs throws, with the remedy', (_, given, problem) => {
    expect(mistakeIn({ resolve: { cents: given } })).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'cents'],
      message: `Tool 'refund_order' parameter 'cents' cannot be resolved: ${EXPECTED_TOP}, but ${problem}. (at refund_order -> cents)`,
    });
    const scope = js.resolver({ order: given }, body);
    expect(mistakeIn({ resolve: { cents: resolver({ scope }, body) } })).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'cents', 'scope', 'order'],
      message: `Resolver 'scope' parameter 'order' cannot be resolved: ${EXPECTED_NEED}, but ${problem}. (at refund_order -> cents -> scope -> order)`,
    });
  });

  test('C10: an argument cannot fill a parameter of the body, which has it already', () => {
    const inputSchema = z.object({ id: z.string() });
    expect(mistakeIn({ inputSchema, resolve: { cents: arg<string>() } })).toMatchObject({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'cents'],
    });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['an outcome', outcome(one)],
    ['a question', confirm('Go?')],
  ])('C10: outcome() of %s throws', (_, given) => {
    expect(mistake(() => js.outcome(given))).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: [],
      message: 'outcome() takes a resolver: outcome(askRestock).',
    });
  });
});

describe('one resolver, one question', () => {
  test('C8: two different questions in one resolver do not compile', () => {
    const two = (flag: boolean) =>
      // @ts-expect-error A resolver asks one question: split this one into a resolver per question.
      resolver({}, () => (flag ? elicit('A?', Ok) : elicit('B?', z.object({ name: z.string() }))));
    const mixed = (flag: boolean) =>
      // @ts-expect-error A resolver asks one question: split this one into a resolver per question.
      resolver({}, () => (flag ? listRoots() : elicit('A?', Ok)));
    expect([two, mixed]).toHaveLength(2);
  });

  test.each(eras)('C8: another kind than the declared one is a tool error (%s)', async (era) => {
    const ask = resolver({}, () => listRoots(), { asks: 'form', name: 'approval' });
    const go = defineTool('go', { resolve: { ask } }, body);
    const chat = await connectClient(era, serving([go]), { elicit: [], roots: [] });

    expect(await chat.errorText('go')).toBe(
      "Error executing tool go: Resolver 'approval' declares that it asks 'form', but it asked 'roots'",
    );
    expect(chat.asked).toEqual([]);
  });

  test.each(eras)('C8: another schema than the declared one is a tool error (%s)', async (era) => {
    const ask = resolver({}, () => elicit('A?', z.object({ name: z.string() })), { asks: Ok });
    const go = defineTool('go', { resolve: { ask } }, body);
    const chat = await connectClient(era, serving([go]), { elicit: [] });

    expect(await chat.errorText('go')).toBe(
      "Error executing tool go: Resolver 'ask' asked with another schema than the one it declares in 'asks'",
    );
    expect(chat.asked).toEqual([]);
  });

  test.each(eras)(
    'C9: every shape that asks at most one question registers and runs (%s)',
    async (era) => {
      const question = (): ReturnType<typeof elicit<typeof Ok>> => elicit('Form?', Ok);
      const maybe = Math.random() > 2;
      const tool = defineTool(
        'shapes',
        {
          resolve: {
            only: resolver({}, question),
            declared: resolver({}, question, { asks: Ok }),
            kind: resolver({}, question, { asks: 'form' }),
            same: resolver({}, () => (maybe ? elicit('Form?', Ok) : elicit('Form?', Ok))),
            valueOr: resolver({}, () => (maybe ? elicit('Form?', Ok) : { ok: false })),
            listOr: resolver({}, () => (maybe ? elicit('Form?', Ok) : ['a list'])),
            promised: resolver({}, async () => (maybe ? listRoots() : Promise.resolve('value'))),
            never: resolver({}, () => 1, { asks: 'sample' }),
          },
        },
        (values) => JSON.stringify(values),
      );
      const chat = await connectClient(era, serving([tool]), {
        elicit: () => accept({ ok: true }),
      });

      expect(JSON.parse(await chat.text('shapes'))).toEqual({
        only: { ok: true },
        declared: { ok: true },
        kind: { ok: true },
        same: { ok: true },
        valueOr: { ok: false },
        listOr: ['a list'],
        promised: 'value',
        never: 1,
      });
      expect(chat.asked).toEqual(['Form?', 'Form?', 'Form?', 'Form?']);
    },
  );

  test('C8: a declared schema that no form can show is refused, with the field and the path', () => {
    const Address = z.object({ address: z.object({ street: z.string() }) });
    const scope = resolver({}, () => elicit('Where?', Address), { asks: Address });

    expect(mistakeIn({ resolve: { cents: resolver({ scope }, body) } })).toMatchObject({
      code: 'ERR_GRAPH_ASKS',
      path: ['refund_order', 'cents', 'scope'],
      message: expect.stringMatching(
        /^Resolver 'scope' asks with a schema that no form can show: .*address.* \(at refund_order -> cents -> scope\)$/,
      ) as string,
    });
  });

  test('C8: a declared schema that is no object is refused', () => {
    const cents = js.resolver({}, body, { asks: z.string() });
    expect(mistakeIn({ resolve: { cents } })).toMatchObject({
      code: 'ERR_GRAPH_ASKS',
      path: ['refund_order', 'cents'],
    });
  });
});

describe('bodies do not ask', () => {
  test('C11: a body that returns a question or an input-required result does not compile', () => {
    const asks = () =>
      // @ts-expect-error A tool body cannot ask: return the question from a resolver and list that resolver under 'resolve'.
      defineTool('go', { resolve: { one } }, () => elicit('Go?', Ok));
    const requires = () =>
      // @ts-expect-error A tool body cannot ask: return the question from a resolver and list that resolver under 'resolve'.
      defineTool('go', { resolve: { one } }, async () => inputRequired({ requestState: 'x' }));
    const either = (flag: boolean) =>
      // @ts-expect-error A tool body cannot ask: return the question from a resolver and list that resolver under 'resolve'.
      defineTool('go', {}, () => (flag ? 'done' : inputRequired({ requestState: 'x' })));
    expect([asks, requires, either]).toHaveLength(3);
  });

  const SENTENCE =
    "Error executing tool go: the body of 'go' asked a question, but the multi-round flow is driven either by resolvers or by the tool body: return the question from a resolver";

  describe.each(eras)('%s', (era) => {
    test.each<[string, Record<string, unknown>]>([
      ['with resolvers', { resolve: { one } }],
      ['without resolvers', {}],
      ['with an output schema', { outputSchema: z.looseObject({}), resolve: { one } }],
    ])('C12: a body that asks anyway is a tool error (%s)', async (_, config) => {
      const request = inputRequired.elicit({ message: 'Go?', requestedSchema: Ok });
      const byResult = js.tool('go', config, () =>
        inputRequired({ inputRequests: { go: request }, requestState: 'mine' }),
      );
      const byQuestion = js.tool('go', config, () => elicit('Go?', Ok));
      for (const tool of [byResult, byQuestion]) {
        const chat = await connectClient(era, serving([tool]), { elicit: [] });
        expect(await chat.errorText('go')).toBe(SENTENCE);
        expect(chat.asked).toEqual([]);
        expect(chat.requests()).toBe(1);
      }
    });

    test.each(['before', 'after'])(
      'C13: a hand-written tool beside ours may ask by itself, registered %s install',
      async (when) => {
        const ask = resolver({}, () => confirm('Ours?'));
        const ours = defineTool('ours', { resolve: { ask } }, () => 'ours went');
        const theirs = (server: McpServer) =>
          server.registerTool('theirs', { inputSchema: z.object({}) }, (_, ctx) => deploy(ctx));
        const factory = () => {
          const server = new McpServer({ name: 'mixed', version: '1.0.0' });
          if (when === 'before') theirs(server);
          install(server, [ours]);
          if (when === 'after') theirs(server);
          return server;
        };
        const chat = await connectClient(era, factory, {
          elicit: [accept({ ok: true }), accept({ confirm: true }), decline()],
        });

        expect(await chat.text('theirs')).toBe('deployed, state: awaiting-confirm');
        expect(await chat.text('ours')).toBe('ours went');
        expect(await chat.text('theirs')).toBe('cancelled, state: awaiting-confirm');
        expect(chat.asked).toEqual(['Theirs?', 'Ours?', 'Theirs?']);
      },
    );
  });

  test('C13: on modern its question goes out under its own key, and its state comes back', async () => {
    const factory = () => {
      const server = new McpServer({ name: 'mixed', version: '1.0.0' });
      install(server, [defineTool('ours', {}, body)]);
      server.registerTool('theirs', { inputSchema: z.object({}) }, (_, ctx) => deploy(ctx));
      return server;
    };
    const chat = await connectClient('modern', factory, { elicit: [] });
    const { requests, requestState } = questionsOf(await chat.sendRound('theirs'));

    expect(requests.confirm).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Theirs?' },
    });
    const inputResponses = { confirm: accept({ ok: true }) };
    expect(textOf(await chat.sendRound('theirs', {}, { requestState, inputResponses }))).toBe(
      'deployed, state: awaiting-confirm',
    );
  });

  /** A tool as the SDK's documentation writes it. */
  function deploy(ctx: ServerContext) {
    const response = ctx.mcpReq.inputResponses?.confirm;
    if (response === undefined) {
      return inputRequired({
        inputRequests: {
          confirm: inputRequired.elicit({ message: 'Theirs?', requestedSchema: Ok }),
        },
        requestState: 'awaiting-confirm',
      });
    }
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', Ok);
    const done = answer?.ok === true ? 'deployed' : 'cancelled';
    const text = `${done}, state: ${String(ctx.mcpReq.requestState())}`;
    return { content: [{ type: 'text' as const, text }] };
  }
});

describe('names', () => {
  test('C14: a resolver without a name is called by its parameter, one with a name by that', () => {
    const anonymous = js.resolver({ mystery: arg() }, body);
    const named = js.resolver({ mystery: arg() }, body, { name: 'BadResolver' });

    expect(mistakeIn({ resolve: { cents: anonymous } }).message).toMatch(
      /^Resolver 'cents' parameter 'mystery' cannot be resolved/,
    );
    expect(mistakeIn({ resolve: { cents: named } }).message).toMatch(
      /^Resolver 'BadResolver' parameter 'mystery' cannot be resolved/,
    );
  });

  test('C10: a name that is both an argument and a resolved parameter is refused', () => {
    const inputSchema = z.object({ cents: z.number() });
    expect(mistakeIn({ inputSchema, resolve: { cents: one } })).toEqual({
      code: 'ERR_GRAPH_NAME',
      path: ['refund_order', 'cents'],
      message:
        "'cents' of tool 'refund_order' is both an argument of inputSchema and a resolved parameter: rename one of them. (at refund_order -> cents)",
    });
    expect(() =>
      defineTool(
        'refund_order',
        // @ts-expect-error 'cents' is both an argument of inputSchema and a resolved parameter: rename one of them.
        { inputSchema, resolve: { cents: one } },
        body,
      ),
    ).toThrow(InvalidGraphError);
  });

  const withProto = (value: unknown): object =>
    Object.defineProperty({}, '__proto__', { value, enumerable: true });

  test.each<[string, unknown, readonly string[]]>([
    ['a parameter of the tool', { resolve: withProto(one) }, ['refund_order', '__proto__']],
    [
      'a parameter of a resolver',
      { resolve: { cents: js.resolver(withProto(one), body) } },
      ['refund_order', 'cents', '__proto__'],
    ],
    [
      'a resolver',
      { resolve: { cents: resolver({}, body, { name: '__proto__' }) } },
      ['refund_order', 'cents'],
    ],
  ])(
    "C10: %s cannot be called '__proto__'; the error has the path and the remedy",
    (_, config, path) => {
      const { code, message, path: actual } = mistakeIn(config);
      expect(code).toBe('ERR_GRAPH_NAME');
      expect(message).toContain("'__proto__' cannot be the name of a parameter or a resolver");
      expect(message).toMatch(/rename it/);
      expect(actual).toEqual(path);
    },
  );

  test('C10: a parameter without a name is refused', () => {
    expect(mistakeIn({ resolve: { '': one } }).code).toBe('ERR_GRAPH_NAME');
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'then', 'valueOf'])(
    "C10: '%s' is a name like any other",
    async (name) => {
      const ask = resolver({}, () => elicit(`${name}?`, Ok));
      const tool = js.tool('odd', { resolve: { [name]: ask } }, (values: Record<string, unknown>) =>
        JSON.stringify(values[name]),
      );
      for (const era of eras) {
        const chat = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });
        expect(await chat.text('odd')).toBe('{"ok":true}');
      }
    },
  );
});

describe('definitions of a tool in plain JavaScript', () => {
  const invalid = (message: string) => ({
    code: 'ERR_DEFINITION',
    path: ['refund_order'],
    message,
  });

  test.each<[string, unknown, string]>([
    ['a raw zod shape', { id: z.string() }, 'wrap the raw shape in z.object({ … }).'],
    [
      'a JSON Schema',
      { type: 'object', properties: {} },
      "wrap the JSON Schema with fromJsonSchema() of '@modelcontextprotocol/server'.",
    ],
    [
      'a schema without JSON Schema',
      valibotObject({ id: valibotString() }),
      'this library version has no JSON Schema; use zod 4.2 or later, or a converter (valibot: toStandardJsonSchema).',
    ],
    ['null', null, 'use z.object({ … }) or another Standard Schema.'],
    ['a text', 'string', 'use z.object({ … }) or another Standard Schema.'],
    ['an empty object', {}, 'use z.object({ … }) or another Standard Schema.'],
  ])('C10: %s as inputSchema or outputSchema', (_, schema, remedy) => {
    for (const field of ['inputSchema', 'outputSchema']) {
      expect(mistakeIn({ [field]: schema })).toEqual(
        invalid(`Tool 'refund_order': ${field} is not a schema: ${remedy}`),
      );
    }
  });

  test.each([
    ['string', z.string()],
    ['array', z.array(z.string())],
    ['number', z.number()],
  ])('C10: a schema of type %s as inputSchema', (kind, inputSchema) => {
    expect(mistakeIn({ inputSchema })).toEqual(
      invalid(
        `Tool 'refund_order': inputSchema must describe an object, not "${kind}": wrap it in z.object({ … }).`,
      ),
    );
  });

  test('C10: a schema that JSON Schema cannot express as inputSchema', () => {
    expect(mistakeIn({ inputSchema: z.object({ at: z.date() }) })).toEqual(
      invalid(
        "Tool 'refund_order': inputSchema cannot be shown as JSON Schema: Date cannot be represented in JSON Schema",
      ),
    );
  });

  test('C1: a schema that JSON Schema cannot express as outputSchema is refused, not left to fail tools/list', () => {
    expect(mistakeIn({ outputSchema: z.object({ at: z.date() }) })).toMatchObject({
      code: 'ERR_DEFINITION',
      path: ['refund_order'],
      message: expect.stringContaining('outputSchema cannot be shown as JSON Schema') as string,
    });
  });

  test('C10: no body, no configuration, no name', () => {
    expect(mistake(() => js.tool('refund_order', {}))).toEqual(
      invalid(
        "Tool 'refund_order' has no body: its function comes last: defineTool('refund_order', { … }, body).",
      ),
    );
    expect(mistake(() => js.tool('refund_order', body))).toEqual(
      invalid(
        "Tool 'refund_order': its configuration, an object, is missing: defineTool('refund_order', { … }, body).",
      ),
    );
    for (const name of ['', undefined, 7]) {
      expect(mistake(() => js.tool(name, {}, body))).toMatchObject({
        code: 'ERR_DEFINITION',
        message: "Tool: its name comes first: defineTool('refund_order', { … }, body).",
      });
    }
  });

  test.each<[string, unknown]>([
    ['a list', [one]],
    ['null', null],
    ['a function', () => one],
    ['a bare resolver', one],
    ['a Map, whose entries would be ignored', new Map([['cents', one]])],
  ])('C10: resolve as %s', (_, resolve) => {
    expect(mistakeIn({ resolve })).toEqual(
      invalid(
        "Tool 'refund_order': resolve is an object of resolvers by parameter: { cents: refundAmount }.",
      ),
    );
  });

  test.each<[string, unknown]>([
    ['a bare resolver', one],
    ['an object', { canRefund: one }],
    ['null', null],
    ['a function', () => one],
  ])('C10: guards as %s', (_, guards) => {
    expect(mistakeIn({ guards })).toEqual(
      invalid("Tool 'refund_order': guards is a list of resolvers: [canRefund]."),
    );
  });

  test('C10: a guard that is no resolver, or an outcome', () => {
    const { message, ...rest } = mistakeIn({ guards: [one, () => 1] });
    expect(rest).toEqual({ code: 'ERR_GRAPH_NEED', path: ['refund_order', 'guard'] });
    expect(message).toContain('it is a function: wrap it as resolver({ … }, fn)');
    // A guard cannot be an outcome, so the remedy must not offer one.
    expect(message).not.toContain('outcome');
    expect(mistakeIn({ guards: [outcome(one)] })).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'guard'],
      message:
        'A guard is a bare resolver: outcome() would let a refusal pass. (at refund_order -> guard)',
    });
    const needy = js.resolver({ who: arg() }, body);
    expect(mistakeIn({ guards: [needy] })).toMatchObject({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'guard', 'who'],
    });
  });

  test.each([
    ['resolver', 'resolve'],
    ['resolvers', 'resolve'],
    ['resolves', 'resolve'],
    ['guard', 'guards'],
    ['input', 'inputSchema'],
    ['output', 'outputSchema'],
    ['schema', 'inputSchema'],
    ['parameters', 'inputSchema'],
  ])("C10: the misspelt field '%s'", (slip, meant) => {
    expect(mistakeIn({ [slip]: {} })).toEqual(
      invalid(`Tool 'refund_order' has no field '${slip}': did you mean '${meant}'?`),
    );
  });

  test.each(['inputschema', 'outputschema', 'Resolve', 'guards_', 'desciption'])(
    "C10: the unknown field '%s' is refused rather than ignored",
    (field) => {
      expect(mistakeIn({ [field]: {} })).toMatchObject({
        code: 'ERR_DEFINITION',
        message: expect.stringContaining(`Tool 'refund_order' has no field '${field}'`) as string,
      });
    },
  );
});

describe('definitions of a resolver in plain JavaScript', () => {
  const invalid = (message: string) => ({ code: 'ERR_DEFINITION', path: [], message });

  test.each<[string, unknown[]]>([
    ['a function alone', [() => 1]],
    ['null', [null, () => 1]],
    ['a list', [[], () => 1]],
    ['nothing', []],
  ])('C10: %s where the needs belong', (_, given) => {
    expect(mistake(() => js.resolver(...given))).toEqual(
      invalid(
        'resolver() takes its needs first: resolver({}, fn) where there are none, resolver({ id: args.order_id }, fn) where there are; a name is an option, { name }.',
      ),
    );
  });

  test('C10: no function', () => {
    expect(mistake(() => js.resolver({}))).toEqual(
      invalid(
        'resolver() takes its function second: resolver({ id: args.order_id }, ({ id }) => …).',
      ),
    );
  });

  test('C10: an unknown option, with the known ones', () => {
    const { code, message } = mistake(() => js.resolver({}, body, { asking: 'form' }));
    expect(code).toBe('ERR_DEFINITION');
    expect(message).toMatch(/^resolver\(\) has no option 'asking' \(known: name, asks/);
  });

  test.each<[string, unknown, string]>([
    ['options that are a function', () => 1, 'The options of resolver() are an object'],
    ['options that are null', null, 'The options of resolver() are an object'],
    ['an empty name', { name: '' }, 'The name of a resolver is a text that is not empty.'],
    ['a name that is no text', { name: 7 }, 'The name of a resolver is a text that is not empty.'],
    [
      'an unknown kind',
      { asks: 'elicit' },
      "What a resolver asks is a schema, 'form', 'url', 'sample', 'roots' or 'nothing'.",
    ],
    [
      'null as what it asks',
      { asks: null },
      "What a resolver asks is a schema, 'form', 'url', 'sample', 'roots' or 'nothing'.",
    ],
  ])('C10: %s', (_, options, message) => {
    expect(mistake(() => js.resolver({}, body, options))).toMatchObject({
      code: 'ERR_DEFINITION',
      message: expect.stringContaining(message) as string,
    });
  });

  test('C10: argsOf() of what is no object schema, and arg() of what is no name', () => {
    const noSchema = invalid('argsOf() takes a schema, such as z.object({ … }).');
    const noProperties = invalid(
      "argsOf() cannot read the properties of this schema (does it end in a transform?): use arg('name').",
    );
    expect(mistake(() => js.argsOf({ id: z.string() }))).toEqual(noSchema);
    expect(mistake(() => js.argsOf(undefined))).toEqual(noSchema);
    expect(mistake(() => js.argsOf(z.string()))).toEqual(noProperties);
    expect(mistake(() => js.argsOf(z.object({}).transform(() => 1)))).toEqual(noProperties);
    expect(mistake(() => js.arg(7))).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: [],
      message: "arg() takes the argument's name: arg('order_id').",
    });
  });
});

describe('installing in plain JavaScript', () => {
  const server = () => new McpServer({ name: 'mistaken', version: '1.0.0' });
  const invalid = (message: string) => ({
    code: 'ERR_DEFINITION',
    path: [],
    message: `install(): ${message}`,
  });

  test.each<[string, unknown]>([
    ['an object', {}],
    ['undefined', undefined],
    ['a name', 'refund_order'],
    ['a resolver', one],
    ['a body', body],
  ])('C10: %s in the list of tools', (_, given) => {
    const tool = defineTool('fine', {}, body);
    expect(mistake(() => js.install(server(), [tool, given]))).toEqual(
      invalid(
        'entry 1 of the list is not a definition; make one with defineTool(name, config, body).',
      ),
    );
  });

  test.each<[string, unknown]>([
    ['a tool', defineTool('fine', {}, body)],
    ['undefined', undefined],
    ['null', null],
  ])('C10: %s instead of a list', (_, list) => {
    expect(mistake(() => js.install(server(), list))).toEqual(
      invalid('the second argument is a list of definitions: install(server, [refundOrder]).'),
    );
  });

  test.each<[string, unknown]>([
    ['an object', {}],
    ['undefined', undefined],
    ['null', null],
    ['a factory', () => server()],
  ])('C10: %s instead of a server', (_, given) => {
    expect(mistake(() => js.install(given, []))).toEqual(
      invalid('the first argument is an McpServer or a Server.'),
    );
  });

  test('C10: unknown options and senseless values', () => {
    expect(mistake(() => js.install(server(), [], { error: 'all' })).message).toMatch(
      /^install\(\): there is no option 'error' \(known: .*errors/,
    );
    expect(mistake(() => js.install(server(), [], { errors: 'none' })).message).toBe(
      "install(): errors is 'all' or 'toolErrorsOnly'.",
    );
    for (const askTimeoutMs of [0, -1, NaN, Infinity, '5', null]) {
      expect(mistake(() => js.install(server(), [], { askTimeoutMs })).message).toMatch(
        /^install\(\): askTimeoutMs is a positive number of milliseconds/,
      );
    }
  });

  test('C1: a tool that is installed twice is refused', () => {
    const target = server();
    const tool = defineTool('twice', {}, body);
    install(target, [tool]);
    expect(() => {
      install(target, [tool]);
    }).toThrow('Tool twice is already registered');
  });
});

describe.each(eras)('%s', (era) => {
  test('C15: a resolver that declares nothing about what it asks registers and works', async () => {
    const undeclared = js.resolver({}, () =>
      sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 1 }),
    );
    const tool = js.tool(
      'quiet',
      { resolve: { undeclared } },
      ({ undeclared }: { undeclared: { model: string } }) => undeclared.model,
    );
    const chat = await connectClient(era, serving([tool]), {
      sample: [{ role: 'assistant', model: 'm-1', content: { type: 'text', text: 'x' } }],
    });

    expect(await chat.text('quiet')).toBe('m-1');
  });
});
