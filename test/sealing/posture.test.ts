/** What is sealed without being asked, and what an explicit policy changes. */
import { inputRequired, McpServer, Server } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import type { Factory } from '../support/servers.js';
import {
  ACCEPT,
  ask,
  asTool,
  deploy,
  desk,
  endOf,
  expectFrozen,
  flipped,
  KEY,
  layers,
  moments,
  OTHER_KEY,
  overHttp,
  overStdio,
  retry,
  sealing,
  type Seen,
  tokenOf,
} from './desk.js';

const went = defineTool(
  'went',
  { resolve: { sure: resolver({}, () => confirm('Go?'), { name: 'confirm' }) } },
  ({ sure }) => `went:${String(sure)}`,
);
const WENT = { name: 'went', arguments: {} };

const capabilities = { capabilities: { tools: {}, prompts: {}, resources: {} } };
const serverOf = (name: string, seal?: RequestStateSeal): Server => {
  const server = new Server({ name, version: '1.0.0' }, capabilities);
  install(server, [went], seal && { seal });
  return server;
};
const mcpServerOf = (name: string, seal?: RequestStateSeal): McpServer => {
  const server = new McpServer({ name, version: '1.0.0' });
  install(server, [went], seal && { seal });
  return server;
};

let printed: string[];

beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'warn').mockImplementation((text: string) => void printed.push(text));
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('without a policy', () => {
  test.each([
    ['an McpServer', () => mcpServerOf('plain')],
    ['a Server', () => serverOf('plain')],
    ['an McpServer without a name', () => mcpServerOf('')],
    ['a Server without a name', () => serverOf('')],
  ])('I1: %s seals the state of its resolvers and completes', async (_, factory) => {
    const send = overHttp(factory);
    const token = await ask(send, WENT);
    expect(token).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(endOf(await retry(send, token, WENT))).toBe('went:true');
  });

  test.each(moments)(
    'I1, I2, I3: an McpServer seals hand-written tools, prompts and resources (%s) and they read plaintext',
    async (when) => {
      const seen: Seen = [];
      const send = overHttp(desk({ when, seen }));
      for (const [method, params] of [
        ['tools/call', { name: 'deploy' }],
        ['prompts/get', { name: 'deploy' }],
        ['resources/read', { uri: 'desk://deploy' }],
        ['resources/read', { uri: 'desk://rooms/7' }],
      ] as const) {
        const token = tokenOf(await send(method, params));
        expect(token).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
        expect(Buffer.from(token.slice(3), 'base64url').toString('latin1')).not.toContain('await');
        const end = { ...params, inputResponses: ACCEPT, requestState: token };
        expect(endOf(await send(method, end))).toMatch(/^deployed to /);
      }
      expect(seen.map(([, state]) => state)).toEqual(
        Array.from({ length: 4 }, () => [undefined, 'awaiting-confirm']).flat(),
      );
    },
  );

  test('I4: there is one key per process: servers of one name finish each other’s calls', async () => {
    const [one, two] = [overHttp(() => mcpServerOf('same')), overHttp(() => mcpServerOf('same'))];
    expect(endOf(await retry(two, await ask(one, WENT), WENT))).toBe('went:true');
  });

  test('I4: on both layers of the SDK and on every transport', async () => {
    const sends = [
      overHttp(() => mcpServerOf('same')),
      overHttp(() => serverOf('same')),
      overStdio(() => mcpServerOf('same')),
      overStdio(() => serverOf('same')),
    ];
    for (const asked of sends) {
      const token = await ask(asked, WENT);
      for (const send of sends) expect(endOf(await retry(send, token, WENT))).toBe('went:true');
    }
  });

  test('I37: but not those of another name', async () => {
    const one = overHttp(() => mcpServerOf('billing'));
    const two = overHttp(() => mcpServerOf('payments'));
    const token = await ask(one, WENT);
    expectFrozen(await retry(two, token, WENT));
    expect(printed).toContain('mcp-resolve: requestState rejected on tools/call: audience');
    expect(endOf(await retry(one, token, WENT))).toBe('went:true');
  });

  test('I4, M14: another process rejects what is in flight, and the old one completes it', async () => {
    const one = overHttp(() => mcpServerOf('desk'));
    const token = await ask(one, WENT);
    vi.resetModules();
    const restarted = await import('mcp-resolve');
    const two = overHttp(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      restarted.install(server, [went]);
      return server;
    });
    expectFrozen(await retry(two, token, WENT));
    expect(endOf(await retry(one, token, WENT))).toBe('went:true');
  });

  describe('I6: on a low-level Server', () => {
    const beside =
      (when: 'before' | 'after', seen: Seen): Factory =>
      () => {
        const server = new Server({ name: 'desk', version: '1.0.0' }, capabilities);
        const write = (): void => {
          server.setRequestHandler('tools/call', ({ params }, ctx) =>
            asTool(deploy(params.name, ctx, { seen })),
          );
          server.setRequestHandler('prompts/get', ({ params }, ctx) =>
            inputRequired({
              requestState: `${params.name} saw ${String(ctx.mcpReq.requestState())}`,
            }),
          );
          server.setRequestHandler('resources/read', ({ params }, ctx) =>
            inputRequired({
              requestState: `${params.uri} saw ${String(ctx.mcpReq.requestState())}`,
            }),
          );
        };
        if (when === 'before') write();
        install(server, [went]);
        if (when === 'after') write();
        return server;
      };

    test.each(['before', 'after'] as const)(
      'I6: hand-written handlers set %s pass verbatim and unverified, beside our own sealed tools',
      async (when) => {
        const seen: Seen = [];
        const send = overHttp(beside(when, seen));
        expect(await ask(send, { name: 'deploy' })).toBe('awaiting-confirm');
        const end = await retry(send, 'awaiting-confirm', { name: 'deploy' });
        expect(endOf(end)).toBe('deployed to deploy');
        expect(seen).toEqual([
          ['deploy', undefined],
          ['deploy', 'awaiting-confirm'],
        ]);
        const token = await ask(send, WENT);
        expect(token).toMatch(/^v1\./);
        expectFrozen(await retry(send, flipped(token), WENT));
        expect(endOf(await retry(send, token, WENT))).toBe('went:true');
      },
    );

    test.each(['before', 'after'] as const)(
      'I6: a hand-written prompt or resource passes verbatim whatever its name (set %s)',
      async (when) => {
        const send = overHttp(beside(when, []));
        const prompt = await send('prompts/get', { name: 'went', requestState: 'mine' });
        expect(tokenOf(prompt)).toBe('went saw mine');
        const named = { uri: 'desk://deploy', name: 'went', requestState: 'mine' };
        expect(tokenOf(await send('resources/read', named))).toBe('desk://deploy saw mine');
      },
    );

    test.each(moments)('I6: one line protects them (%s)', async (when) => {
      const { seal } = sealing();
      const plain = overHttp(desk({ layer: 'Server' }));
      expect(await ask(plain)).toBe('awaiting-confirm');
      const send = overHttp(desk({ layer: 'Server', when, seal }));
      const token = await ask(send);
      expect(token).toMatch(/^v1\./);
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
    });

    test('I6: tools that are installed one after another are all sealed', async () => {
      const second = defineTool(
        'second',
        { resolve: { sure: resolver({}, () => confirm('Sure?'), { name: 'confirm' }) } },
        () => 'second went',
      );
      const send = overHttp(() => {
        const server = serverOf('desk');
        install(server, [second]);
        return server;
      });
      for (const name of ['went', 'second']) expect(await ask(send, { name })).toMatch(/^v1\./);
    });
  });
});

