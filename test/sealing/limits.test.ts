/** The identity of a call, and how long, how large and how deep it may be. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, elicit, install, resolver } from 'mcp-resolve';
import type { CallContext, Rejection, RequestStateSeal, SealSettings, Tool } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import type { Factory } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';
import {
  ACCEPT,
  ask,
  desk,
  endOf,
  expectFrozen,
  type Layer,
  layers,
  moments,
  overHttp,
  overStdio,
  type Reply,
  retry,
  sealing,
  type Seen,
  type Send,
  throwingReports,
  tokenOf,
} from './desk.js';

const NOW = 1_767_225_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

const OK = { action: 'accept', content: { confirm: true } };

/** A tool that asks three questions one after another, and the ids that were seen on the way. */
function threeQuestions() {
  const ids: string[] = [];
  const asking = (message: string, { callId }: CallContext) => {
    ids.push(callId);
    return confirm(message);
  };
  const one = resolver({}, (_, ctx) => asking('One?', ctx), { name: 'one' });
  const two = resolver({ one }, (_, ctx) => asking('Two?', ctx), { name: 'two' });
  const three = resolver({ two }, (_, ctx) => asking('Three?', ctx), { name: 'three' });
  const tool = defineTool('went', { resolve: { three } }, (_, { callId }) => {
    ids.push(callId);
    return callId;
  });
  return { tool, ids };
}

/** Makes a factory of servers with one tool. */
const having = (layer: Layer, tool: Tool, seal: RequestStateSeal): Factory => {
  const info = { name: 'desk', version: '1.0.0' };
  return () => {
    const server = layer === 'McpServer' ? new McpServer(info) : new Server(info, {});
    install(server, [tool], { seal });
    return server;
  };
};

const answer = (send: Send, key: string, requestState: string): Promise<Reply> =>
  send('tools/call', { name: 'went', inputResponses: { [key]: OK }, requestState });

describe('the id of a call', () => {
  test.each(eras)('is the same in every round and another in every call (%s)', async (era) => {
    const { tool, ids } = threeQuestions();
    const { text } = await connectClient(era, having('McpServer', tool, sealing().seal), {
      elicit: () => accept({ confirm: true }),
    });
    const first = await text('went');
    expect(first).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(new Set(ids)).toEqual(new Set([first]));
    const second = await text('went');
    expect(second).not.toBe(first);
    expect(new Set(ids)).toEqual(new Set([first, second]));
  });

  test.each(layers)('goes on in another server with the same keys (%s)', async (layer) => {
    const { tool, ids } = threeQuestions();
    const sends = [1, 2].map(() => overHttp(having(layer, tool, sealing().seal)));
    let token = await ask(sends[0]!, { name: 'went' });
    token = tokenOf(await answer(sends[1]!, 'one', token));
    token = tokenOf(await answer(sends[0]!, 'two', token));
    const end = endOf(await answer(sends[1]!, 'three', token));
    expect(new Set(ids)).toEqual(new Set([end]));
  });

  test('is not taken from anything that a client can write', async () => {
    const { tool, ids } = threeQuestions();
    const { seal } = sealing();
    const send = overHttp(having('McpServer', tool, seal));
    const id = 'AAAAAAAAAAAAAAAAAAAAAA';
    const forged = {
      name: 'went',
      arguments: { callId: id, id },
      callId: id,
      id,
      _meta: { callId: id, id, 'mcp-resolve/callId': id },
      inputResponses: { id: { id }, callId: { callId: id } },
    };
    await ask(send, forged);
    expect(ids).toHaveLength(1);
    expect(ids[0]).not.toBe(id);
    const record = JSON.stringify({ v: 4, id, start: NOW / 1000, outcomes: {}, asked: {} });
    expectFrozen(await send('tools/call', { name: 'went', requestState: record }));
    expect(ids).toHaveLength(1);
  });
});

