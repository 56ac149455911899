/** C. Mistakes found at definition: a graph or a definition that cannot work throws at once. */
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
import { accept, decline, run } from 'mcp-resolve/testing';
import { object as valibotObject, string as valibotString } from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf, textOf } from '../support/results.js';

/** The library's functions without their types, as a JavaScript author calls them. */
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

interface GraphError {
  readonly code: string;
  readonly path: readonly string[];
  readonly message: string;
}

/** Returns the `InvalidGraphError` that a function throws, as a comparable value. */
function graphError(define: () => unknown): GraphError {
  try {
    define();
  } catch (error) {
    if (!(error instanceof InvalidGraphError)) throw error;
    return { code: error.code, path: error.path, message: error.message };
  }
  throw new Error('expected an InvalidGraphError');
}

/** Returns the message of the `TypeError` that a function throws. */
function typeError(define: () => unknown): string {
  try {
    define();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return error.message;
  }
  throw new Error('expected a TypeError');
}

/** Returns the `InvalidGraphError` of a `refund_order` with this configuration. */
const graphErrorIn = (config: unknown): GraphError =>
  graphError(() => js.tool('refund_order', config, body));

/** Returns the message of the `TypeError` of a `refund_order` with this configuration. */
const typeErrorIn = (config: unknown): string =>
  typeError(() => js.tool('refund_order', config, body));

describe('C1: a bad graph fails before a client connects', () => {
  test('C1: defineTool throws an error that names the tool, the parameter and the path', () => {
    const scope = resolver({ order_id: arg<string>() }, ({ order_id }) => order_id);
    const cents = resolver({ scope }, () => 1);

    expect(graphErrorIn({ inputSchema: z.object({ id: z.string() }), resolve: { cents } })).toEqual(
      {
        code: 'ERR_GRAPH_ARGUMENT',
        path: ['refund_order', 'cents', 'scope', 'order_id'],
        message:
          "Resolver 'scope' parameter 'order_id' cannot be resolved: 'refund_order' has no argument 'order_id'. Known arguments: 'id'. " +
          "Add 'order_id' to `inputSchema`, or name another argument with arg('name'). " +
          '(at refund_order -> cents -> scope -> order_id)',
      },
    );
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

  test('C1: no resolver of the graph runs', () => {
    let runs = 0;
    const counted = resolver({}, () => ++runs);
    expect(() => js.tool('t', { resolve: { counted, bad: null } }, body)).toThrow(
      InvalidGraphError,
    );
    expect(runs).toBe(0);
  });
});

describe('cycles', () => {
  const REMEDY = 'Change one of the resolvers on the path so that it does not need the next one.';

  test('C2: throw for two resolvers that need each other after a change of their needs', () => {
    const needs: Record<string, AnyResolver> = {};
    const scope = resolver(needs as Needs, () => 1);
    needs.order = resolver({ scope }, () => 1);

    expect(graphErrorIn({ resolve: { cents: scope } })).toEqual({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'cents', 'order', 'scope'],
      message: `Resolver 'cents' has a cyclic dependency. ${REMEDY} (at refund_order -> cents -> order -> scope)`,
    });
  });

  test('C2: throw for two resolvers that need each other through a getter', () => {
    const a: AnyResolver = js.resolver(
      {
        get b() {
          return b;
        },
      },
      body,
    );
    const b: AnyResolver = resolver({ a }, body);

    expect(graphErrorIn({ resolve: { cents: resolver({ a }, body) } })).toEqual({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'cents', 'a', 'b', 'a'],
      message: `Resolver 'a' has a cyclic dependency. ${REMEDY} (at refund_order -> cents -> a -> b -> a)`,
    });
  });

  test('C2: throw for a resolver that needs itself', () => {
    const needs: Record<string, AnyResolver> = {};
    const self = resolver(needs as Needs, () => 1, { name: 'ouroboros' });
    needs.me = self;

    expect(graphErrorIn({ resolve: { cents: self } })).toEqual({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'cents', 'me'],
      message: `Resolver 'ouroboros' has a cyclic dependency. ${REMEDY} (at refund_order -> cents -> me)`,
    });
  });

  test('C2: throw through an outcome, and among guards', () => {
    const needs: Record<string, unknown> = {};
    const a = resolver(needs as Needs, () => 1);
    needs.how = outcome(resolver({ a }, () => 1));

    expect(graphErrorIn({ resolve: { cents: a } }).path).toEqual([
      'refund_order',
      'cents',
      'how',
      'a',
    ]);
    expect(graphErrorIn({ guards: [a] })).toMatchObject({
      code: 'ERR_GRAPH_CYCLE',
      path: ['refund_order', 'guard', 'how', 'a'],
    });
  });

  test('C3: are found by identity, so a resolver can need another of the same name', () => {
    const inner = resolver({}, () => 1, { name: 'same' });
    const outer = resolver({ inner }, () => 2, { name: 'same' });

    expect(() => defineTool('fine', { resolve: { outer } }, body)).not.toThrow();
  });

  test('C3: are found between resolvers that an object creates on first use', () => {
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

    expect(graphErrorIn({ resolve: { cents: service.a } }).code).toBe('ERR_GRAPH_CYCLE');
  });

  test('C4: do not include a diamond', () => {
    const order = resolver({}, () => 1);
    const scope = resolver({ order }, ({ order }) => order);
    const cents = resolver({ order, scope }, ({ order, scope }) => order + scope);
    const restock = resolver({ order, scope }, () => true);

    expect(() =>
      defineTool('refund_order', { resolve: { cents, restock: outcome(restock), order } }, body),
    ).not.toThrow();
  });

  test('C4: are searched in a graph 20,000 deep without a stack overflow', async () => {
    let last: AnyResolver = resolver({}, () => 0);
    for (let depth = 0; depth < 20_000; depth += 1) {
      last = js.resolver({ previous: last }, ({ previous }: { previous: number }) => previous + 1);
    }
    const tool = js.tool('deep', { resolve: { last } }, ({ last }: { last: number }) => `${last}`);

    expect(textOf(await tool.call({} as never))).toBe('20000');
  });
});

