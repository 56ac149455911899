/**
 * Tests that a pinned value is restored only from a sealed state, because it replaces a value that
 * the server computes.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, requestStateSeal, resolver } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Resolution } from 'mcp-resolve/engine';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { contextOf } from '../engine/play.js';
import { questionsOf } from '../support/results.js';
import { type Factory, httpHandler } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import { answering, roundsOf, serving } from '../support/rounds.js';
import { rewriteState, yes } from './rounds.js';

beforeEach(() => {
  // The server logs a warning for every refused state, and these tests send many.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const FROZEN = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};
const FORMS = { elicitation: {} };

/** Creates a pinned quote, and a question that does not depend on it. */
function quoteAndQuestion() {
  let market = 4700;
  const quote = resolver({}, () => (market += 100), { pin: z.number(), name: 'quote' });
  const ready = resolver({}, () => confirm('Ready?'), { asks: 'form', name: 'ready' });
  return { quote, ready };
}

describe('the engine without install', () => {
  const round = (plan: Parameters<typeof resolveArguments>[0], mcpReq: object = {}) =>
    resolveArguments(
      plan,
      {},
      { ctx: contextOf(mcpReq), protocolVersion: '2026-07-28', clientCapabilities: FORMS },
    );
  const stateOf = (resolution: Resolution): string => {
    if (resolution.done) throw new Error('expected questions');
    return resolution.result.requestState!;
  };

  test('computes the value again if its state is not sealed, genuine or forged', async () => {
    const plan = planResolvers({ name: 'buy', resolve: quoteAndQuestion() }, []);
    const state = stateOf(await round(plan));
    const record = JSON.parse(state) as { pins: Record<string, { value: unknown; on: string }> };
    expect(record.pins.quote).toEqual({ value: 4800, on: expect.any(String) as string });

    const forged = { ...record, pins: { quote: { ...record.pins.quote, value: 1 } } };
    const values: unknown[] = [];
    for (const text of [state, JSON.stringify(forged)]) {
      const requestState = (() => text) as ServerContext['mcpReq']['requestState'];
      const end = await round(plan, { requestState, inputResponses: { ready: yes } });
      values.push(end.done && end.values.quote);
    }
    // Never the value in the record.
    expect(values).toEqual([4900, 5000]);
  });

  test('warns once that its state is not sealed, and not if a seal protects the server', async () => {
    const lines: string[] = [];
    const logger = { warn: (line: string) => void lines.push(line) };
    const plan = planResolvers({ name: 'buy', resolve: quoteAndQuestion() }, []);
    const factory = (isSealed: boolean) => () => {
      const server = new Server(
        { name: 'shop', version: '1.0.0' },
        { capabilities: { tools: {} } },
      );
      server.setRequestHandler('tools/call', async (_, ctx) => {
        const facts = { protocolVersion: '2026-07-28', clientCapabilities: FORMS };
        const resolution = await resolveArguments(plan, {}, { ctx, logger, ...facts });
        return resolution.done ? { content: [] } : resolution.result;
      });
      if (isSealed) requestStateSeal.ephemeral({ logger }).protect(server);
      return server;
    };
    const callOf = async (isSealed: boolean): Promise<string> => {
      const params = { name: 'buy', arguments: {} };
      const handler = httpHandler(factory(isSealed));
      const { body } = await post(handler, 'tools/call', params, { capabilities: FORMS });
      return questionsOf(body.result as never).requestState;
    };

    expect(await callOf(true)).toMatch(/^v1\./);
    expect(lines).toEqual([]);
    expect(await callOf(false)).toContain('"pins"');
    await callOf(false);
    expect(lines).toEqual([
      'The state between rounds leaves this server unsealed, so the client can read it and change it. It comes from resolveArguments() of mcp-resolve/engine in a handler that no seal protects. Call requestStateSeal({ keys, audience }).protect(server) where the server is built.',
    ]);
  });

  test('computes the value in every round, and still accepts answers to the same question', async () => {
    let runs = 0;
    const quote = resolver(
      {},
      () => {
        runs += 1;
        return 4800;
      },
      { pin: z.number(), name: 'quote' },
    );
    const approve = resolver({ quote }, (values) => confirm(`Buy for ${values.quote}?`), {
      asks: 'form',
      name: 'approve',
    });
    const plan = planResolvers({ name: 'buy', resolve: { quote, approve } }, []);
    const text = stateOf(await round(plan));
    const requestState = (() => text) as ServerContext['mcpReq']['requestState'];
    const end = await round(plan, { requestState, inputResponses: { approve: yes } });

    expect(end).toMatchObject({ done: true, values: { quote: 4800, approve: true } });
    expect(runs).toBe(2);
  });

  test('restores the value in a hand-written handler that is protected by a seal', async () => {
    const plan = planResolvers({ name: 'buy', resolve: quoteAndQuestion() }, []);
    const seal = requestStateSeal({
      keys: ['a key of the tests, 32 bytes or more'],
      audience: 'hand-written',
    });
    const factory: Factory = () => {
      const server = new Server(
        { name: 'hand-written', version: '1.0.0' },
        { capabilities: { tools: {} } },
      );
      server.setRequestHandler('tools/call', async (_, ctx) => {
        const resolution = await resolveArguments(
          plan,
          {},
          { ctx, protocolVersion: '2026-07-28', clientCapabilities: FORMS },
        );
        if (!resolution.done) return resolution.result;
        return { content: [{ type: 'text', text: JSON.stringify(resolution.values) }] };
      });
      seal.protect(server);
      return server;
    };
    const handler = httpHandler(factory);
    const call = (more: object = {}) =>
      post(handler, 'tools/call', { name: 'buy', arguments: {}, ...more }, { capabilities: FORMS });
    const { requestState } = (await call()).body.result!;

    expect(
      (await call({ requestState, inputResponses: { ready: yes } })).body.result,
    ).toMatchObject({ content: [{ text: '{"quote":4800,"ready":true}' }] });
    const letter = String(requestState).endsWith('A') ? 'B' : 'A';
    const tampered = `${String(requestState).slice(0, -1)}${letter}`;
    expect(
      (await call({ requestState: tampered, inputResponses: { ready: yes } })).body.error,
    ).toEqual(FROZEN);
  });
});