describe.each(layers)('I30: maxFlowSeconds on %s', (layer) => {
  const open = (settings: SealSettings = {}) => {
    const { tool, ids } = threeQuestions();
    const rejections: Rejection[] = [];
    const { seal, said } = sealing({
      maxFlowSeconds: 1000,
      onReject: (rejection) => void rejections.push(rejection),
      ...settings,
    });
    return { send: overHttp(having(layer, tool, seal)), ids, rejections, said };
  };

  /** Answers the first question after 500 seconds; the next token would last until second 1100. */
  const halfway = async (send: Send): Promise<string> => {
    const first = await ask(send, { name: 'went' });
    vi.setSystemTime(NOW + 500_000);
    return tokenOf(await answer(send, 'one', first));
  };

  test('past it a call gets the frozen error, and the reason is reported', async () => {
    const { send, ids, rejections, said } = open();
    const second = await halfway(send);
    const before = ids.length;
    vi.setSystemTime(NOW + 1_000_001);
    expectFrozen(await answer(send, 'two', second));
    expect(ids).toHaveLength(before);
    expect(rejections).toEqual([{ reason: 'expired', method: 'tools/call' }]);
    expect(said).toEqual(['requestState rejected on tools/call: expired']);
  });

  test('within it the call goes on', async () => {
    const { send } = open();
    const second = await halfway(send);
    vi.setSystemTime(NOW + 1_000_000);
    expect(tokenOf(await answer(send, 'two', second))).toMatch(/^v1\./);
  });

  test.each(throwingReports)(
    'I7: %s that throws does not change the answer',
    async (_, settings) => {
      const { send } = open(settings);
      const second = await halfway(send);
      vi.setSystemTime(NOW + 1_000_001);
      expectFrozen(await answer(send, 'two', second));
    },
  );
});

test('I30: a hand-written call is bound by ttlSeconds alone', async () => {
  const { seal } = sealing({ maxFlowSeconds: 10 });
  const send = overHttp(desk({ seal }));
  const token = await ask(send);
  vi.setSystemTime(NOW + 599_000);
  expect(endOf(await retry(send, token))).toBe('deployed to staging');
});

describe('maxStateBytes', () => {
  test('a token longer than it allows is malformed before it is decoded', async () => {
    const opened: string[] = [];
    const codec = {
      seal: () => 'token',
      unseal: (token: string) => {
        opened.push(token);
        return new Uint8Array(0);
      },
    };
    const { seal, said } = sealing({ codec, maxStateBytes: 1000 });
    const send = overHttp(desk({ seal }));
    expectFrozen(await retry(send, 'x'.repeat(100_000)));
    expect(opened).toEqual([]);
    expect(said).toEqual(['requestState rejected on tools/call: malformed']);
  });

  test('a hand-written state up to it is sealed and opened, and one byte more is an internal error', async () => {
    const { seal, said } = sealing({ maxStateBytes: 1000 });
    const { codec } = seal['~policy'];
    const empty = await codec.unseal(await ask(overHttp(desk({ seal, state: '' }))));
    const state = 'x'.repeat(1000 - empty.length);
    const send = overHttp(desk({ seal, state }));
    expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
    const { error } = await overHttp(desk({ seal, state: `${state}x` }))('tools/call', {
      name: 'deploy',
      arguments: { env: 'staging' },
    });
    expect(error).toEqual({ code: -32603, message: 'Internal error' });
    expect(said).toEqual(['requestState could not be sealed on tools/call: RangeError']);
  });

  test.each(layers)(
    'answers that make the state too large are a tool error that names the largest (%s)',
    async (layer) => {
      const Text = z.object({ text: z.string() });
      const title = resolver({}, () => elicit('Title?', Text), { name: 'title' });
      const essay = resolver({}, () => elicit('Essay?', Text), { name: 'essay' });
      const sure = resolver({ title, essay }, () => confirm('Sure?'), { name: 'confirm' });
      const tool = defineTool('write', { resolve: { sure } }, () => 'written');
      const { seal } = sealing({ maxStateBytes: 1500 });
      const send = overHttp(having(layer, tool, seal));
      const token = await ask(send, { name: 'write' });
      const written = (length: number) =>
        send('tools/call', {
          name: 'write',
          inputResponses: {
            title: { action: 'accept', content: { text: 'On size' } },
            essay: { action: 'accept', content: { text: 'x'.repeat(length) } },
          },
          requestState: token,
        });
      const entry = { action: 'accept', data: { text: 'x'.repeat(1200) }, q: 'q'.repeat(22) };
      const { result } = await written(1200);
      expect(result).toMatchObject({ isError: true });
      expect(endOf({ text: '', result: result! })).toMatch(
        new RegExp(
          '^Error executing tool write: the state between rounds would take about \\d{4} bytes, ' +
            'more than maxStateBytes allows \\(1500\\); ' +
            `the largest answer is that of 'essay' with ${JSON.stringify(entry).length} bytes$`,
        ),
      );
      const next = tokenOf(await written(100));
      expect(endOf(await retry(send, next, { name: 'write' }))).toBe('written');
    },
  );

  test('what a tool error lets pass can always be sealed', async () => {
    const Text = z.object({ text: z.string() });
    const essay = resolver({}, () => elicit('Essay?', Text), { name: 'essay' });
    const sure = resolver({ essay }, () => confirm('Sure?'), { name: 'confirm' });
    const tool = defineTool('write', { resolve: { sure } }, () => 'written');
    const { seal } = sealing({ maxStateBytes: 1200 });
    const send = overHttp(having('McpServer', tool, seal));
    const token = await ask(send, { name: 'write' });
    const ends = new Set<string>();
    for (let length = 50; length < 500; length += 10) {
      // Half of them are characters that take more room in JSON than in memory.
      const text = 'x"'.repeat(length / 2);
      const { result, error } = await send('tools/call', {
        name: 'write',
        inputResponses: { essay: { action: 'accept', content: { text } } },
        requestState: token,
      });
      expect(error).toBeUndefined();
      ends.add(result?.isError === true ? 'tool error' : 'asked');
    }
    expect(ends).toEqual(new Set(['asked', 'tool error']));
  });
});