describe('a need', () => {
  test('C5: throws if the tool has no such argument, and names the resolver and the argument', () => {
    const cents = resolver({ mystery: arg<string>() }, ({ mystery }) => mystery, {
      name: 'amount',
    });

    expect(graphErrorIn({ resolve: { cents } })).toEqual({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'cents', 'mystery'],
      message:
        "Resolver 'amount' parameter 'mystery' cannot be resolved: 'refund_order' has no argument 'mystery'. Known arguments: none. " +
        "Add 'mystery' to `inputSchema`, or name another argument with arg('name'). (at refund_order -> cents -> mystery)",
    });
  });

  test('C5: throws with the name of the argument if it renames a missing one', () => {
    const id = js.arg('order_id');
    const cents = js.resolver({ id }, body);

    expect(
      graphErrorIn({ inputSchema: z.object({ id: z.string() }), resolve: { cents } }),
    ).toMatchObject({
      path: ['refund_order', 'cents', 'id'],
      message: expect.stringContaining(
        "'refund_order' has no argument 'order_id'. Known arguments: 'id'.",
      ) as string,
    });
  });

  test('C5: does not compile if the tool has no such argument', () => {
    const cents = resolver({ order_id: arg<string>() }, ({ order_id }) => order_id);
    const config = { inputSchema: z.object({ id: z.string() }) };
    expect(() =>
      defineTool(
        'refund_order',
        {
          ...config,
          resolve: {
            // @ts-expect-error 'cents' needs the argument 'order_id', which `inputSchema` does not have.
            cents,
          },
        },
        body,
      ),
    ).toThrow(InvalidGraphError);
  });

  test('C6: cannot read another resolved parameter of the tool as an argument', () => {
    const q = resolver({ p: arg<number>() }, ({ p }) => p);

    expect(
      graphErrorIn({ inputSchema: z.object({ a: z.string() }), resolve: { p: one, q } }),
    ).toMatchObject({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'q', 'p'],
    });
  });

  test('C7: throws for a missing argument even if the function has a default', () => {
    const bad = js.resolver({ x: arg<number>() }, ({ x = 3 }) => x);

    expect(graphErrorIn({ inputSchema: z.object({}), resolve: { bad } })).toMatchObject({
      code: 'ERR_GRAPH_ARGUMENT',
      path: ['refund_order', 'bad', 'x'],
    });
  });

  test('C5: can read an argument of a union or of a transformed object', () => {
    const Either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    const Made = z.object({ a: z.string() }).transform(({ a }) => ({ b: a }));
    const needsB = js.resolver({ b: arg<string>() }, body);

    expect(() =>
      js.tool('either', { inputSchema: Either, resolve: { needsB } }, body),
    ).not.toThrow();
    expect(() => js.tool('made', { inputSchema: Made, resolve: { needsB } }, body)).not.toThrow();
  });

  test('C10: throws if a parameter of the body is an argument', () => {
    expect(graphErrorIn({ resolve: { cents: arg<string>() } })).toMatchObject({
      code: 'ERR_GRAPH_NEED',
      message: expect.stringContaining(
        'got an argument. The body receives all arguments anyway, so remove this parameter.',
      ) as string,
    });
  });

  const EXPECTED_TOP = 'expected a resolver or outcome(resolver)';
  const EXPECTED_NEED =
    "expected a resolver, outcome(resolver) or an argument of the tool, arg('name')";

  test.each<[string, unknown, string]>([
    [
      'undefined',
      undefined,
      'undefined. Check for a misspelt name, a definition further down in the file, or a circular import.',
    ],
    ['null', null, 'null.'],
    ['a function', () => 1, 'a function. Wrap it as resolver({ … }, fn).'],
    ['a schema', z.string(), 'a schema. Use arg() for an argument, or elicit() inside a resolver.'],
    ['a question', confirm('Go?'), 'a question. Return it from a resolver.'],
    ['a tool', defineTool('t', {}, body), 'a tool. Use one of its resolvers instead.'],
    ['an array', [one], 'an array.'],
    [
      'an object with a resolver in it',
      { resolver: one, optional: true },
      'a value of type object.',
    ],
    ['a string', 'one', 'a string. To use an argument, write args.name of argsOf(schema).'],
    [
      'a promise',
      Promise.resolve(one),
      'a promise. Await it inside a resolver: resolver({}, () => …).',
    ],
  ])('C10: throws if it is %s', (_, given, problem) => {
    expect(graphErrorIn({ resolve: { cents: given } })).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'cents'],
      message: `Tool 'refund_order' parameter 'cents' cannot be resolved: ${EXPECTED_TOP}, got ${problem} (at refund_order -> cents)`,
    });
    const scope = js.resolver({ order: given }, body);
    expect(graphErrorIn({ resolve: { cents: resolver({ scope }, body) } })).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'cents', 'scope', 'order'],
      message: `Resolver 'scope' parameter 'order' cannot be resolved: ${EXPECTED_NEED}, got ${problem} (at refund_order -> cents -> scope -> order)`,
    });
  });

  test('C10: cannot be an argument if it belongs to the body, which receives it anyway', () => {
    const inputSchema = z.object({ id: z.string() });
    expect(graphErrorIn({ inputSchema, resolve: { cents: arg<string>() } })).toMatchObject({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'cents'],
    });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['an outcome', outcome(one)],
    ['a question', confirm('Go?')],
  ])('C10: throws if it is outcome() of %s', (_, given) => {
    expect(graphError(() => js.outcome(given))).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: [],
      message: 'outcome(): `resolver` must be a resolver. Write outcome(askRestock).',
    });
  });
});

