/** K. Errors: the form in which the model, the client and the server's `onerror` receive them. */
import {
  acceptedContent,
  inputRequired,
  McpServer,
  ProtocolError,
  Server,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import {
  argsOf,
  defineTool,
  elicit,
  install,
  InvalidGraphError,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import type { InstallOptions, Tool } from 'mcp-resolve';
import { accept, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { type Factory, onError, serving } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });
const Order = z.object({ order_id: z.string(), sku: z.string().default('') });
const order = argsOf(Order);

/** Both kinds of server, with the function that installs tools on them. */
const onServers: [string, (tools: Tool[], options?: InstallOptions) => Factory][] = [
  ['McpServer', serving],
  [
    'Server',
    (tools, options) => () => {
      const server = new Server({ name: 'low', version: '1.0.0' });
      install(server, tools, options);
      return server;
    },
  ],
];

/** Creates servers that add the messages of their unexpected errors to an array. */
const reportingTo =
  (reported: string[], factory: Factory): Factory =>
  (ctx) => {
    const server = factory(ctx);
    onError(server, ({ message }) => reported.push(message));
    return server;
  };

describe.each(eras)('on the %s era', (era) => {
  describe.each(onServers)('with %s', (_, on) => {
    test('K1, K2: sends the message of a ToolError, from a resolver and from the body', async () => {
      const load = resolver({ id: order.order_id }, ({ id }) => {
        if (id !== 'ORD-7002') throw new ToolError(`unknown order '${id}'`);
        return ['canvas-tote'];
      });
      const refund = defineTool(
        'refund_order',
        { inputSchema: Order, resolve: { lines: load } },
        ({ sku, lines }) => {
          if (!lines.includes(sku)) throw new ToolError(`order has no item '${sku}'`);
          return 'refunded';
        },
      );
      const { errorText } = await connectClient(era, on([refund]));

      expect(await errorText('refund_order', { order_id: 'ORD-9999' })).toBe(
        "Error executing tool refund_order: unknown order 'ORD-9999'",
      );
      expect(await errorText('refund_order', { order_id: 'ORD-7002', sku: 'mystery-hat' })).toBe(
        "Error executing tool refund_order: order has no item 'mystery-hat'",
      );
    });

    test.each<[string, unknown, string]>([
      ['an Error', new Error('boom'), 'boom'],
      ['a TypeError', new TypeError('not a function'), 'not a function'],
      ['a string', 'a string', 'a string'],
      ['undefined', undefined, 'undefined'],
      ['null', null, 'null'],
      ['an object', { toString: () => 'an object' }, 'an object'],
    ])("K3: reports %s, and sends its message only with errors: 'all'", async (...row) => {
      const [, thrown, text] = row;
      const fail = (): string => {
        throw thrown;
      };
      const reject = async (): Promise<string> => fail();
      const tools = [
        defineTool('sync', { resolve: { a: resolver({}, fail) } }, () => 'ran'),
        defineTool('async', { resolve: { a: resolver({}, reject) } }, () => 'ran'),
        defineTool('body', {}, fail),
        defineTool('async_body', {}, reject),
      ];
      const reported: string[] = [];
      const masked = await connectClient(era, reportingTo(reported, on(tools)));
      const open = await connectClient(era, reportingTo(reported, on(tools, { errors: 'all' })));

      for (const { name } of tools) {
        expect(await masked.errorText(name)).toBe(`Error executing tool ${name}`);
        expect(await open.errorText(name)).toBe(`Error executing tool ${name}: ${text}`);
      }
      expect(reported).toEqual(Array.from({ length: 8 }, () => text));
    });

    test('K4: sends a protocol error with its code and data', async () => {
      const fail = (): string => {
        throw new ProtocolError(-32050, 'Quota exhausted', { retryAfter: 60 });
      };
      const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
      const { call } = await connectClient(
        era,
        on([
          defineTool('early', { resolve: { a: resolver({}, fail) } }, () => 'ran'),
          defineTool('late', { resolve: { a: resolver({}, async () => fail()) } }, () => 'ran'),
          defineTool('body', {}, fail),
          defineTool('asked', { resolve: { a: resolver({ ask }, fail) } }, () => 'ran'),
          defineTool('with_output', { outputSchema: Ok }, async () => ({ ok: fail() === '' })),
        ]),
        { elicit: () => accept({ ok: true }) },
      );

      for (const name of ['early', 'late', 'body', 'asked', 'with_output']) {
        expect(await protocolErrorOf(call(name))).toEqual({
          code: -32050,
          message: 'Quota exhausted',
          data: { retryAfter: 60 },
        });
      }
    });

    test('K4: keeps a protocol error out of concurrent calls', async () => {
      const Id = z.object({ id: z.number() });
      const odd = resolver({ id: argsOf(Id).id }, async ({ id }) => {
        await Promise.resolve();
        if (id % 2 === 1) throw new ProtocolError(-32050, `odd ${id}`);
        return id;
      });
      const tool = defineTool(
        'even',
        { inputSchema: Id, resolve: { odd } },
        ({ id }) => `even ${id}`,
      );
      const { text, call } = await connectClient(era, on([tool]));
      const calls = [0, 1, 2, 3].map((id) =>
        id % 2 === 0 ? text('even', { id }) : protocolErrorOf(call('even', { id })),
      );

      expect(await Promise.all(calls)).toEqual([
        'even 0',
        { code: -32050, message: 'odd 1' },
        'even 2',
        { code: -32050, message: 'odd 3' },
      ]);
    });

    test('K3: sends ToolErrors, refusals and protocol errors, and reports none of them', async () => {
      const reported: string[] = [];
      const tools = [
        defineTool('plain', {}, (): string => {
          throw new Error('password is hunter2');
        }),
        defineTool('meant', {}, (): string => {
          throw new ToolError('no such order');
        }),
        defineTool('protocol', {}, (): string => {
          throw new ProtocolError(-32050, 'Quota exhausted');
        }),
        defineTool(
          'declined',
          { resolve: { ask: resolver({}, () => elicit('Go?', Ok), { asks: 'form' }) } },
          () => 'ran',
        ),
      ];
      const { call, errorText } = await connectClient(era, reportingTo(reported, on(tools)), {
        elicit: [decline()],
      });

      expect(await errorText('plain')).toBe('Error executing tool plain');
      expect(await errorText('meant')).toBe('Error executing tool meant: no such order');
      expect(await errorText('declined')).toBe(
        "Error executing tool declined: Resolver for parameter 'ask' could not resolve: elicitation was decline",
      );
      expect(await protocolErrorOf(call('protocol'))).toEqual({
        code: -32050,
        message: 'Quota exhausted',
      });
      expect(reported).toEqual(['password is hunter2']);
    });
  });

  test.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [7, 'a value of type number'],
    [[], 'an array'],
    [{ some: 'value' }, 'a value of type object'],
  ])('K1: fails and says what to return if the body returns %j', async (value, name) => {
    const tool = defineTool('odd', {}, (() => value) as unknown as () => string);

    expect(await run(tool, {}, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool odd',
      cause: {
        message: `The body of 'odd' returned ${name}. A tool body must return a string or a CallToolResult. To return another value, declare \`outputSchema\`.`,
      },
    });
  });

  test('K1: sends a CallToolResult of the body unchanged, even if it is a tool error', async () => {
    const tool = defineTool('mine', {}, () => ({
      content: [{ type: 'text', text: 'mine' }],
      isError: true,
    }));

    expect(await run(tool, {}, { era })).toMatchObject({ isError: true, text: 'mine' });
  });

  test('K9: starts the next call from its first question after an error', async () => {
    let broken = true;
    let bodies = 0;
    const first = resolver({}, () => elicit('First?', Ok), { asks: 'form' });
    const second = resolver({ first }, () => elicit('Second?', Ok), { asks: 'form' });
    const check = resolver({ second }, () => {
      if (broken) throw new ToolError('boom');
      return 'fine';
    });
    const tool = defineTool('go', { resolve: { check } }, () => `${++bodies}`);
    const client = await connectClient(era, serving([tool]), {
      elicit: () => accept({ ok: true }),
    });

    expect(await client.errorText('go')).toBe('Error executing tool go: boom');
    expect(bodies).toBe(0);
    broken = false;
    expect(await client.text('go')).toBe('1');
    expect(client.asked).toEqual(['First?', 'Second?', 'First?', 'Second?']);
  });
});

