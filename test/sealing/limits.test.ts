/** The id of a call, and the limits on its time, its size and its depth. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, elicit, install, resolver } from 'mcp-resolve';
import type { CallContext, Rejection, RequestStateSeal, SealSettings, Tool } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import type { Factory } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';
import {
  ACCEPT,
  acceptQuestion,
  ask,
  createSeal,
  desk,
  endOf,
  expectFrozen,
  type Layer,
  layers,
  moments,
  overHttp,
  overStdio,
  retry,
  type Seen,
  type Send,
  throwingReports,
  tokenOf,
  useFixedDate,
} from './desk.js';

const NOW = 1_767_225_600_000;

useFixedDate(NOW);

/** Creates a tool that asks three questions in sequence, and records each call id it sees. */
function threeQuestions() {
  const ids: string[] = [];
  const asking = (message: string, { callId }: CallContext) => {
    ids.push(callId);
    return confirm(message);
  };
  const one = resolver({}, (_, ctx) => asking('One?', ctx), { asks: 'form', name: 'one' });
  const two = resolver({ one }, (_, ctx) => asking('Two?', ctx), { asks: 'form', name: 'two' });
  const three = resolver({ two }, (_, ctx) => asking('Three?', ctx), {
    asks: 'form',
    name: 'three',
  });
  const tool = defineTool('went', { resolve: { three } }, (_, { callId }) => {
    ids.push(callId);
    return callId;
  });
  return { tool, ids };
}

/** Creates a factory of servers with one tool. */
const servingOn = (layer: Layer, tool: Tool, seal: RequestStateSeal): Factory => {
  const info = { name: 'desk', version: '1.0.0' };
  const { logger } = seal['~policy'];
  return () => {
    const server = layer === 'McpServer' ? new McpServer(info) : new Server(info, {});
    install(server, [tool], { seal, ...(logger && { logger }) });
    return server;
  };
};

describe('the id of a call', () => {
  test.each(eras)('is the same in every round and differs between calls (%s)', async (era) => {
    const { tool, ids } = threeQuestions();
    const { text } = await connectClient(era, servingOn('McpServer', tool, createSeal().seal), {
      elicit: () => accept({ confirm: true }),
    });
    const first = await text('went');
    expect(first).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(new Set(ids)).toEqual(new Set([first]));
    const second = await text('went');
    expect(second).not.toBe(first);
    expect(new Set(ids)).toEqual(new Set([first, second]));
  });

  test.each(layers)('stays the same on another server with the same keys (%s)', async (layer) => {
    const { tool, ids } = threeQuestions();
    const sends = [1, 2].map(() => overHttp(servingOn(layer, tool, createSeal().seal)));
    let token = await ask(sends[0]!, { name: 'went' });
    token = tokenOf(await acceptQuestion(sends[1]!, 'one', token));
    token = tokenOf(await acceptQuestion(sends[0]!, 'two', token));
    const end = endOf(await acceptQuestion(sends[1]!, 'three', token));
    expect(new Set(ids)).toEqual(new Set([end]));
  });

  test('does not come from anything in a request that a client can write', async () => {
    const { tool, ids } = threeQuestions();
    const { seal } = createSeal();
    const send = overHttp(servingOn('McpServer', tool, seal));
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
    const record = JSON.stringify({
      v: 8,
      id,
      definition: 'tools/call went',
      args: 'RBNvo1WzZ4oRRq0W9-hkng',
      start: NOW / 1000,
      deadline: NOW,
      outcomes: {},
      asked: {},
    });
    expectFrozen(await send('tools/call', { name: 'went', requestState: record }));
    expect(ids).toHaveLength(1);
  });
});

describe.each(layers)('I30: maxFlowSeconds on %s', (layer) => {
  const open = (settings: SealSettings = {}) => {
    const { tool, ids } = threeQuestions();
    const rejections: Rejection[] = [];
    const { seal, logged } = createSeal({
      maxFlowSeconds: 1000,
      onReject: (rejection) => void rejections.push(rejection),
      ...settings,
    });
    return { send: overHttp(servingOn(layer, tool, seal)), ids, rejections, logged };
  };

  /** Answers the first question after 500 seconds. The next token lasts until second 1100. */
  const halfway = async (send: Send): Promise<string> => {
    const first = await ask(send, { name: 'went' });
    vi.setSystemTime(NOW + 500_000);
    return tokenOf(await acceptQuestion(send, 'one', first));
  };

  test('ends an older call with the frozen error, and reports the reason', async () => {
    const { send, ids, rejections, logged } = open();
    const second = await halfway(send);
    const before = ids.length;
    vi.setSystemTime(NOW + 1_000_001);
    expectFrozen(await acceptQuestion(send, 'two', second));
    expect(ids).toHaveLength(before);
    expect(rejections).toEqual([{ reason: 'expired', method: 'tools/call' }]);
    expect(logged).toEqual(['requestState rejected on tools/call: expired']);
  });

  test('lets a call continue until that time', async () => {
    const { send } = open();
    const second = await halfway(send);
    vi.setSystemTime(NOW + 1_000_000);
    expect(tokenOf(await acceptQuestion(send, 'two', second))).toMatch(/^v1\./);
  });

  test.each(throwingReports)(
    'I7: ends an older call with the same error if %s throws',
    async (_, settings) => {
      const { send } = open(settings);
      const second = await halfway(send);
      vi.setSystemTime(NOW + 1_000_001);
      expectFrozen(await acceptQuestion(send, 'two', second));
    },
  );
});