describe('the question of a resolver', () => {
  test('C8: does not compile if there are two different ones', () => {
    const two = (flag: boolean) =>
      // @ts-expect-error A resolver can ask only one question. Split it into one resolver per question.
      resolver({}, () => (flag ? elicit('A?', Ok) : elicit('B?', z.object({ name: z.string() }))));
    const mixed = (flag: boolean) =>
      // @ts-expect-error A resolver can ask only one question. Split it into one resolver per question.
      resolver({}, () => (flag ? listRoots() : elicit('A?', Ok)));
    expect([two, mixed]).toHaveLength(2);
  });

  describe.each(eras)('on the %s era', (era) => {
    test.each<[string, AnyResolver, string]>([
      [
        'kind',
        js.resolver({}, () => listRoots(), { asks: 'form', name: 'approval' }),
        "Resolver 'approval' declares that it asks a 'form' question, but it returned a 'roots' question. Change `asks`, or return the declared question.",
      ],
      [
        'schema',
        js.resolver({}, () => elicit('A?', z.object({ name: z.string() })), { asks: Ok }),
        "Resolver 'ask' asked with a different schema than the one it declares in `asks`. Use the same schema object for both.",
      ],
    ])('C8: is an error if it has another %s than declared', async (_, ask, message) => {
      const go = js.tool('go', { resolve: { ask } }, body);

      expect(await run(go, {}, { era })).toMatchObject({
        isError: true,
        text: 'Error executing tool go',
        cause: { message },
        questions: [],
      });
    });
  });

  test.each(eras)('C9: can be returned always, instead of a value, or never (%s)', async (era) => {
    const question = (): ReturnType<typeof elicit<typeof Ok>> => elicit('Form?', Ok);
    const asks = false as boolean;
    const tool = defineTool(
      'shapes',
      {
        resolve: {
          only: resolver({}, question, { asks: 'form' }),
          declared: resolver({}, question, { asks: Ok }),
          kind: resolver({}, question, { asks: 'form' }),
          same: resolver({}, () => (asks ? elicit('Form?', Ok) : elicit('Form?', Ok)), {
            asks: 'form',
          }),
          valueOr: resolver({}, () => (asks ? elicit('Form?', Ok) : { ok: false }), {
            asks: 'form',
          }),
          arrayOr: resolver({}, () => (asks ? elicit('Form?', Ok) : ['an array']), {
            asks: 'form',
          }),
          promised: resolver({}, async () => (asks ? listRoots() : Promise.resolve('value')), {
            asks: 'roots',
          }),
          never: resolver({}, () => (asks ? sample({ messages: [], maxTokens: 1 }) : 1), {
            asks: 'sample',
          }),
        },
      },
      (values) => JSON.stringify(values),
    );
    const { text, questions } = await run(tool, {}, { era, answers: () => accept({ ok: true }) });

    expect(JSON.parse(text)).toEqual({
      only: { ok: true },
      declared: { ok: true },
      kind: { ok: true },
      same: { ok: true },
      valueOr: { ok: false },
      arrayOr: ['an array'],
      promised: 'value',
      never: 1,
    });
    expect(questions.map(({ key, message }) => [key, message])).toEqual([
      ['only', 'Form?'],
      ['declared', 'Form?'],
      ['kind', 'Form?'],
      ['same', 'Form?'],
    ]);
  });

  test('C8: cannot declare a schema that no form can show', () => {
    const Address = z.object({ address: z.object({ street: z.string() }) });
    const scope = resolver({}, () => elicit('Where?', Address), { asks: Address });

    expect(graphErrorIn({ resolve: { cents: resolver({ scope }, body) } })).toMatchObject({
      code: 'ERR_GRAPH_ASKS',
      path: ['refund_order', 'cents', 'scope'],
      message: expect.stringMatching(
        /^Resolver 'scope' asks with a schema that a form cannot show: .*address.* \(at refund_order -> cents -> scope\)$/,
      ) as string,
    });
  });

  test('C8: cannot declare a schema that is not an object', () => {
    const cents = js.resolver({}, body, { asks: z.string() });
    expect(graphErrorIn({ resolve: { cents } })).toMatchObject({
      code: 'ERR_GRAPH_ASKS',
      path: ['refund_order', 'cents'],
    });
  });
});

