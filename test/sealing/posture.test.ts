/** The default protection of a server, and the effect of an explicit seal. */
import { inputRequired, McpServer, Server } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import { describe, expect, test, vi } from 'vitest';
import { connectClient } from '../support/plainClient.js';
import type { Factory } from '../support/servers.js';
import {
  ACCEPT,
  ask,
  asTool,
  collectPrinted,
  createSeal,
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
  type Seen,
  tokenOf,
} from './desk.js';
import { went } from './went.js';

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

const printed = collectPrinted();

describe('without an explicit seal', () => {
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
    'I1, I2, I3: install() seals the states of handlers that read plaintext, called %s they are set',
    async (when) => {
      const seen: Seen = [];
      const send = overHttp(desk({ when, seen }));
      for (const [method, params] of [
        ['tools/call', { name: 'deploy' }],
        // Before SDK 2.3, McpServer refuses a prompt with a schema if `arguments` are missing.
        ['prompts/get', { name: 'deploy', arguments: {} }],
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

  test('I4: servers with the same name in one process finish each other’s calls', async () => {
    const [one, two] = [overHttp(() => mcpServerOf('same')), overHttp(() => mcpServerOf('same'))];
    expect(endOf(await retry(two, await ask(one, WENT), WENT))).toBe('went:true');
  });

  test('I4: servers finish each other’s calls across server classes and transports', async () => {
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

  test('I37: a server refuses the calls of a server with another name', async () => {
    const one = overHttp(() => mcpServerOf('billing'));
    const two = overHttp(() => mcpServerOf('payments'));
    const token = await ask(one, WENT);
    expectFrozen(await retry(two, token, WENT));
    expect(printed).toContain('mcp-resolve: requestState rejected on tools/call: audience');
    expect(endOf(await retry(one, token, WENT))).toBe('went:true');
  });

  test('I4, M14: another process refuses an open call, and the first process completes it', async () => {
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
      'I6: states of hand-written handlers set %s install() pass unchanged beside sealed tools',
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
      'I6: states of a hand-written prompt named like a tool pass unchanged (set %s install())',
      async (when) => {
        const send = overHttp(beside(when, []));
        const prompt = await send('prompts/get', { name: 'went', requestState: 'mine' });
        expect(tokenOf(prompt)).toBe('went saw mine');
        const named = { uri: 'desk://deploy', name: 'went', requestState: 'mine' };
        expect(tokenOf(await send('resources/read', named))).toBe('desk://deploy saw mine');
      },
    );

    test.each(moments)('I6: protect() seals handlers, called %s they are set', async (when) => {
      const { seal } = createSeal();
      const plain = overHttp(desk({ layer: 'Server' }));
      expect(await ask(plain)).toBe('awaiting-confirm');
      const send = overHttp(desk({ layer: 'Server', when, seal }));
      const token = await ask(send);
      expect(token).toMatch(/^v1\./);
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
    });

    test('I6: install() seals every tool if it is called several times', async () => {
      const second = defineTool(
        'second',
        {
          resolve: {
            sure: resolver({}, () => confirm('Sure?'), { asks: 'form', name: 'confirm' }),
          },
        },
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

describe('with an explicit seal', () => {
  test.each(layers)(
    'I5: servers with the same keys and audience finish each other’s calls (%s)',
    async (layer) => {
      const [one, two] = [createSeal().seal, createSeal().seal].map((seal) =>
        overHttp(desk({ layer, seal })),
      );
      expect(endOf(await retry(two!, await ask(one!)))).toBe('deployed to staging');
    },
  );

  test('I24, I25: servers accept each other’s calls while keys rotate in three phases', async () => {
    const running = (...keys: string[]) => overHttp(desk({ seal: createSeal({ keys }).seal }));
    const before = running(KEY);
    const announced = running(KEY, OTHER_KEY);
    const switched = running(OTHER_KEY, KEY);
    const retired = running(OTHER_KEY);
    const [old, first, second] = [await ask(before), await ask(announced), await ask(switched)];
    // While a phase rolls out, its servers run beside those of the phase before.
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

  test('I5: the seal replaces the default, given before or after install()', async () => {
    const shared = () => createSeal().seal;
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

  test('I6: protect() also seals the hand-written handlers of a Server with installed tools', async () => {
    const { seal } = createSeal();
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
  ])('%s accepts the same seal twice and refuses a second one', async (_, make) => {
    const { seal } = createSeal();
    const server = make('desk', seal);
    expect(() => {
      seal.protect(server);
      install(server, [], { seal });
    }).not.toThrow();
    const sentence =
      'This server already has another seal. Use one seal per server, with install() or with protect().';
    expect(() => {
      createSeal().seal.protect(server);
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
      (server: McpServer) => {
        install(server, [went]);
      },
    ],
    [
      'install() on a Server',
      (server: McpServer) => {
        install(server.server, [went]);
      },
    ],
    [
      'protect()',
      (server: McpServer) => {
        createSeal().seal.protect(server);
      },
    ],
  ] as const)("%s refuses a server with the SDK's requestState.verify", (_, protect) => {
    const verify = (): void => undefined;
    const server = new McpServer({ name: 'desk', version: '1.0.0' }, { requestState: { verify } });
    expect(() => {
      protect(server);
    }).toThrow(
      new Error(
        "This server has the SDK's own `requestState.verify`, which would reject the state that mcp-resolve sends. Use one or the other.",
      ),
    );
  });

  test.each([{}, { protect: () => undefined }, 'seal', null])(
    'install() refuses the seal %o',
    (seal) => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      expect(() => {
        install(server, [], { seal } as never);
      }).toThrow(new TypeError('install(): `seal` must be created with requestStateSeal(…).'));
    },
  );
});

describe('the mrtr example of the SDK', () => {
  const servers: [string, Factory][] = [
    ['McpServer', desk({ name: 'mrtr-example' })],
    ['Server', desk({ name: 'mrtr-example', layer: 'Server', seal: createSeal().seal })],
  ];

  test.each(servers)('M9, M13: deploys after the user accepts (%s)', async (_, factory) => {
    const { text, questions } = await connectClient('modern', factory, {
      elicit: [{ action: 'accept', content: { confirm: true } }],
    });
    expect(await text('deploy', { env: 'production' })).toBe('deployed to production');
    expect(questions).toHaveLength(1);
    expect(questions[0]!.params).toMatchObject({
      message: 'Deploy to production?',
      requestedSchema: { properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
    });
  });

  test.each(servers)(
    'M10, M11, M12, M13: asks, refuses a changed token, and cancels if the user declines (%s)',
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

  test('M14: lets another process with the same keys complete the call', async () => {
    const token = await ask(overHttp(desk({ seal: createSeal().seal })));
    vi.resetModules();
    const restarted = await import('mcp-resolve');
    const seal = restarted.requestStateSeal({ keys: [KEY], audience: 'desk' });
    const send = overHttp(desk({ seal: seal }));
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });
});

test('I2: resolvers and bodies see neither token nor state in any round', async () => {
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
          { asks: 'form', name: 'confirm' },
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