describe('a sealed state', () => {
  const quoteTool = () => {
    const ran: string[] = [];
    const { quote, ready } = quoteAndQuestion();
    const approve = resolver({ quote, ready }, (values) => confirm(`Buy for ${values.quote}?`), {
      asks: 'form',
      name: 'approve',
    });
    const buy = defineTool('buy', { resolve: { quote, approve } }, (values) => {
      ran.push(`charged ${values.quote}`);
      return 'bought';
    });
    return { buy, ran };
  };

  test('is refused if any of its characters was changed, and nothing runs', async () => {
    const { buy, ran } = quoteTool();
    const handler = httpHandler(serving(buy));
    const { requestState } = questionsOf(await roundsOf(buy)());
    for (let at = 0; at < requestState.length; at += 17) {
      const letter = requestState[at] === 'A' ? 'B' : 'A';
      const tampered = `${requestState.slice(0, at)}${letter}${requestState.slice(at + 1)}`;
      const params = { name: 'buy', arguments: {}, requestState: tampered };
      const { body } = await post(
        handler,
        'tools/call',
        { ...params, inputResponses: { ready: yes, approve: yes } },
        { capabilities: FORMS },
      );
      expect(body.error).toEqual(FROZEN);
    }
    expect(ran).toEqual([]);
  });

  test('is refused without its encryption', async () => {
    const { buy } = quoteTool();
    const handler = httpHandler(serving(buy));
    const record = {
      ...{ v: 8, id: 'AAECAwQFBgcICQoLDA0ODw', outcomes: {}, asked: {} },
      ...{ definition: 'tools/call buy', args: 'RBNvo1WzZ4oRRq0W9-hkng' },
      ...{ start: Date.now() / 1000, deadline: Date.now() / 1000 + 3600 },
      pins: { quote: { value: 1, on: 'AAAAAAAAAAAAAAAAAAAAAA' } },
    };
    const params = { name: 'buy', arguments: {}, requestState: JSON.stringify(record) };
    const { body } = await post(handler, 'tools/call', params, { capabilities: FORMS });

    expect(body.error).toEqual(FROZEN);
  });

  test('is refused on the legacy era, which has no rounds', async () => {
    const { buy, ran } = quoteTool();
    const { requestState } = questionsOf(await roundsOf(buy)());
    const client = await rawLegacy(serving(buy), {
      capabilities: FORMS,
      answer: () => ({ result: yes }),
    });
    const { error } = await client.request('tools/call', {
      name: 'buy',
      arguments: {},
      requestState,
    });

    expect(error).toEqual(FROZEN);
    expect(ran).toEqual([]);
  });

  test('is accepted if it was rewritten with the right key', async () => {
    const { buy, ran } = quoteTool();
    const sendRound = roundsOf(buy);
    const second = await sendRound(answering(await sendRound(), { ready: yes }));
    const requestState = rewriteState(second, ({ pins = {}, ...record }) => ({
      ...record,
      pins: { quote: { ...pins.quote, value: 1 } },
    }));
    const third = await sendRound({ inputResponses: { approve: yes }, requestState });

    // The question shows the rewritten value, so the earlier answer does not count.
    expect(questionsOf(third).requests.approve?.params?.message).toBe('Buy for 1?');
    expect(ran).toEqual([]);
  });
});