describe('a body', () => {
  test('C11: does not compile if it returns a question or an input-required result', () => {
    const asks = () =>
      // @ts-expect-error A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
      defineTool('go', { resolve: { one } }, () => elicit('Go?', Ok));
    const requires = () =>
      // @ts-expect-error A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
      defineTool('go', { resolve: { one } }, async () => inputRequired({ requestState: 'x' }));
    const either = (flag: boolean) =>
      // @ts-expect-error A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
      defineTool('go', {}, () => (flag ? 'done' : inputRequired({ requestState: 'x' })));
    expect([asks, requires, either]).toHaveLength(3);
  });

  const SENTENCE =
    "The body of 'go' asked a question, but the multi-round flow is driven either by resolvers or by the tool body. Return the question from a resolver instead.";

  describe.each(eras)('on the %s era', (era) => {
    test.each<[string, Record<string, unknown>]>([
      ['with resolvers', { resolve: { one } }],
      ['without resolvers', {}],
      ['with an output schema', { outputSchema: z.looseObject({}), resolve: { one } }],
    ])('C12: ends the call with an error if it asks anyway (%s)', async (_, config) => {
      const request = inputRequired.elicit({ message: 'Go?', requestedSchema: Ok });
      const byResult = js.tool('go', config, () =>
        inputRequired({ inputRequests: { go: request }, requestState: 'mine' }),
      );
      const byQuestion = js.tool('go', config, () => elicit('Go?', Ok));
      for (const tool of [byResult, byQuestion]) {
        expect(await run(tool, {}, { era })).toMatchObject({
          isError: true,
          text: 'Error executing tool go',
          cause: { message: SENTENCE },
          questions: [],
          rounds: 1,
        });
      }
    });
  });
});

