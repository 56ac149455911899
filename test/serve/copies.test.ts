/**
 * Two copies of the SDK in one process. The host uses its CommonJS build, as most frameworks do,
 * and the definitions come from ES modules. Both copies have classes of their own.
 */
import { createRequire } from 'node:module';
import { inputRequired, McpServer, ProtocolError, Server } from '@modelcontextprotocol/server';
import type * as sdk from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicitUrl,
  install,
  requestStateSeal,
  resolver,
  ToolError,
} from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient, type ScriptedUser } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf, textOf } from '../support/results.js';
import { SILENT, type Factory } from '../support/servers.js';

const host = createRequire(import.meta.url)('@modelcontextprotocol/server') as typeof sdk;
const info = { name: 'host', version: '1.0.0' };

const Order = z.object({ id: z.string() });
const sure = resolver({ id: argsOf(Order).id }, ({ id }) => confirm(`Pay ${id}?`), {
  asks: 'form',
});
const pay = defineTool(
  'pay',
  { inputSchema: Order, outputSchema: Order, resolve: { sure } },
  ({ id }) => ({ id }),
);
const throwing = (name: string, error: () => Error) =>
  defineTool(name, {}, (): string => {
    throw error();
  });
const link = resolver({}, () => elicitUrl('Sign in', 'https://id.example.com/start'), {
  asks: 'url',
});
const definitions = [
  pay,
  throwing('tool_error', () => new ToolError('sold out')),
  throwing('our_protocol_error', () => new ProtocolError(-32010, 'ours')),
  throwing('their_protocol_error', () => new host.ProtocolError(-32011, 'theirs')),
  throwing('masked', () => new Error('secret')),
  defineTool('sign_in', { resolve: { link } }, () => 'signed in'),
  definePrompt('receipt', { argsSchema: Order, resolve: { sure } }, ({ id }) => `receipt ${id}`),
  defineResource('price', 'price://today', { resolve: { rate: resolver({}, () => 7) } }, (values) =>
    String(values.rate),
  ),
];

test('the copies have different classes', () => {
  expect(host.McpServer).not.toBe(McpServer);
  expect(new host.Server(info)).not.toBeInstanceOf(Server);
});

describe.each(eras)('on the %s era', (era) => {
  describe.each<[string, () => sdk.McpServer | sdk.Server]>([
    ['an McpServer', () => new host.McpServer(info)],
    ['a low-level Server', () => new host.Server(info)],
  ])('definitions on %s of the other copy', (_, make) => {
    const factory: Factory = () => {
      const server = make();
      install(server, definitions, { logger: SILENT });
      return server;
    };
    const connect = (user: ScriptedUser) => connectClient(era, factory, user, host);

    test('ask, and read the answer', async () => {
      const able = await connect({ elicit: () => accept({ confirm: true }) });
      expect(await able.call('pay', { id: 'A' })).toMatchObject({ structuredContent: { id: 'A' } });
      const prompt = await able.client.getPrompt({ name: 'receipt', arguments: { id: 'B' } });
      expect(prompt.messages[0]?.content).toMatchObject({ text: 'receipt B' });
      const { contents } = await able.client.readResource({ uri: 'price://today' });
      expect(contents).toMatchObject([{ text: '7' }]);
      expect(able.asked).toEqual(['Pay A?', 'Pay B?']);

      const unwilling = await connect({ elicit: () => ({ action: 'decline' }) });
      expect(await unwilling.errorText('pay', { id: 'A' })).toContain('elicitation was decline');
    });

    test('ask the user to open a link', async () => {
      const capabilities = { elicitation: { url: {} } };
      const { text } = await connect({ capabilities, elicit: () => ({ action: 'accept' }) });
      expect(await text('sign_in')).toBe('signed in');
    });

    test('end with the same errors as on one copy', async () => {
      const { call, errorText } = await connect({});
      expect(await errorText('tool_error')).toBe('Error executing tool tool_error: sold out');
      expect(await errorText('masked')).toBe('Error executing tool masked');
      expect(await errorText('pay', {})).toContain('Input validation error');
      expect(await protocolErrorOf(call('our_protocol_error'))).toEqual({
        code: -32010,
        message: 'ours',
      });
      expect(await protocolErrorOf(call('their_protocol_error'))).toEqual({
        code: -32011,
        message: 'theirs',
      });
      expect(await protocolErrorOf(call('pay', { id: 'A' }))).toMatchObject({ code: -32021 });
    });
  });
});

describe('the seal on a server of the other copy', () => {
  test('binds a call to its arguments', async () => {
    const factory: Factory = () => {
      const server = new host.McpServer(info);
      install(server, definitions, { logger: SILENT });
      return server;
    };
    const { sendRound } = await connectClient('modern', factory, { elicit: [] }, host);
    const { requestState } = questionsOf(await sendRound('pay', { id: 'A' }));
    const inputResponses = { sure: accept({ confirm: true }) };

    const forged = sendRound('pay', { id: 'B' }, { requestState, inputResponses });
    expect(await protocolErrorOf(forged)).toEqual({
      code: -32602,
      message: 'Invalid or expired requestState',
      data: { reason: 'invalid_request_state' },
    });
    const resumed = await sendRound('pay', { id: 'A' }, { requestState, inputResponses });
    expect(resumed).toMatchObject({ structuredContent: { id: 'A' } });
  });

  test.each([
    ['this copy', inputRequired],
    ['the other copy', host.inputRequired],
  ])('protects hand-written questions of %s', async (_, ask) => {
    const seal = requestStateSeal.ephemeral({ logger: SILENT });
    const states: unknown[] = [];
    const factory: Factory = () => {
      const server = new host.McpServer(info);
      server.registerTool('by_hand', {}, (ctx) => {
        const state: unknown = ctx.mcpReq.requestState();
        states.push(state);
        if (state !== undefined) return { content: [{ type: 'text', text: 'done' }] };
        const question = ask.elicit({
          message: 'Go?',
          requestedSchema: z.object({ ok: z.boolean() }),
        });
        return ask({ inputRequests: { go: question }, requestState: 'plain' });
      });
      seal.protect(server);
      return server;
    };
    const { sendRound } = await connectClient('modern', factory, { elicit: [] }, host);
    const { requestState } = questionsOf(await sendRound('by_hand'));

    expect(requestState).not.toBe('plain');
    expect(textOf(await sendRound('by_hand', {}, { requestState }))).toBe('done');
    expect(
      await protocolErrorOf(sendRound('by_hand', {}, { requestState: 'plain' })),
    ).toMatchObject({ code: -32602 });
    expect(states).toEqual([undefined, 'plain']);
  });
});
