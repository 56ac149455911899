/** D16, D17. Calling a tool without a request of its own. */
import {
  acceptedContent,
  inputRequired,
  McpServer,
  ProtocolError,
} from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, resolver, ToolError } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';

const Ok = z.object({ ok: z.boolean() });
const Title = z.object({ title: z.string() });
const title = argsOf(Title).title;

describe('without a context', () => {
  test('D16: a tool whose resolvers compute answers as to a client', async () => {
    const price = resolver({ title }, async ({ title }) => title.length);
    const quote = defineTool(
      'quote',
      { inputSchema: Title, resolve: { price } },
      ({ title, price }) => `${title}: ${price}`,
    );

    expect(await quote.call({ title: 'Dune' })).toEqual({
      content: [{ type: 'text', text: 'Dune: 4' }],
    });
  });

  test('D16: a tool without arguments takes none', async () => {
    const direct = defineTool(
      'direct',
      { resolve: { one: resolver({}, () => 'direct') } },
      (v) => v.one,
    );

    expect(textOf(await direct.call({}))).toBe('direct');
    expect(textOf(await direct.call(undefined))).toBe('direct');
  });

  test('D16: arguments are validated and resolved parameters dropped, as on the wire', async () => {
    const price = resolver({ title }, () => 42);
    const quote = defineTool(
      'quote',
      { inputSchema: Title, resolve: { price } },
      ({ price }) => `${price}`,
    );

    expect(textOf(await quote.call({ title: 'Dune', price: 1 } as never))).toBe('42');
    expect(await quote.call({ title: 7 } as never)).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'Input validation error: Invalid arguments for tool quote: title: Invalid input: expected string, received number',
        },
      ],
    });
  });

  test('D16: with an output schema there is structured content', async () => {
    const tool = defineTool('ok', { outputSchema: Ok }, () => ({ ok: true }));

    expect(await tool.call({})).toEqual({
      content: [{ type: 'text', text: '{"ok":true}' }],
      structuredContent: { ok: true },
    });
  });

  test('D16: errors of resolvers and bodies are tool errors', async () => {
    const failing = resolver({}, () => {
      throw new ToolError('no such book');
    });
    const tool = defineTool('quote', { resolve: { failing } }, () => 'ran');

    expect(await tool.call({})).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'Error executing tool quote: no such book' }],
    });
  });

  test('D16: there is nobody to ask, which is a protocol error', async () => {
    const ask = resolver({}, () => elicit('Go?', Ok));
    const tool = defineTool('go', { resolve: { ask } }, () => 'went');

    await expect(tool.call({})).rejects.toBeInstanceOf(ProtocolError);
    expect(await protocolErrorOf(tool.call({}))).toEqual({
      code: -32600,
      message:
        "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
    });
  });

  test('D16: the context says that there is no client', async () => {
    const read = resolver({}, (_, ctx) => ({
      protocolVersion: ctx.protocolVersion,
      clientCapabilities: ctx.clientCapabilities,
      canAsk: ctx.canAsk('form'),
      aborted: ctx.signal.aborted,
    }));
    const tool = defineTool('read', { resolve: { read } }, ({ read }) => {
      expect(read).toEqual({
        protocolVersion: undefined,
        clientCapabilities: undefined,
        canAsk: false,
        aborted: false,
      });
      return 'read';
    });

    expect(textOf(await tool.call({}))).toBe('read');
  });
});

describe('from inside another call', () => {
  const ask = resolver({}, () => elicit('Inner?', Ok));
  const inner = defineTool('inner', { resolve: { ask } }, ({ ask }) => `inner ${ask.ok}`);
  const quiet = defineTool('quiet', { inputSchema: Title }, ({ title }) => `quiet ${title}`);

  test.each(eras)('D17: a tool that does not ask can be called from a body (%s)', async (era) => {
    const outer = defineTool('outer', {}, async (_, ctx) =>
      textOf(await quiet.call({ title: 'Dune' }, ctx)),
    );
    const chat = await connectClient(era, serving([outer]));

    expect(await chat.text('outer')).toBe('quiet Dune');
  });

  test('D17: on legacy the inner tool asks the client of the outer one', async () => {
    const outer = defineTool('outer', {}, async (_, ctx) => textOf(await inner.call({}, ctx)));
    const chat = await connectClient('legacy', serving([outer]), {
      elicit: [accept({ ok: true })],
    });

    expect(await chat.text('outer')).toBe('inner true');
    expect(chat.asked).toEqual(['Inner?']);
  });

  test('D17: on modern the inner tool never takes an answer of the outer one for its own', async () => {
    const same = resolver({}, () => elicit('Inner?', Ok));
    const outer = defineTool('outer', { resolve: { ask: same } }, ({ ask }, ctx) => {
      expect(ask.ok).toBe(true);
      return inner.call({}, ctx);
    });
    const chat = await connectClient('modern', serving([outer]), {
      elicit: [accept({ ok: true })],
    });

    expect(await chat.errorText('outer')).toBe(
      'Error executing tool inner: it asks a question, which a call from inside another handler cannot do on this protocol version: use its resolvers in the outer tool',
    );
    expect(chat.asked).toEqual(['Inner?']);
  });

  test.each(eras)('D17: nor from the context of a hand-written handler (%s)', async (era) => {
    const factory = () => {
      const server = new McpServer({ name: 'mixed', version: '1.0.0' });
      install(server, [quiet]);
      server.registerTool('theirs', { inputSchema: z.object({}) }, async (_, ctx) => {
        const answer = acceptedContent(ctx.mcpReq.inputResponses, 'ask', Ok);
        if (answer === undefined) {
          return inputRequired({
            inputRequests: {
              ask: inputRequired.elicit({ message: 'Inner?', requestedSchema: Ok }),
            },
            requestState: 'outer state',
          });
        }
        expect(ctx.mcpReq.requestState()).toBe('outer state');
        const refused = await protocolErrorOf(inner.call({}, ctx));
        return { content: [{ type: 'text', text: `${refused.code}` }] };
      });
      return server;
    };
    const chat = await connectClient(era, factory, { elicit: [accept({ ok: true })] });

    expect(await chat.text('theirs')).toBe('-32600');
    expect(chat.asked).toEqual(['Inner?']);
  });

  test('D17: the state of the outer call is not the inner one’s, and survives it', async () => {
    const first = resolver({}, (_, ctx) => {
      expect(ctx.mcpReq.requestState()).toBeUndefined();
      return elicit('Outer?', Ok);
    });
    const outer = defineTool('outer', { resolve: { first } }, async (_, ctx) =>
      textOf(await quiet.call({ title: 'Dune' }, ctx)),
    );
    const chat = await connectClient('modern', serving([outer]), { elicit: [] });
    const { requestState } = questionsOf(await chat.sendRound('outer'));
    const inputResponses = { first: accept({ ok: true }) };

    expect(textOf(await chat.sendRound('outer', {}, { requestState, inputResponses }))).toBe(
      'quiet Dune',
    );
  });
});