describe('a hand-written tool on the same server', () => {
  describe.each(eras)('on the %s era', (era) => {
    test.each(['before', 'after'])(
      'C13: can ask as the SDK documents it, if it is registered %s install',
      async (when) => {
        const ask = resolver({}, () => confirm('Ours?'), { asks: 'form' });
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
        const { text, asked } = await connectClient(era, factory, {
          elicit: [accept({ ok: true }), accept({ confirm: true }), decline()],
        });

        expect(await text('theirs')).toBe('deployed, state: awaiting-confirm');
        expect(await text('ours')).toBe('ours went');
        expect(await text('theirs')).toBe('cancelled, state: awaiting-confirm');
        expect(asked).toEqual(['Theirs?', 'Ours?', 'Theirs?']);
      },
    );
  });

  test('C13: sends its question under its own key on modern, and gets its state back', async () => {
    const factory = () => {
      const server = new McpServer({ name: 'mixed', version: '1.0.0' });
      install(server, [defineTool('ours', {}, body)]);
      server.registerTool('theirs', { inputSchema: z.object({}) }, (_, ctx) => deploy(ctx));
      return server;
    };
    const { sendRound } = await connectClient('modern', factory, { elicit: [] });
    const { requests, requestState } = questionsOf(await sendRound('theirs'));

    expect(requests.confirm).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Theirs?' },
    });
    const inputResponses = { confirm: accept({ ok: true }) };
    expect(textOf(await sendRound('theirs', {}, { requestState, inputResponses }))).toBe(
      'deployed, state: awaiting-confirm',
    );
  });

  /** Asks for a confirmation as the SDK's documentation does it. */
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
  test('C14: errors use the name of a resolver, or its parameter if it has none', () => {
    const anonymous = js.resolver({ mystery: arg() }, body);
    const named = js.resolver({ mystery: arg() }, body, { name: 'BadResolver' });

    expect(graphErrorIn({ resolve: { cents: anonymous } }).message).toMatch(
      /^Resolver 'cents' parameter 'mystery' cannot be resolved/,
    );
    expect(graphErrorIn({ resolve: { cents: named } }).message).toMatch(
      /^Resolver 'BadResolver' parameter 'mystery' cannot be resolved/,
    );
  });

  test('C10: a resolved parameter cannot have the name of an argument', () => {
    const inputSchema = z.object({ cents: z.number() });
    expect(graphErrorIn({ inputSchema, resolve: { cents: one } })).toEqual({
      code: 'ERR_GRAPH_NAME',
      path: ['refund_order', 'cents'],
      message:
        "Tool 'refund_order': 'cents' is both an argument in `inputSchema` and a resolved parameter. Rename one of them. (at refund_order -> cents)",
    });
    expect(() =>
      defineTool(
        'refund_order',
        // @ts-expect-error 'cents' is both an argument in `inputSchema` and a resolved parameter. Rename one of them.
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
  ])("C10: %s cannot be named '__proto__'", (_, config, path) => {
    const { code, message, path: actual } = graphErrorIn(config);
    expect(code).toBe('ERR_GRAPH_NAME');
    expect(message).toContain("'__proto__' cannot be the name of a parameter or a resolver");
    expect(message).toMatch(/Rename it\./);
    expect(actual).toEqual(path);
  });

  test('C10: a parameter cannot have an empty name', () => {
    expect(graphErrorIn({ resolve: { '': one } }).code).toBe('ERR_GRAPH_NAME');
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'then', 'valueOf'])(
    "C10: a parameter can be named '%s'",
    async (name) => {
      const ask = resolver({}, () => elicit(`${name}?`, Ok), { asks: 'form' });
      const tool = js.tool('odd', { resolve: { [name]: ask } }, (values: Record<string, unknown>) =>
        JSON.stringify(values[name]),
      );
      for (const era of eras) {
        const answers = { [name]: accept({ ok: true }) };
        expect(await run(tool, {}, { era, answers })).toMatchObject({ text: '{"ok":true}' });
      }
    },
  );
});