describe('with a policy', () => {
  test.each(layers)(
    'I5: servers with the same keys and audience finish each other’s calls (%s)',
    async (layer) => {
      const [one, two] = [sealing().seal, sealing().seal].map((seal) =>
        overHttp(desk({ layer, seal })),
      );
      expect(endOf(await retry(two!, await ask(one!)))).toBe('deployed to staging');
    },
  );

  test('I24, I25: keys rotate in three phases across two servers', async () => {
    const running = (...keys: string[]) => overHttp(desk({ seal: sealing({ keys }).seal }));
    const before = running(KEY);
    const announced = running(KEY, OTHER_KEY);
    const switched = running(OTHER_KEY, KEY);
    const retired = running(OTHER_KEY);
    const [old, first, second] = [await ask(before), await ask(announced), await ask(switched)];
    // While a phase rolls out, its servers and those of the phase before stand side by side.
    for (const [send, token] of [
      [announced, old],
      [before, first],
      [switched, first],
      [announced, second],
      [retired, second],
      [switched, old],
    ] as const) {
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
    }
    expectFrozen(await retry(retired, old));
    expectFrozen(await retry(retired, first));
    expectFrozen(await retry(before, second));
  });

  test('I5: it replaces the default, before and after', async () => {
    const shared = () => sealing().seal;
    const one = overHttp(() => {
      const server = mcpServerOf('desk');
      install(server, [], { seal: shared() });
      return server;
    });
    const two = overHttp(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      shared().protect(server);
      install(server, [went]);
      return server;
    });
    expect(endOf(await retry(two, await ask(one, WENT), WENT))).toBe('went:true');
    expectFrozen(
      await retry(
        two,
        await ask(
          overHttp(() => mcpServerOf('desk')),
          WENT,
        ),
        WENT,
      ),
    );
  });

  test('I6: an explicit policy covers every handler of a low-level Server that had the default', async () => {
    const { seal } = sealing();
    const send = overHttp(() => {
      const server = new Server({ name: 'desk', version: '1.0.0' }, capabilities);
      server.setRequestHandler('tools/call', ({ params }, ctx) =>
        asTool(deploy(params.name, ctx, {})),
      );
      install(server, [went]);
      seal.protect(server);
      return server;
    });
    for (const name of ['went', 'deploy']) expect(await ask(send, { name })).toMatch(/^v1\./);
    const token = await ask(send, { name: 'deploy' });
    expect(endOf(await retry(send, token, { name: 'deploy' }))).toBe('deployed to deploy');
    expectFrozen(await retry(send, 'awaiting-confirm', { name: 'deploy' }));
  });

  test.each([
    ['an McpServer', mcpServerOf],
    ['a Server', serverOf],
  ])('the same one twice is fine on %s, a second one is refused', async (_, make) => {
    const { seal } = sealing();
    const server = make('desk', seal);
    expect(() => {
      seal.protect(server);
      install(server, [], { seal });
    }).not.toThrow();
    const sentence = 'This server has a seal already: give it one, to install() or with protect().';
    expect(() => {
      sealing().seal.protect(server);
    }).toThrow(new Error(sentence));
    expect(() => {
      install(server, [], { seal: requestStateSeal.ephemeral() });
    }).toThrow(new Error(sentence));
    const send = overHttp(() => server);
    expect(endOf(await retry(send, await ask(send, WENT), WENT))).toBe('went:true');
  });

  test.each([
    [
      'install() on an McpServer',
      'McpServer',
      (server: McpServer) => {
        install(server, [went]);
      },
    ],
    [
      'install() on a Server',
      'Server',
      (server: McpServer) => {
        install(server.server, [went]);
      },
    ],
    [
      'protect()',
      'McpServer',
      (server: McpServer) => {
        sealing().seal.protect(server);
      },
    ],
  ] as const)("%s refuses a server with the SDK's own check", (_, __, protect) => {
    const verify = (): void => undefined;
    const server = new McpServer({ name: 'desk', version: '1.0.0' }, { requestState: { verify } });
    expect(() => {
      protect(server);
    }).toThrow(
      new Error(
        "This server has the SDK's own requestState.verify, which would reject the state that mcp-resolve sends: use one or the other.",
      ),
    );
  });

  test.each([{}, { protect: () => undefined }, 'seal', null])(
    'install() refuses the policy %o',
    (seal) => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      expect(() => {
        install(server, [], { seal } as never);
      }).toThrow('install(): seal is made with requestStateSeal(…).');
    },
  );
});