describe('a legacy client that answers a question with an error', () => {
  const question = () => resolver({}, () => elicit('Go?', Ok), { asks: 'form' });

  test.each([
    ['plain value', (ask: ReturnType<typeof question>) => ask],
    ['outcome', (ask: ReturnType<typeof question>) => outcome(ask)],
  ])('K5: gets that protocol error back if the tool takes the %s', async (_, consume) => {
    let bodies = 0;
    const tool = defineTool(
      'go',
      { resolve: { ask: consume(question()) as never } },
      () => `${++bodies}`,
    );
    const client = await rawLegacy(serving([tool]), {
      capabilities: { elicitation: {} },
      answer: () => ({ error: { code: -32000, message: 'No screen', data: { display: null } } }),
    });

    expect((await client.request('tools/call', { name: 'go' })).error).toEqual({
      code: -32000,
      message: 'No screen',
      data: { display: null },
    });
    expect(bodies).toBe(0);
    expect(client.received).toHaveLength(1);
  });

  test("K5: gets the error of its handler back if it is the SDK's client", async () => {
    const tool = defineTool('go', { resolve: { ask: question() } }, () => 'went');
    const { call, text } = await connectClient('legacy', serving([tool]), {
      elicit: [new ProtocolError(-32050, 'No screen'), accept({ ok: true })],
    });

    expect(await protocolErrorOf(call('go'))).toEqual({ code: -32050, message: 'No screen' });
    expect(await text('go')).toBe('went');
  });
});