describe('defineTool in plain JavaScript', () => {
  test.each<[string, unknown, string]>([
    ['a raw zod shape', { id: z.string() }, 'Wrap the raw shape in z.object({ … }).'],
    [
      'a JSON Schema',
      { type: 'object', properties: {} },
      "Wrap the JSON Schema in fromJsonSchema() from '@modelcontextprotocol/server'.",
    ],
    [
      'a schema without JSON Schema',
      valibotObject({ id: valibotString() }),
      'It does not provide JSON Schema. Use zod 4.2 or later, or a converter (valibot: toStandardJsonSchema).',
    ],
    ['null', null, 'Use z.object({ … }) or another Standard Schema.'],
    ['a string', 'string', 'Use z.object({ … }) or another Standard Schema.'],
    ['an empty object', {}, 'Use z.object({ … }) or another Standard Schema.'],
  ])('C10: refuses %s as inputSchema or outputSchema', (_, schema, remedy) => {
    for (const field of ['inputSchema', 'outputSchema']) {
      expect(typeErrorIn({ [field]: schema })).toBe(
        `Tool 'refund_order': \`${field}\` is not a usable schema. ${remedy}`,
      );
    }
  });

  test.each([
    ['string', z.string()],
    ['array', z.array(z.string())],
    ['number', z.number()],
  ])('C10: refuses a schema of type %s as inputSchema', (kind, inputSchema) => {
    expect(typeErrorIn({ inputSchema })).toBe(
      `Tool 'refund_order': \`inputSchema\` must describe an object, not "${kind}". Wrap it in z.object({ … }).`,
    );
  });

  test('C10: refuses an inputSchema that JSON Schema cannot express', () => {
    expect(typeErrorIn({ inputSchema: z.object({ at: z.date() }) })).toBe(
      "Tool 'refund_order': `inputSchema` cannot be converted to JSON Schema: Date cannot be represented in JSON Schema",
    );
  });

  test('C1: refuses an outputSchema that JSON Schema cannot express', () => {
    expect(typeErrorIn({ outputSchema: z.object({ at: z.date() }) })).toContain(
      "Tool 'refund_order': `outputSchema` cannot be converted to JSON Schema: ",
    );
  });

  test('C10: refuses a tool without a body, a configuration or a name', () => {
    expect(typeError(() => js.tool('refund_order', {}))).toBe(
      "Tool 'refund_order': `body` must be a function. Write defineTool('refund_order', { … }, body).",
    );
    expect(typeError(() => js.tool('refund_order', body))).toBe(
      "Tool 'refund_order': `config` must be an object. Write defineTool('refund_order', { … }, body).",
    );
    for (const name of ['', undefined, 7]) {
      expect(typeError(() => js.tool(name, {}, body))).toBe(
        "defineTool(): `name` must be a non-empty string. Write defineTool('refund_order', { … }, body).",
      );
    }
  });

  test.each<[string, unknown]>([
    ['an array', [one]],
    ['null', null],
    ['a function', () => one],
    ['a single resolver', one],
    ['a Map', new Map([['cents', one]])],
  ])('C10: refuses %s as resolve', (_, resolve) => {
    expect(typeErrorIn({ resolve })).toBe(
      "Tool 'refund_order': `resolve` must be an object of resolvers by parameter, such as { cents: refundAmount }.",
    );
  });

  test.each<[string, unknown]>([
    ['a single resolver', one],
    ['an object', { canRefund: one }],
    ['null', null],
    ['a function', () => one],
  ])('C10: refuses %s as guards', (_, guards) => {
    expect(typeErrorIn({ guards })).toBe(
      "Tool 'refund_order': `guards` must be an array of resolvers, such as [canRefund].",
    );
  });

  test('C10: refuses a guard that is no resolver, is an outcome or needs a missing argument', () => {
    const { message, ...rest } = graphErrorIn({ guards: [one, () => 1] });
    expect(rest).toEqual({ code: 'ERR_GRAPH_NEED', path: ['refund_order', 'guard'] });
    expect(message).toContain('got a function. Wrap it as resolver({ … }, fn).');
    // A guard cannot be an outcome, so the remedy must not offer one.
    expect(message).not.toContain('outcome');
    expect(graphErrorIn({ guards: [outcome(one)] })).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: ['refund_order', 'guard'],
      message:
        "Tool 'refund_order': a guard cannot be an outcome(), because a refusal would not end the call. Pass the resolver itself. (at refund_order -> guard)",
    });
    const needy = js.resolver({ who: arg() }, body);
    expect(graphErrorIn({ guards: [needy] })).toMatchObject({
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
  ])("C10: refuses the option '%s' and suggests '%s'", (slip, meant) => {
    expect(typeErrorIn({ [slip]: {} })).toBe(
      `Tool 'refund_order' has no option '${slip}'. Did you mean '${meant}'?`,
    );
  });

  test.each(['inputschema', 'outputschema', 'Resolve', 'guards_', 'desciption'])(
    "C10: refuses the unknown option '%s'",
    (field) => {
      expect(typeErrorIn({ [field]: {} })).toContain(
        `Tool 'refund_order' has no option '${field}'.`,
      );
    },
  );
});