describe('the mrtr story', () => {
  const Env = z.object({ env: z.string() });
  const story: [string, Factory][] = [
    ['McpServer', desk({ name: 'mrtr-example' })],
    ['Server', desk({ name: 'mrtr-example', layer: 'Server', seal: sealing().seal })],
  ];

  test.each(story)('M9, M13: an accepting person deploys (%s)', async (_, factory) => {
    const { text, questions } = await connectClient('modern', factory, {
      elicit: [{ action: 'accept', content: { confirm: true } }],
    });
    expect(await text('deploy', Env.parse({ env: 'production' }))).toBe('deployed to production');
    expect(questions).toHaveLength(1);
    expect(questions[0]!.params).toMatchObject({
      message: 'Deploy to production?',
      requestedSchema: { properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
    });
  });

  test.each(story)(
    'M10, M11, M12, M13: by hand: asked, tampered with, and declined (%s)',
    async (_, factory) => {
      const send = overHttp(factory);
      const first = await send('tools/call', { name: 'deploy', arguments: { env: 'staging' } });
      expect(Object.keys(first.result?.inputRequests as object)).toEqual(['confirm']);
      const token = tokenOf(first);
      expect(token).not.toBe('awaiting-confirm');
      const declined = (requestState: string) =>
        send('tools/call', {
          name: 'deploy',
          arguments: { env: 'staging' },
          inputResponses: { confirm: { action: 'decline' } },
          requestState,
        });
      expectFrozen(await declined(flipped(token)));
      expect(endOf(await declined(token))).toBe('deployment to staging cancelled');
    },
  );

  test('M14: with shared keys another process completes the call', async () => {
    const token = await ask(overHttp(desk({ seal: sealing().seal })));
    vi.resetModules();
    const restarted = await import('mcp-resolve');
    const seal = restarted.requestStateSeal({ keys: [KEY], audience: 'desk' });
    const send = overHttp(desk({ seal: seal }));
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });
});

test('I2: a resolver and a body see no token and no state, in any round', async () => {
  const seen: unknown[] = [];
  const note = ({ mcpReq }: ServerContext): void => {
    seen.push(mcpReq.requestState(), mcpReq.inputResponses);
  };
  const nosy = defineTool(
    'nosy',
    {
      resolve: {
        sure: resolver(
          {},
          (__, ctx) => {
            note(ctx);
            return confirm('Go?');
          },
          { name: 'confirm' },
        ),
      },
    },
    (__, ctx) => {
      note(ctx);
      return 'done';
    },
  );
  const send = overHttp(() => {
    const server = new McpServer({ name: 'desk', version: '1.0.0' });
    install(server, [nosy]);
    return server;
  });
  const token = await ask(send, { name: 'nosy' });
  expect(endOf(await retry(send, token, { name: 'nosy' }))).toBe('done');
  expect(seen).toEqual(Array.from({ length: 6 }, () => undefined));
});
