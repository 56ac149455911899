/** K. Errors: who is told what, and in which form. */
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
import type { Tool } from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, protocolErrorOf, questionsOf } from '../support/results.js';
import { type Factory, serving } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });
const Order = z.object({ order_id: z.string(), sku: z.string().default('') });
const order = argsOf(Order);

/** The same tools on both kinds of server. */
const onServers: [string, (tools: Tool[]) => Factory][] = [
  ['McpServer', (tools) => serving(tools)],
  [
    'Server',
    (tools) => () => {
      const server = new Server({ name: 'low', version: '1.0.0' });
      install(server, tools);
      return server;
    },
  ],
];

describe.each(eras)('%s', (era) => {
  describe.each(onServers)('%s', (_, on) => {
    test('K1, K2: a ToolError reads the same from a resolver and from the body', async () => {
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
      const chat = await connectClient(era, on([refund]));

      expect(await chat.errorText('refund_order', { order_id: 'ORD-9999' })).toBe(
        "Error executing tool refund_order: unknown order 'ORD-9999'",
      );
      expect(
        await chat.errorText('refund_order', { order_id: 'ORD-7002', sku: 'mystery-hat' }),
      ).toBe("Error executing tool refund_order: order has no item 'mystery-hat'");
    });

    test.each<[string, unknown, string]>([
      ['an Error', new Error('boom'), 'boom'],
      ['a TypeError', new TypeError('not a function'), 'not a function'],
      ['a text', 'a text', 'a text'],
      ['undefined', undefined, 'undefined'],
      ['null', null, 'null'],
      ['an object', { toString: () => 'an object' }, 'an object'],
    ])('K3: %s thrown anywhere is a tool error with its message', async (_kind, thrown, text) => {
      const fail = (): string => {
        throw thrown;
      };
      const reject = async (): Promise<string> => fail();
      const chat = await connectClient(
        era,
        on([
          defineTool('sync', { resolve: { a: resolver({}, fail) } }, () => 'ran'),
          defineTool('async', { resolve: { a: resolver({}, reject) } }, () => 'ran'),
          defineTool('body', {}, fail),
          defineTool('async_body', {}, reject),
        ]),
      );

      for (const name of ['sync', 'async', 'body', 'async_body']) {
        expect(await chat.errorText(name)).toBe(`Error executing tool ${name}: ${text}`);
      }
    });

    test('K4: a protocol error stays one, with its code and data', async () => {
      const fail = (): string => {
        throw new ProtocolError(-32050, 'Quota exhausted', { retryAfter: 60 });
      };
      const ask = resolver({}, () => elicit('Go?', Ok));
      const chat = await connectClient(
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
        expect(await protocolErrorOf(chat.call(name))).toEqual({
          code: -32050,
          message: 'Quota exhausted',
          data: { retryAfter: 60 },
        });
      }
    });

    test('K4: a protocol error of one call does not leak into another at the same time', async () => {
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
      const chat = await connectClient(era, on([tool]));
      const calls = [0, 1, 2, 3].map((id) =>
        id % 2 === 0 ? chat.text('even', { id }) : protocolErrorOf(chat.call('even', { id })),
      );

      expect(await Promise.all(calls)).toEqual([
        'even 0',
        { code: -32050, message: 'odd 1' },
        'even 2',
        { code: -32050, message: 'odd 3' },
      ]);
    });

    test("K3: with errors: 'toolErrorsOnly' the model reads ToolErrors and nothing else", async () => {
      const reported: unknown[] = [];
      const secret = new Error('password is hunter2');
      const tools = [
        defineTool('plain', {}, (): string => {
          throw secret;
        }),
        defineTool(
          'in_resolver',
          {
            resolve: {
              a: resolver({}, async () => {
                throw secret;
              }),
            },
          },
          () => 'ran',
        ),
        defineTool('meant', {}, (): string => {
          throw new ToolError('no such order');
        }),
        defineTool('text', {}, (): string => {
          // eslint-disable-next-line @typescript-eslint/only-throw-error -- anything can be thrown
          throw 'hunter2';
        }),
        defineTool('protocol', {}, (): string => {
          throw new ProtocolError(-32050, 'Quota exhausted');
        }),
        defineTool(
          'declined',
          { resolve: { ask: resolver({}, () => elicit('Go?', Ok)) } },
          () => 'ran',
        ),
      ];
      const factory: Factory = (ctx) => {
        const server = on([])(ctx);
        install(server, tools, { errors: 'toolErrorsOnly' });
        const inner = server instanceof McpServer ? server.server : server;
        inner.onerror = (error) => reported.push(error.message);
        return server;
      };
      const chat = await connectClient(era, factory, { elicit: [decline()] });

      expect(await chat.errorText('plain')).toBe(
        'Error executing tool plain: an unexpected error occurred',
      );
      expect(await chat.errorText('in_resolver')).toBe(
        'Error executing tool in_resolver: an unexpected error occurred',
      );
      expect(await chat.errorText('text')).toBe(
        'Error executing tool text: an unexpected error occurred',
      );
      expect(reported).toEqual(['password is hunter2', 'password is hunter2', 'hunter2']);
      expect(await chat.errorText('meant')).toBe('Error executing tool meant: no such order');
      expect(await chat.errorText('declined')).toBe(
        "Error executing tool declined: Resolver for parameter 'ask' could not resolve: elicitation was decline",
      );
      expect(await protocolErrorOf(chat.call('protocol'))).toEqual({
        code: -32050,
        message: 'Quota exhausted',
      });
      expect(reported).toHaveLength(3);
    });

    test('K3: what was not meant for the model is reported to onerror as well, by default', async () => {
      const reported: string[] = [];
      const tools = [
        defineTool('plain', {}, (): string => {
          throw new Error('boom');
        }),
        defineTool('meant', {}, (): string => {
          throw new ToolError('no such order');
        }),
      ];
      const factory: Factory = (ctx) => {
        const server = on(tools)(ctx);
        const inner = server instanceof McpServer ? server.server : server;
        inner.onerror = (error) => reported.push(error.message);
        return server;
      };
      const chat = await connectClient(era, factory);

      expect(await chat.errorText('plain')).toBe('Error executing tool plain: boom');
      expect(await chat.errorText('meant')).toBe('Error executing tool meant: no such order');
      expect(reported).toEqual(['boom']);
    });
  });

  test('K1: a body that returns no result is a tool error that says what to return', async () => {
    const returning = (value: unknown) =>
      defineTool('odd', {}, (() => value) as unknown as () => string);
    const texts = [];
    for (const value of [undefined, null, 7, [], { some: 'value' }]) {
      texts.push(await (await connectClient(era, serving([returning(value)]))).errorText('odd'));
    }

    const sentence = (what: string) =>
      `Error executing tool odd: the body of 'odd' returned ${what}; a body returns a string or a CallToolResult, and another value only with outputSchema`;
    expect(texts).toEqual([
      sentence('nothing'),
      sentence('null'),
      sentence('a value of type number'),
      sentence('a list'),
      sentence('a value of type object'),
    ]);
  });

  test('K1: a CallToolResult of the body passes as it is, its own tool error included', async () => {
    const tool = defineTool('mine', {}, () => ({
      content: [{ type: 'text', text: 'mine' }],
      isError: true,
    }));
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.errorText('mine')).toBe('mine');
  });

  test('K8: a mismatched answer is told without a word of the validator', async () => {
    const Email = z.object({ email: z.email(), age: z.number().min(18).optional() });
    const ask = resolver({}, () => elicit('Email?', Email));
    const tool = defineTool('mail', { resolve: { ask } }, () => 'ran');
    const content = { email: 'not an address', age: 3 };
    const chat = await connectClient(era, serving([tool]), { elicit: [] });
    const sendRound = async () => {
      if (era === 'modern') {
        const { requestState } = questionsOf(await chat.sendRound('mail'));
        const inputResponses = { ask: accept(content) };
        return errorTextOf(await chat.sendRound('mail', {}, { requestState, inputResponses }));
      }
      const client = await rawLegacy(serving([tool]), {
        capabilities: { elicitation: {} },
        answer: () => ({ result: accept(content) }),
      });
      const { result } = await client.request('tools/call', { name: 'mail' });
      return errorTextOf(result as never);
    };

    const SENTENCE =
      'received an accepted elicitation whose content does not match the requested schema';
    expect(await sendRound()).toBe(
      era === 'modern'
        ? `Error executing tool mail: Resolver 'ask' ${SENTENCE}`
        : `Error executing tool mail: R${SENTENCE.slice(1)}`,
    );
  });

  test('K9: an error ends the call: the next one starts from its first question', async () => {
    let broken = true;
    let bodies = 0;
    const first = resolver({}, () => elicit('First?', Ok));
    const second = resolver({ first }, () => elicit('Second?', Ok));
    const check = resolver({ second }, () => {
      if (broken) throw new Error('boom');
      return 'fine';
    });
    const tool = defineTool('go', { resolve: { check } }, () => `${++bodies}`);
    const chat = await connectClient(era, serving([tool]), { elicit: () => accept({ ok: true }) });

    expect(await chat.errorText('go')).toBe('Error executing tool go: boom');
    expect(bodies).toBe(0);
    broken = false;
    expect(await chat.text('go')).toBe('1');
    expect(chat.asked).toEqual(['First?', 'Second?', 'First?', 'Second?']);
  });
});

