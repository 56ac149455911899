/** D16, D17. Direct calls of a tool, without a server or from inside another call. */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, resolver, ToolError } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';

const Ok = z.object({ ok: z.boolean() });
const Title = z.object({ title: z.string() });
const title = argsOf(Title).title;

describe('a call without a context', () => {
  test('D16: runs the resolvers and returns the result of the tool', async () => {
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

  test('D16: takes an empty object or nothing if the tool has no arguments', async () => {
    const direct = defineTool(
      'direct',
      { resolve: { one: resolver({}, () => 'direct') } },
      (v) => v.one,
    );

    expect(textOf(await direct.call({}))).toBe('direct');
    expect(textOf(await direct.call(undefined))).toBe('direct');
  });

  test('D16: validates arguments and drops resolved parameters, as on the wire', async () => {
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

  test('D16: returns structured content if the tool has an output schema', async () => {
    const tool = defineTool('ok', { outputSchema: Ok }, () => ({ ok: true }));

    expect(await tool.call({})).toEqual({
      content: [{ type: 'text', text: '{"ok":true}' }],
      structuredContent: { ok: true },
    });
  });

  const fail = (): never => {
    throw new ToolError('no such book');
  };

  test.each([
    ['resolver', defineTool('quote', { resolve: { failing: resolver({}, fail) } }, () => 'ran')],
    ['body', defineTool('quote', {}, fail)],
  ])('D16: returns a tool error if a %s throws', async (_, tool) => {
    expect(await tool.call({})).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'Error executing tool quote: no such book' }],
    });
  });

  test('D16: returns a tool error if a resolver asks', async () => {
    const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
    const tool = defineTool('go', { resolve: { ask } }, () => 'went');

    expect(errorTextOf(await tool.call({}))).toMatch(
      /^Error executing tool go: Resolver 'ask' asks a question, but a direct call has no client to ask\./,
    );
  });

  test('D16: has a context without a client', async () => {
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

describe('a call from inside another call', () => {
  const ask = resolver({}, () => elicit('Inner?', Ok), { asks: 'form' });
  const inner = defineTool('inner', { resolve: { ask } }, ({ ask }) => `inner ${ask.ok}`);
  const quiet = defineTool('quiet', { inputSchema: Title }, ({ title }) => `quiet ${title}`);

  test.each(eras)('D17: works if the inner tool does not ask (%s)', async (era) => {
    const outer = defineTool('outer', {}, async (_, ctx) =>
      textOf(await quiet.call({ title: 'Dune' }, ctx)),
    );

    expect(await run(outer, {}, { era })).toMatchObject({ text: 'quiet Dune' });
  });

  test('D17: asks the client of the outer call on legacy', async () => {
    const outer = defineTool('outer', {}, async (_, ctx) => textOf(await inner.call({}, ctx)));
    const answers = { 'elicitation/create': accept({ ok: true }) };

    expect(await run(outer, {}, { era: 'legacy', answers })).toMatchObject({
      text: 'inner true',
      questions: [{ message: 'Inner?' }],
    });
  });

  test('D17: never uses an answer to the outer call on modern', async () => {
    const same = resolver({}, () => elicit('Inner?', Ok), { asks: 'form' });
    const outer = defineTool('outer', { resolve: { ask: same } }, ({ ask }, ctx) => {
      expect(ask.ok).toBe(true);
      return inner.call({}, ctx);
    });
    expect(await run(outer, {}, { answers: { ask: accept({ ok: true }) } })).toMatchObject({
      isError: true,
      text: "Error executing tool inner: 'inner' asks a question, but a call from inside another handler cannot ask on this protocol version. Use its resolvers in the outer definition.",
      questions: [{ message: 'Inner?' }],
    });
  });

  test.each(eras)('D17: never uses an answer to a hand-written handler (%s)', async (era) => {
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
        return inner.call({}, ctx);
      });
      return server;
    };
    const client = await connectClient(era, factory, { elicit: [accept({ ok: true })] });

    expect(await client.errorText('theirs')).toMatch(
      /^Error executing tool inner: Resolver 'ask' asks a question, but a direct call has no client to ask\./,
    );
    expect(client.asked).toEqual(['Inner?']);
  });

  test('D17: neither sees nor changes the state of the outer call', async () => {
    const first = resolver(
      {},
      (_, ctx) => {
        expect(ctx.mcpReq.requestState()).toBeUndefined();
        return elicit('Outer?', Ok);
      },
      { asks: 'form' },
    );
    const outer = defineTool('outer', { resolve: { first } }, async (_, ctx) =>
      textOf(await quiet.call({ title: 'Dune' }, ctx)),
    );
    const { sendRound } = await connectClient('modern', serving([outer]), { elicit: [] });
    const { requestState } = questionsOf(await sendRound('outer'));
    const inputResponses = { first: accept({ ok: true }) };

    expect(textOf(await sendRound('outer', {}, { requestState, inputResponses }))).toBe(
      'quiet Dune',
    );
  });
});