test('I30: maxFlowSeconds does not limit a hand-written call', async () => {
  const { seal } = createSeal({ maxFlowSeconds: 10 });
  const send = overHttp(desk({ seal }));
  const token = await ask(send);
  vi.setSystemTime(NOW + 599_000);
  expect(endOf(await retry(send, token))).toBe('deployed to staging');
});

describe('maxStateBytes', () => {
  test('refuses a longer token as malformed before it is decoded', async () => {
    const opened: string[] = [];
    const codec = {
      seal: () => 'token',
      unseal: (token: string) => {
        opened.push(token);
        return new Uint8Array(0);
      },
    };
    const { seal, logged } = createSeal({ codec, maxStateBytes: 1000 });
    const send = overHttp(desk({ seal }));
    expectFrozen(await retry(send, 'x'.repeat(100_000)));
    expect(opened).toEqual([]);
    expect(logged).toEqual(['requestState rejected on tools/call: malformed']);
  });

  test('allows a hand-written state of exactly that size, and fails with one byte more', async () => {
    const { seal, logged } = createSeal({ maxStateBytes: 1000 });
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
    expect(logged).toEqual([
      'requestState could not be sealed on tools/call: RangeError: The state is larger than 1000 bytes.',
    ]);
  });

  test.each(layers)(
    'ends the call if the answers are too large, and logs which one is the largest (%s)',
    async (layer) => {
      const Text = z.object({ text: z.string() });
      const title = resolver({}, () => elicit('Title?', Text), { asks: 'form', name: 'title' });
      const essay = resolver({}, () => elicit('Essay?', Text), { asks: 'form', name: 'essay' });
      const sure = resolver({ title, essay }, () => confirm('Sure?'), {
        asks: 'form',
        name: 'confirm',
      });
      const tool = defineTool('write', { resolve: { sure } }, () => 'written');
      const { seal, logged } = createSeal({ maxStateBytes: 1500 });
      const send = overHttp(servingOn(layer, tool, seal));
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
      expect(endOf({ text: '', result: result! })).toBe('Error executing tool write');
      expect(logged).toHaveLength(1);
      expect(logged[0]).toMatch(
        new RegExp(
          "^'write' failed in call [\\w-]{22}: Error: The state between rounds would take about \\d{4} bytes, " +
            'but `maxStateBytes` allows only 1500\\. ' +
            `The largest answer is that of 'essay' with ${JSON.stringify(entry).length} bytes\\. ` +
            'Pin less, ask for less, or raise `maxStateBytes`\\.$',
        ),
      );
      const next = tokenOf(await written(100));
      expect(endOf(await retry(send, next, { name: 'write' }))).toBe('written');
    },
  );

  test('either ends the call with a tool error or seals the state, at every size', async () => {
    const Text = z.object({ text: z.string() });
    const essay = resolver({}, () => elicit('Essay?', Text), { asks: 'form', name: 'essay' });
    const sure = resolver({ essay }, () => confirm('Sure?'), { asks: 'form', name: 'confirm' });
    const tool = defineTool('write', { resolve: { sure } }, () => 'written');
    const { seal } = createSeal({ maxStateBytes: 1200 });
    const send = overHttp(servingOn('McpServer', tool, seal));
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

describe('a server', () => {
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
    describe.each(moments)('protected %s its handlers are set', (when) => {
      describe.each(['HTTP', 'stdio'])('over %s', (transport) => {
        const open = (seen: Seen) => {
          const factory = desk({ layer, when, seal: createSeal().seal, seen });
          return transport === 'HTTP' ? overHttp(factory) : overStdio(factory);
        };

        test.each([
          [257, 'arrays', arrays],
          [20_000, 'arrays', arrays],
          [257, 'objects', objects],
          [20_000, 'objects', objects],
        ] as const)('refuses arguments of %i nested %s', async (levels, _, make) => {
          const seen: Seen = [];
          const { error } = await open(seen)('tools/call', HERE, nested(make(levels)));
          expect(error).toEqual(TOO_DEEP);
          expect(seen).toEqual([]);
        });

        test('accepts arguments of 256 levels, and a token for them', async () => {
          const send = open([]);
          const token = tokenOf(await send('tools/call', HERE, nested(arrays(255))));
          const end = { ...HERE, inputResponses: ACCEPT, requestState: token };
          expect(endOf(await send('tools/call', end, nested(arrays(255))))).toBe(
            'deployed to staging',
          );
        });

        test.each([300, 20_000])('refuses answers of %i levels', async (levels) => {
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

  test.each(layers)(
    'refuses arguments with too many levels on the legacy era (%s)',
    async (layer) => {
      const seen: Seen = [];
      const { request } = await rawLegacy(desk({ layer, seal: createSeal().seal, seen }));
      for (const levels of [257, 20_000]) {
        const deep: unknown = JSON.parse(arrays(levels));
        const { error } = await request('tools/call', { name: 'deploy', arguments: { deep } });
        expect(error).toEqual(TOO_DEEP);
      }
      expect(seen).toEqual([]);
    },
  );

  test.each(layers)('refuses such arguments before a resolver runs (%s)', async (layer) => {
    const ran: string[] = [];
    const sure = resolver(
      {},
      () => {
        ran.push('resolver');
        return confirm('Go?');
      },
      { asks: 'form', name: 'confirm' },
    );
    const inputSchema = z.object({ deep: z.any() });
    const tool = defineTool('went', { inputSchema, resolve: { sure } }, () => 'went');
    const send = overHttp(servingOn(layer, tool, createSeal().seal));
    const params = { name: 'went', arguments: { deep: 'HERE' } };
    const { error } = await send('tools/call', params, nested(arrays(20_000)));
    expect(error).toEqual(TOO_DEEP);
    expect(ran).toEqual([]);
  });
});