describe('K7: mistakes of authors', () => {
  test('K7: throw an InvalidGraphError for a graph, and a TypeError for an option', () => {
    const define = () => defineTool('go', { resolve: { x: undefined as never } }, () => 'ran');

    expect(define).toThrow(InvalidGraphError);
    expect(() => defineTool('', {}, () => 'ran')).toThrow(TypeError);
    expect(() => resolver({}, undefined as never)).toThrow(TypeError);
    expect(() => install({} as never, [])).toThrow(TypeError);
    expect(new ToolError('x')).not.toBeInstanceOf(InvalidGraphError);
  });

  test('K7: have errors that `instanceof` recognizes across copies of the package', () => {
    const foreign = Object.assign(new Error('x'), {
      [Symbol.for('mcp-resolve.ToolError')]: true,
    });

    expect(foreign).toBeInstanceOf(ToolError);
    expect(foreign).not.toBeInstanceOf(InvalidGraphError);
    expect(new Error('x')).not.toBeInstanceOf(ToolError);
    expect({ name: 'ToolError', message: 'x' }).not.toBeInstanceOf(ToolError);
  });
});

describe('a body that asks through the SDK', () => {
  const push = defineTool('push', {}, async (_, ctx) => {
    const { action } = await ctx.mcpReq.elicitInput({
      message: 'Go?',
      requestedSchema: { type: 'object', properties: {} },
    });
    return action;
  });

  test('K10: fails on the modern era without wire traffic, and the cause says how to ask', async () => {
    const { text, cause, questions, rounds } = await run(push, {}, { era: 'modern' });

    expect(text).toBe('Error executing tool push');
    expect(cause?.message).toContain('inputRequired(');
    expect({ questions, rounds }).toEqual({ questions: [], rounds: 1 });
  });

  test('K10: receives the answer on the legacy era', async () => {
    const answers = { 'elicitation/create': accept({}) };
    const { text, questions } = await run(push, {}, { era: 'legacy', answers });

    expect(text).toBe('accept');
    expect(questions.map(({ message }) => message)).toEqual(['Go?']);
  });

  test('K11: receives the answer to its own input-required result on the legacy era', async () => {
    const factory = () => {
      const server = new McpServer({ name: 'mixed', version: '1.0.0' });
      install(server, [defineTool('ours', {}, () => 'ours')]);
      server.registerTool('theirs', { inputSchema: z.object({}) }, (_, ctx) => {
        const answer = acceptedContent(ctx.mcpReq.inputResponses, 'go', Ok);
        if (answer !== undefined) return { content: [{ type: 'text', text: `${answer.ok}` }] };
        return inputRequired({
          inputRequests: { go: inputRequired.elicit({ message: 'Go?', requestedSchema: Ok }) },
        });
      });
      return server;
    };
    const client = await connectClient('legacy', factory, { elicit: [accept({ ok: true })] });

    expect(await client.text('theirs')).toBe('true');
    expect(client.asked).toEqual(['Go?']);
  });

  test('K11: can send -32042 to legacy clients, but not to modern ones', async () => {
    const tool = defineTool('link', {}, (): string => {
      throw new UrlElicitationRequiredError([
        { mode: 'url', message: 'Sign in', url: 'https://example.com/', elicitationId: '1' },
      ]);
    });
    const legacy = await connectClient('legacy', serving([tool]));
    expect((await protocolErrorOf(legacy.call('link'))).code).toBe(-32042);

    const modern = await connectClient('modern', serving([tool]));
    const outcomeOfCall = await modern.call('link').then(
      (result) => ({ isError: result.isError }),
      (error: unknown) => ({ code: (error as { code: number }).code }),
    );
    expect(outcomeOfCall).not.toEqual({ code: -32042 });
  });
});
