/** The response to a refused state, and the warnings in the server's log. */
import { McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import type { Rejection } from 'mcp-resolve';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import {
  ask,
  caller,
  createSeal,
  desk,
  endOf,
  expectFrozen,
  flipped,
  FROZEN_BODY,
  layers,
  moments,
  OTHER_KEY,
  overHttp,
  overStdio,
  type Reply,
  retry,
  type Seen,
  STAGING,
} from './desk.js';

const NOW = 1_767_225_600_000;

/** Everything that was printed on the console. */
let printed: string[];

beforeEach(() => {
  printed = [];
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      printed.push(`${level}: ${parts.map(String).join(' ')}`);
    });
  }
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(layers)('on %s', (layer) => {
  test('I7, I8, I9: answers every cause with the same bytes and logs one warning without secrets', async () => {
    const rejections: Rejection[] = [];
    const { seal, logged } = createSeal({
      onReject: (rejection) => void rejections.push(rejection),
    });
    const seen: Seen = [];
    const send = overHttp(desk({ layer, when: 'after', seal, seen }));
    const alice = { authInfo: caller('alice') };
    const token = await ask(send, STAGING, alice);
    const foreign = await ask(
      overHttp(desk({ seal: createSeal({ keys: [OTHER_KEY] }).seal })),
      STAGING,
      alice,
    );
    const elsewhere = await ask(
      overHttp(desk({ seal: createSeal({ audience: 'shop' }).seal })),
      STAGING,
      alice,
    );
    const later = async (seconds: number): Promise<Reply> => {
      vi.setSystemTime(NOW + seconds * 1000);
      const reply = await retry(send, token, STAGING, alice);
      vi.setSystemTime(NOW);
      return reply;
    };
    const causes: [reason: string, reply: Reply][] = [
      ['malformed', await retry(send, 'awaiting-confirm', STAGING, alice)],
      ['unknown key', await retry(send, foreign, STAGING, alice)],
      ['seal', await retry(send, flipped(token), STAGING, alice)],
      ['non-string requestState', await retry(send, 123, STAGING, alice)],
      ['minted in the future', await later(-61)],
      ['expired', await later(600)],
      ['request binding', await retry(send, token, { name: 'other' }, alice)],
      ['audience', await retry(send, elsewhere, STAGING, alice)],
      ['principal drift', await retry(send, token, STAGING)],
      ['principal', await retry(send, token, STAGING, { authInfo: caller('bob') })],
    ];
    for (const [, reply] of causes) expectFrozen(reply);
    expect(new Set(causes.map(([, { text }]) => text))).toEqual(new Set([FROZEN_BODY]));
    const reasons = causes.map(([reason]) => reason);
    expect(logged).toEqual(
      reasons.map((reason) => `requestState rejected on tools/call: ${reason}`),
    );
    expect(rejections).toEqual(reasons.map((reason) => ({ reason, method: 'tools/call' })));
    expect(seen).toHaveLength(1);

    const everything = [...logged, ...printed, JSON.stringify(rejections)].join('\n');
    for (const secret of [token, foreign, elsewhere, token.slice(3, 20), 'awaiting-confirm']) {
      expect(everything).not.toContain(secret);
    }
    expect(everything).not.toMatch(/alice|bob|client-123|bearer|staging/);
    for (const reason of reasons) expect(reason.length).toBeLessThanOrEqual(40);
  });

  test.each(moments)(
    'I11: refuses states that it did not create (protected %s its handlers are set)',
    async (when) => {
      const seen: Seen = [];
      const { seal } = createSeal();
      const send = overHttp(desk({ layer, when, seal, seen }));
      for (const state of ['junk', '', 'awaiting-confirm']) {
        expectFrozen(await retry(send, state));
      }
      expect(seen).toEqual([]);
    },
  );

  test.each(moments)(
    'I12, I13: refuses states that are not strings, null included (protected %s its handlers are set)',
    async (when) => {
      const seen: Seen = [];
      const { seal } = createSeal();
      const send = overStdio(desk({ layer, when, seal, seen }));
      for (const state of [123, null, {}, [], true, 0, false, ['v1.x']]) {
        expectFrozen(await retry(send, state));
      }
      expect(seen).toEqual([]);
      expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
    },
  );
});

test('I8: prints the warning to standard error by default, with the name of the library', async () => {
  const send = overHttp(() => {
    const server = new McpServer({ name: 'desk', version: '1.0.0' });
    server.registerTool('deploy', {}, () => ({ content: [] }));
    install(server, []);
    return server;
  });
  expectFrozen(await retry(send, 'junk'));
  expect(printed).toEqual(['warn: mcp-resolve: requestState rejected on tools/call: malformed']);
});

test('I8: limits a flood of warnings and logs how many were omitted', async () => {
  const { seal, logged } = createSeal();
  const send = overHttp(desk({ seal }));
  for (let time = 0; time < 27; time += 1) expectFrozen(await retry(send, 'junk'));
  expect(logged).toHaveLength(20);
  vi.setSystemTime(NOW + 1000);
  expectFrozen(await retry(send, 'junk'));
  expect(logged.at(-1)).toBe(
    'requestState rejected on tools/call: malformed (7 similar warnings omitted)',
  );
});

test('I8: reports every rejection of a flood to onReject', async () => {
  const rejections: Rejection[] = [];
  const { seal } = createSeal({ onReject: (rejection) => void rejections.push(rejection) });
  const send = overHttp(desk({ seal }));
  for (let time = 0; time < 25; time += 1) await retry(send, 'junk');
  expect(rejections).toHaveLength(25);
});

describe('I7: the response stays the same', () => {
  const broken = (): never => {
    throw new Error('the log is down: secret-detail');
  };

  test.each([
    ['onReject throws', { onReject: broken }],
    ['onReject rejects', { onReject: async () => broken() }],
    ['the logger throws', { logger: { warn: broken } }],
    ['the logger rejects', { logger: { warn: async () => broken() } }],
  ])('I7: if %s', async (_, settings) => {
    const { seal } = createSeal(settings);
    const seen: Seen = [];
    const send = overHttp(desk({ seal, seen }));
    const token = await ask(send);
    expectFrozen(await retry(send, flipped(token)));
    expect(seen).toHaveLength(1);
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });
});