describe('nesting', () => {
  const TOO_DEEP = {
    code: -32602,
    message: 'Arguments and answers may be nested at most 256 levels deep',
  };
  const arrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
  const nested = (json: string) => ({
    rewrite: (message: string) => message.replace('"HERE"', json),
  });
  const HERE = { name: 'deploy', arguments: { env: 'staging', deep: 'HERE' } };

  describe.each(layers)('on %s', (layer) => {
    describe.each(moments)('with handlers wrapped %s', (when) => {
      describe.each(['HTTP', 'stdio'])('over %s', (transport) => {
        const open = (seen: Seen) => {
          const factory = desk({ layer, when, seal: sealing().seal, seen });
          return transport === 'HTTP' ? overHttp(factory) : overStdio(factory);
        };

        test.each([
          ['arrays', arrays, 257],
          ['arrays', arrays, 20_000],
          ['objects', objects, 257],
          ['objects', objects, 20_000],
        ] as const)('arguments of %s nested too deep are refused: %#', async (_, make, levels) => {
          const seen: Seen = [];
          const { error } = await open(seen)('tools/call', HERE, nested(make(levels)));
          expect(error).toEqual(TOO_DEEP);
          expect(seen).toEqual([]);
        });

        test('arguments of 256 levels pass, and so does their binding', async () => {
          const send = open([]);
          const token = tokenOf(await send('tools/call', HERE, nested(arrays(255))));
          const end = { ...HERE, inputResponses: ACCEPT, requestState: token };
          expect(endOf(await send('tools/call', end, nested(arrays(255))))).toBe(
            'deployed to staging',
          );
        });

        test.each([300, 20_000])('answers nested %i deep are refused', async (levels) => {
          const seen: Seen = [];
          const send = open(seen);
          const token = await ask(send);
          const inputResponses = { confirm: { action: 'accept', content: { confirm: 'HERE' } } };
          const params = { name: 'deploy', arguments: { env: 'staging' }, inputResponses };
          const reply = await send(
            'tools/call',
            { ...params, requestState: token },
            nested(arrays(levels)),
          );
          expect(reply.error).toEqual(TOO_DEEP);
          expect(seen).toHaveLength(1);
          expect(endOf(await retry(send, token))).toBe('deployed to staging');
        });
      });
    });
  });

  test.each(layers)('on the 2025 era, in process, too (%s)', async (layer) => {
    const seen: Seen = [];
    const { request } = await rawLegacy(desk({ layer, seal: sealing().seal, seen }));
    for (const levels of [257, 20_000]) {
      const deep: unknown = JSON.parse(arrays(levels));
      const { error } = await request('tools/call', { name: 'deploy', arguments: { deep } });
      expect(error).toEqual(TOO_DEEP);
    }
    expect(seen).toEqual([]);
  });

  test.each(layers)('tools of resolvers refuse them before anything runs (%s)', async (layer) => {
    const ran: string[] = [];
    const sure = resolver(
      {},
      () => {
        ran.push('resolver');
        return confirm('Go?');
      },
      { name: 'confirm' },
    );
    const inputSchema = z.object({ deep: z.any() });
    const tool = defineTool('went', { inputSchema, resolve: { sure } }, () => 'went');
    const send = overHttp(having(layer, tool, sealing().seal));
    const params = { name: 'went', arguments: { deep: 'HERE' } };
    const { error } = await send('tools/call', params, nested(arrays(20_000)));
    expect(error).toEqual(TOO_DEEP);
    expect(ran).toEqual([]);
  });
});
