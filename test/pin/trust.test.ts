/** A pinned value stands in for what the server computes, so it is believed only if it was sealed. */
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
import { rewritten, yes } from './rounds.js';

beforeEach(() => {
  // Every refused state is warned about, and there are many here.
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

/** A quote that is pinned, and a question beside it. */
function graph() {
  let market = 4700;
  const quote = resolver({}, () => (market += 100), { pin: z.number(), name: 'quote' });
  const ready = resolver({}, () => confirm('Ready?'), { name: 'ready' });
  return { quote, ready };
}

describe('the engine without a boundary', () => {
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

  test('does not believe a pin, its own or a forged one', async () => {
    const plan = planResolvers({ name: 'buy', resolve: graph() }, []);
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
    // Computed, each time; never what the record says.
    expect(values).toEqual([4900, 5000]);
  });

  test('computes it in every round, and ends: answers count for what they read', async () => {
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
      name: 'approve',
    });
    const plan = planResolvers({ name: 'buy', resolve: { quote, approve } }, []);
    const text = stateOf(await round(plan));
    const requestState = (() => text) as ServerContext['mcpReq']['requestState'];
    const end = await round(plan, { requestState, inputResponses: { approve: yes } });

    expect(end).toMatchObject({ done: true, values: { quote: 4800, approve: true } });
    expect(runs).toBe(2);
  });

  test('believes it where a handler of its own stands behind a seal', async () => {
    const plan = planResolvers({ name: 'buy', resolve: graph() }, []);
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
  const tool = () => {
    const ran: string[] = [];
    const { quote, ready } = graph();
    const approve = resolver({ quote, ready }, (values) => confirm(`Buy for ${values.quote}?`), {
      name: 'approve',
    });
    const buy = defineTool('buy', { resolve: { quote, approve } }, (values) => {
      ran.push(`charged ${values.quote}`);
      return 'bought';
    });
    return { buy, ran };
  };

  test('is refused wherever a letter of it was changed, and nothing runs', async () => {
    const { buy, ran } = tool();
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

  test('is refused in the clear', async () => {
    const { buy } = tool();
    const handler = httpHandler(serving(buy));
    const record = {
      ...{ v: 4, id: 'AAECAwQFBgcICQoLDA0ODw', start: Date.now() / 1000, outcomes: {}, asked: {} },
      pins: { quote: { value: 1, on: 'AAAAAAAAAAAAAAAAAAAAAA' } },
    };
    const params = { name: 'buy', arguments: {}, requestState: JSON.stringify(record) };
    const { body } = await post(handler, 'tools/call', params, { capabilities: FORMS });

    expect(body.error).toEqual(FROZEN);
  });

  test('is refused on the legacy era, which carries nothing between rounds', async () => {
    const { buy, ran } = tool();
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

  test('is believed if it was sealed with the right key: whoever has that is the server', async () => {
    const { buy, ran } = tool();
    const sendRound = roundsOf(buy);
    const second = await sendRound(answering(await sendRound(), { ready: yes }));
    const requestState = rewritten(second, ({ pins = {}, ...record }) => ({
      ...record,
      pins: { quote: { ...pins.quote, value: 1 } },
    }));
    const third = await sendRound({ inputResponses: { approve: yes }, requestState });

    // The question shows the pinned value, and nobody was asked about this one.
    expect(questionsOf(third).requests.approve?.params?.message).toBe('Buy for 1?');
    expect(ran).toEqual([]);
  });
});