describe('resolver in plain JavaScript', () => {
  test.each<[string, unknown[]]>([
    ['a function alone', [() => 1]],
    ['null', [null, () => 1]],
    ['an array', [[], () => 1]],
    ['nothing', []],
  ])('C10: refuses %s in place of its needs', (_, given) => {
    expect(typeError(() => js.resolver(...given))).toBe(
      'resolver(): `needs` must be an object, such as { id: args.order_id }, or {} if there are none. To name the resolver, use the option `name`.',
    );
  });

  test('C10: refuses a resolver without a function', () => {
    expect(typeError(() => js.resolver({}))).toBe(
      'resolver(): `fn` must be a function. Write resolver({ id: args.order_id }, ({ id }) => …).',
    );
  });

  test('C10: refuses an unknown option and lists the known ones', () => {
    expect(typeError(() => js.resolver({}, body, { asking: 'form' }))).toBe(
      "resolver() has no option 'asking'. Known options: name, asks, attempts, pin, dispose.",
    );
  });

  test.each<[string, unknown, string]>([
    [
      'options that are a function',
      () => 1,
      'resolver(): `options` must be an object. Known options: name, asks, attempts, pin, dispose.',
    ],
    [
      'options that are null',
      null,
      'resolver(): `options` must be an object. Known options: name, asks, attempts, pin, dispose.',
    ],
    ['an empty name', { name: '' }, 'resolver(): `name` must be a non-empty string.'],
    ['a name that is not a string', { name: 7 }, 'resolver(): `name` must be a non-empty string.'],
    [
      'an unknown kind in asks',
      { asks: 'elicit' },
      "resolver(): `asks` must be 'form', 'url', 'sample', 'roots', 'approval' or the schema of the form. Remove it if the resolver never asks.",
    ],
    [
      'null in asks',
      { asks: null },
      "resolver(): `asks` must be 'form', 'url', 'sample', 'roots', 'approval' or the schema of the form. Remove it if the resolver never asks.",
    ],
  ])('C10: refuses %s', (_, options, message) => {
    expect(typeError(() => js.resolver({}, body, options))).toBe(message);
  });
});