describe('a legacy client that answers a question with an error', () => {
  const question = () => resolver({}, () => elicit('Go?', Ok));

  test.each([
    ['plain', (ask: ReturnType<typeof question>) => ask],
    ['outcome', (ask: ReturnType<typeof question>) => outcome(ask)],
  ])('K5: the call fails with that protocol error, for a %s consumer', async (_, consume) => {
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

  test('K5: so it does with a client of the SDK whose handler throws', async () => {
    const tool = defineTool('go', { resolve: { ask: question() } }, () => 'went');
    const chat = await connectClient('legacy', serving([tool]), {
      elicit: [new ProtocolError(-32050, 'No screen'), accept({ ok: true })],
    });

    expect(await protocolErrorOf(chat.call('go'))).toEqual({ code: -32050, message: 'No screen' });
    expect(await chat.text('go')).toBe('went');
  });
});

describe('K7: mistakes of authors', () => {
  test('K7: have a class of their own, thrown before any client connects', () => {
    const define = () => defineTool('', {}, () => 'ran');

    expect(define).toThrow(InvalidGraphError);
    expect(() => resolver({}, undefined as never)).toThrow(InvalidGraphError);
    expect(() => install({} as never, [])).toThrow(InvalidGraphError);
    expect(new ToolError('x')).not.toBeInstanceOf(InvalidGraphError);
  });

  test('K7: both classes are told by brand, across copies of the package', () => {
    const foreign = Object.assign(new Error('x'), {
      [Symbol.for('mcp-resolve.ToolError')]: true,
    });

    expect(foreign).toBeInstanceOf(ToolError);
    expect(foreign).not.toBeInstanceOf(InvalidGraphError);
    expect(new Error('x')).not.toBeInstanceOf(ToolError);
    expect({ name: 'ToolError', message: 'x' }).not.toBeInstanceOf(ToolError);
  });
});

describe('asking in other ways', () => {
  test('K10: a body that pushes on modern fails without wire traffic, and is told how to ask', async () => {
    const tool = defineTool('push', {}, async (_, ctx) => {
      const { action } = await ctx.mcpReq.elicitInput({
        message: 'Go?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return action;
    });
    const chat = await connectClient('modern', serving([tool]), { elicit: [] });
    const text = await chat.errorText('push');

    expect(text).toMatch(/^Error executing tool push: /);
    expect(text).toContain('inputRequired(');
    expect(chat.asked).toEqual([]);
    expect(chat.requests()).toBe(1);
  });

  test('K10: on legacy the same body may push', async () => {
    const tool = defineTool('push', {}, async (_, ctx) => {
      const { action } = await ctx.mcpReq.elicitInput({
        message: 'Go?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return action;
    });
    const chat = await connectClient('legacy', serving([tool]), { elicit: [accept({})] });

    expect(await chat.text('push')).toBe('accept');
    expect(chat.asked).toEqual(['Go?']);
  });

  test('K11: a hand-built input-required result on legacy is fulfilled by the SDK', async () => {
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
    const chat = await connectClient('legacy', factory, { elicit: [accept({ ok: true })] });

    expect(await chat.text('theirs')).toBe('true');
    expect(chat.asked).toEqual(['Go?']);
  });

  test('K11: -32042 is for legacy clients, and never appears on a modern wire', async () => {
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