describe('argsOf and arg in plain JavaScript', () => {
  test('C10: refuse a value that is not an object schema, or not a name', () => {
    const noSchema =
      'argsOf(): `schema` must be a schema that provides JSON Schema, such as z.object({ … }).';
    const noProperties =
      "argsOf() cannot read the properties of this schema. It may end in a transform. Use arg('name') instead.";
    expect(typeError(() => js.argsOf({ id: z.string() }))).toBe(noSchema);
    expect(typeError(() => js.argsOf(undefined))).toBe(noSchema);
    expect(typeError(() => js.argsOf(z.string()))).toBe(noProperties);
    expect(typeError(() => js.argsOf(z.object({}).transform(() => 1)))).toBe(noProperties);
    expect(graphError(() => js.arg(7))).toEqual({
      code: 'ERR_GRAPH_NEED',
      path: [],
      message: "arg(): `name` must be a string, such as arg('order_id').",
    });
  });
});

describe('install in plain JavaScript', () => {
  const server = () => new McpServer({ name: 'install', version: '1.0.0' });
  const invalid = (message: string) => new TypeError(`install(): ${message}`);

  test.each<[string, unknown]>([
    ['an object', {}],
    ['undefined', undefined],
    ['a name', 'refund_order'],
    ['a resolver', one],
    ['a body', body],
  ])('C10: refuses %s among the definitions', (_, given) => {
    const tool = defineTool('fine', {}, body);
    expect(() => js.install(server(), [tool, given])).toThrow(
      invalid(
        '`definitions[1]` is not a definition. Create one with defineTool(name, config, body).',
      ),
    );
  });

  test.each<[string, unknown]>([
    ['a tool', defineTool('fine', {}, body)],
    ['undefined', undefined],
    ['null', null],
  ])('C10: refuses %s in place of the array', (_, given) => {
    expect(() => js.install(server(), given)).toThrow(
      invalid('`definitions` must be an array. Write install(server, [refundOrder]).'),
    );
  });

  test.each<[string, unknown]>([
    ['an object', {}],
    ['undefined', undefined],
    ['null', null],
    ['a factory', () => server()],
  ])('C10: refuses %s in place of a server', (_, given) => {
    expect(() => js.install(given, [])).toThrow(
      invalid('`server` must be an McpServer or a Server.'),
    );
  });

  test('C10: refuses unknown options and invalid values', () => {
    expect(() => js.install(server(), [], { error: 'all' })).toThrow(
      new TypeError(
        "install() has no option 'error'. Known options: seal, askTimeoutMs, errors, onEvent, eventValues, usableCapabilities, logger, request.",
      ),
    );
    expect(() => js.install(server(), [], { errors: 'none' })).toThrow(
      invalid("`errors` must be 'all' or 'toolErrorsOnly'."),
    );
    for (const logger of [() => undefined, {}, null]) {
      expect(() => js.install(server(), [], { logger })).toThrow(
        invalid('`logger` must be an object with a `warn(message)` method.'),
      );
    }
    for (const askTimeoutMs of [0, -1, NaN, Infinity, '5', null]) {
      expect(() => js.install(server(), [], { askTimeoutMs })).toThrow(
        invalid('`askTimeoutMs` must be a positive number of milliseconds, at most 2147483647.'),
      );
    }
  });
});

test.each(eras)('C15: a resolver that does not declare its question works (%s)', async (era) => {
  const undeclared = js.resolver({}, () =>
    sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 1 }),
  );
  const tool = js.tool(
    'quiet',
    { resolve: { undeclared } },
    ({ undeclared }: { undeclared: { model: string } }) => undeclared.model,
  );
  const answer = {
    role: 'assistant',
    model: 'm-1',
    content: { type: 'text', text: 'x' },
  } as const;

  expect(await run(tool, {}, { era, answers: { undeclared: answer } })).toMatchObject({
    text: 'm-1',
  });
});
