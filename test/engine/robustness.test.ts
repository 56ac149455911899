/**
 * Resolvers are other people's code: whatever they return, throw or leave undone, a call ends in
 * one way, and nothing of it surfaces later as an unhandled rejection.
 */
import { inspect } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { arg, confirm, defineTool, elicit, install, outcome, resolver } from 'mcp-resolve';
import type { AnyResolver, CallContext, Filler, Need, Schema } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Resolution } from 'mcp-resolve/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { deferred } from '../support/deferred.js';
import { connectClient } from '../support/plainClient.js';
import { allMicrotasks, contextOf } from './play.js';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(async () => {
  await allMicrotasks();
  await allMicrotasks();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

interface Graph {
  readonly resolve?: Record<string, Filler>;
  readonly guards?: readonly AnyResolver[];
}

type Era = 'modern' | 'legacy';
const eras: readonly Era[] = ['modern', 'legacy'];

function resolve(
  graph: Graph,
  mcpReq: Partial<ServerContext['mcpReq']> = {},
  era: Era = 'modern',
): Promise<Resolution> {
  const plan = planResolvers({ name: 'tool', ...graph }, []);
  const options = {
    ctx: contextOf(mcpReq),
    protocolVersion: era === 'modern' ? '2026-07-28' : '2025-11-25',
    clientCapabilities: { elicitation: {} },
  };
  return resolveArguments(plan, {}, options);
}

/** How a call ended: with a value for `it`, with questions, with an error, or not at all. */
type Ended =
  { value: unknown } | { asks: readonly string[] } | { error: unknown } | { hangs: true };

async function ending(call: Promise<Resolution>): Promise<Ended> {
  let ended: Ended = { hangs: true };
  void call.then(
    (resolution) => {
      ended = resolution.done
        ? { value: resolution.values.it }
        : { asks: Object.keys(resolution.result.inputRequests ?? {}) };
    },
    (error: unknown) => {
      ended = { error };
    },
  );
  for (let turn = 0; turn < 5; turn += 1) await allMicrotasks();
  return ended;
}

/** Is awaited, so that what needs it starts when a promise arrives. */
const before = resolver({}, async () => 'before');
const never = new Promise<never>(() => undefined);
const boom = new Error('boom');
const anyTypeError = expect.any(TypeError) as TypeError;
const fails = (error: unknown) => (): never => {
  throw error;
};

/** A thenable from what its `then` does. */
function thenable(
  then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void,
) {
  return { then };
}

/** A native promise whose own `then` is not the native one. */
function patched(then: (resolve: (value: unknown) => void) => void): Promise<unknown> {
  return Object.assign(Promise.resolve('native'), { then });
}

function closedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('whatever a resolver returns', () => {
  const values: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a function', () => 1],
    ['a symbol', Symbol('it')],
    ['a BigInt', 10n],
    ['not a number', Number.NaN],
    ['a proxy', new Proxy({}, {})],
    ['an object without a prototype', Object.create(null)],
    ['an object with a member called then', { then: 'later' }],
    ['a class', Map],
    ['an error', boom],
  ];

  it.each(values)('%s is its value, at once or later', async (_, value) => {
    for (const body of [() => value, async () => value]) {
      const ended = await ending(resolve({ resolve: { it: resolver({}, body) } }));
      expect('value' in ended && Object.is(ended.value, value)).toBe(true);
    }
  });

  it.each(values)('%s reaches its consumers as it is', async (_, value) => {
    const source = resolver({}, () => value);
    const it = resolver({ source, same: outcome(source) }, ({ source: plain, same }) =>
      [plain, same.action === 'accept' && same.data].every((one) => Object.is(one, value)),
    );
    expect(await ending(resolve({ resolve: { it } }))).toEqual({ value: true });
  });

  it.each(eras)('a promise of a promise of a question is a question (%s)', async (era) => {
    const body = async () => Promise.resolve(confirm('Really?'));
    const send = (async () => ({
      action: 'accept',
      content: { confirm: true },
    })) as unknown as ServerContext['mcpReq']['send'];
    const ended = await ending(resolve({ resolve: { it: resolver({}, body) } }, { send }, era));
    expect(ended).toEqual(era === 'modern' ? { asks: ['it'] } : { value: true });
  });

  const promises: [string, () => unknown, Ended][] = [
    ['resolves', () => thenable((yes) => yes(1)), { value: 1 }],
    ['resolves twice', () => thenable((yes) => [1, 2].forEach(yes)), { value: 1 }],
    [
      'resolves, then rejects',
      () =>
        thenable((yes, no) => {
          yes(1);
          no(boom);
        }),
      { value: 1 },
    ],
    [
      'rejects, then resolves',
      () =>
        thenable((yes, no) => {
          no(boom);
          yes(1);
        }),
      { error: boom },
    ],
    ['rejects twice', () => thenable((_, no) => [boom, 2].forEach(no)), { error: boom }],
    ['throws', () => thenable(fails(boom)), { error: boom }],
    [
      'resolves, then throws',
      () =>
        thenable((yes) => {
          yes(1);
          throw boom;
        }),
      { value: 1 },
    ],
    ['resolves with another', () => thenable((yes) => yes(thenable((y) => y(1)))), { value: 1 }],
    [
      'is a function',
      () =>
        Object.assign(
          () => 0,
          thenable((yes) => yes(1)),
        ),
      { value: 1 },
    ],
    ['is a promise that resolves twice', () => patched((yes) => [1, 2].forEach(yes)), { value: 1 }],
    [
      'is a promise that resolves twice, later',
      () => patched((yes) => queueMicrotask(() => [1, 2].forEach(yes))),
      { value: 1 },
    ],
    ['is a promise that throws', () => patched(fails(boom)), { error: boom }],
    [
      'is a promise with a constructor that throws',
      () => Object.defineProperty(Promise.resolve(1), 'constructor', { get: fails(boom) }),
      { error: boom },
    ],
    [
      'throws when it is read',
      () => Object.defineProperty({}, 'then', { get: fails(boom) }),
      { error: boom },
    ],
    [
      'only looks like one',
      () => Object.create(Promise.prototype) as object,
      { error: anyTypeError },
    ],
    ['is a proxy of one', () => new Proxy(Promise.resolve(1), {}), { error: anyTypeError }],
  ];

  const places = promises.flatMap((one) => [[...one, {}] as const, [...one, { before }] as const]);

  it.each(places)('a thenable that %s ends once', async (_, make, expected, needs) => {
    const runs = { source: 0, sibling: 0, it: 0 };
    const source = resolver(needs, () => {
      runs.source += 1;
      return make();
    });
    const sibling = resolver({}, async () => {
      runs.sibling += 1;
    });
    const it = resolver({ source, sibling }, ({ source: value }) => {
      runs.it += 1;
      return value;
    });

    expect(await ending(resolve({ resolve: { it } }))).toEqual(expected);
    // A failure at once keeps what comes behind it from starting.
    expect(runs.sibling).toBeLessThanOrEqual(1);
    expect(runs).toMatchObject({ source: 1, it: 'value' in expected ? 1 : 0 });
  });

  it('a function that only hides its prototype is a value', async () => {
    const shy = new Proxy(() => 1, { getPrototypeOf: fails(boom) });
    const later = resolver({}, async () => 1);
    for (const it of [resolver({}, () => shy), resolver({ later }, () => shy)]) {
      const resolution = await resolve({ resolve: { it } });
      expect(resolution.done && resolution.values.it === shy).toBe(true);
    }
  });

  it('an object that cannot be looked at is a failure', async () => {
    const closed = new Proxy({}, { get: fails(boom), has: fails(boom) });
    for (const [value, error] of [
      [closedProxy(), anyTypeError],
      [closed, boom],
    ] as const) {
      for (const body of [() => value, () => thenable((yes) => yes(value))]) {
        for (const needs of [{}, { before }] as Record<string, Need>[]) {
          const it = resolver(needs, body);
          expect(await ending(resolve({ resolve: { it } }))).toEqual({ error });
        }
      }
    }
  });

  it.each(eras)('a form whose validation throws is a failure (%s)', async (era) => {
    const standard = z.object({ n: z.number() })['~standard'];
    const validations = [fails(boom), async () => fails(boom)()];
    for (const validate of validations) {
      const schema = { '~standard': { ...standard, validate } } as unknown as Schema;
      const it = resolver({}, () => elicit('How many?', schema));
      const response = { action: 'accept', content: { n: 1 } };
      const send = (async () => response) as unknown as ServerContext['mcpReq']['send'];
      const first = resolve({ resolve: { it } }, { send }, era);
      if (era === 'legacy') {
        expect(await ending(first)).toEqual({ error: boom });
        continue;
      }
      const sendRound = await first;
      const state = sendRound.done ? undefined : sendRound.result.requestState;
      const second = { inputResponses: { it: response }, requestState: (() => state) as never };
      expect(await ending(resolve({ resolve: { it } }, second))).toEqual({ error: boom });
    }
  });
});

describe('whatever a resolver throws', () => {
  const thrown: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a text', 'text'],
    ['a number', 42],
    ['a symbol', Symbol('thrown')],
    ['a frozen object', Object.freeze({ reason: 'frozen' })],
    ['an object without a prototype', Object.create(null)],
    ['a question', confirm('Really?')],
    ['a function', () => 1],
    [
      'an error whose message cannot be read',
      Object.defineProperty(new Error(), 'message', { get: fails(boom) }),
    ],
    ['a proxy that cannot be looked at', closedProxy()],
  ];

  it.each(thrown)('%s is what the call ends with', async (_, error) => {
    for (const body of [fails(error), async () => fails(error)()]) {
      const call = resolve({ resolve: { it: resolver({}, body) } });
      const ended = await call.then(
        () => 'a value',
        (reason: unknown) => ({ same: Object.is(reason, error) }),
      );
      expect(ended).toEqual({ same: true });
    }
  });

  // The SDK's own test for its errors cannot look at such a proxy either.
  const shown = thrown.filter(([name]) => !name.startsWith('a proxy'));
  const toolError = {
    isError: true,
    content: [
      { type: 'text', text: expect.stringMatching(/^Error executing tool tool: ./) as string },
    ],
  };

  it.each(shown)('%s becomes a tool error', async (_, error) => {
    const tool = defineTool('tool', { resolve: { it: resolver({}, fails(error)) } }, () => 'ran');

    expect(await tool.call(undefined)).toEqual(toolError);
  });

  it.each(shown)('%s is told to the server as an error', async (_, error) => {
    const told: unknown[] = [];
    const tool = defineTool('tool', { resolve: { it: resolver({}, fails(error)) } }, () => 'ran');
    const { call } = await connectClient('legacy', () => {
      const server = new McpServer({ name: 'server', version: '1.0.0' });
      server.server.onerror = (reported) => told.push(reported);
      install(server, [tool]);
      return server;
    });

    expect(await call('tool')).toEqual(toolError);
    expect(told).toEqual([expect.any(Error)]);
  });
});

describe('after a failure', () => {
  it('what arrives later and cannot be looked at is swallowed', async () => {
    const late = deferred();
    const slow = resolver({}, async () => {
      await late.promise;
      return new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : fails(boom)()) });
    });
    const failing = resolver({}, async () => fails(boom)());

    expect(await ending(resolve({ resolve: { failing, slow } }))).toEqual({ error: boom });
    late.resolve();
    await allMicrotasks();
  });

  it('what fails later is swallowed', async () => {
    const late = deferred();
    const failing = resolver({}, fails(boom));
    const slow = resolver({}, async () => {
      await late.promise;
      throw new Error('late');
    });

    expect(await ending(resolve({ resolve: { failing, slow } }))).toEqual({ error: boom });
    late.resolve();
    await allMicrotasks();
  });

  it('what runs behind it is told and not awaited', async () => {
    const signals: AbortSignal[] = [];
    const hang = async (_: unknown, ctx: CallContext) => {
      signals.push(ctx.signal);
      return never;
    };
    const first = deferred();
    const failing = resolver({}, async () => {
      await first.promise;
      throw boom;
    });
    const behind = resolver({}, hang);
    const call = resolve({ resolve: { failing, behind } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);

    first.resolve();
    expect(await ending(call)).toEqual({ error: boom });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('nothing starts any more, even if what it needs arrives', async () => {
    const late = deferred();
    let started = false;
    const failing = resolver({}, fails(boom));
    const slow = resolver({}, () => late.promise);
    const after = resolver({ slow }, () => {
      started = true;
    });

    expect(await ending(resolve({ resolve: { failing, after } }))).toEqual({ error: boom });
    late.resolve();
    await allMicrotasks();
    expect(started).toBe(false);
  });

  it('what runs in front of it is awaited, and its failure comes first', async () => {
    const first = deferred();
    const front = resolver({}, async () => {
      await first.promise;
      throw new Error('in front');
    });
    const call = resolve({ resolve: { front, failing: resolver({}, fails(boom)) } });
    expect(await ending(call)).toEqual({ hangs: true });

    first.resolve();
    await expect(call).rejects.toThrow('in front');
  });

  it('what runs in front of it is awaited, and so is what comes of it', async () => {
    const first = deferred();
    const source = resolver({}, () => first.promise);
    const front = resolver({ source }, async () => {
      throw new Error('in front');
    });
    const call = resolve({ resolve: { front, failing: resolver({}, fails(boom)) } });

    first.resolve();
    await expect(call).rejects.toThrow('in front');
  });

  it('what runs in front of it and ends well leaves it as it is', async () => {
    const first = deferred();
    const front = resolver({}, () => first.promise);
    const call = resolve({ resolve: { front, failing: resolver({}, fails(boom)) } });

    first.resolve();
    expect(await ending(call)).toEqual({ error: boom });
  });

  it('a question in front of it is not asked', async () => {
    const asking = resolver({}, () => confirm('Really?'));
    for (const era of eras) {
      const call = resolve({ resolve: { asking, failing: resolver({}, fails(boom)) } }, {}, era);
      expect(await ending(call)).toEqual({ error: boom });
    }
  });

  it('a call that ends well leaves the signal alone', async () => {
    let signal: AbortSignal | undefined;
    const it = resolver({}, (_, ctx) => {
      signal = ctx.signal;
      return 1;
    });
    expect(await ending(resolve({ resolve: { it } }))).toEqual({ value: 1 });
    expect(signal?.aborted).toBe(false);
  });
});

describe.each(eras)('a cancelled request (%s)', (era) => {
  it('ends at once with the reason, though resolvers hang', async () => {
    const request = new AbortController();
    const reason = new Error('no longer needed');
    let signal: AbortSignal | undefined;
    const it = resolver({}, async (_, ctx) => {
      signal = ctx.signal;
      return never;
    });
    const call = resolve({ resolve: { it } }, { signal: request.signal }, era);
    expect(await ending(call)).toEqual({ hangs: true });

    request.abort(reason);
    expect(await ending(call)).toEqual({ error: reason });
    expect(signal?.aborted).toBe(true);
  });

  it('ends at once when it was cancelled before, and runs nothing', async () => {
    let ran = false;
    const it = resolver({}, () => {
      ran = true;
      return never;
    });
    const call = resolve({ resolve: { it } }, { signal: AbortSignal.abort(boom) }, era);

    expect(await ending(call)).toEqual({ error: boom });
    expect(ran).toBe(false);
  });

  it('ends at once when it is cancelled while resolvers are being started', async () => {
    const request = new AbortController();
    const it = resolver({}, () => never);
    const cancelling = resolver({}, () => {
      request.abort(boom);
    });
    const call = resolve({ resolve: { it, cancelling } }, { signal: request.signal }, era);

    expect(await ending(call)).toEqual({ error: boom });
  });

  it('starts nothing any more', async () => {
    const request = new AbortController();
    const late = deferred();
    let started = false;
    const slow = resolver({}, () => late.promise);
    const it = resolver({ slow }, () => {
      started = true;
    });
    const call = resolve({ resolve: { it } }, { signal: request.signal }, era);

    request.abort(boom);
    expect(await ending(call)).toEqual({ error: boom });
    late.resolve();
    await allMicrotasks();
    expect(started).toBe(false);
  });

  it('fails when something else dispatches an abort event', async () => {
    const request = new AbortController();
    const held = deferred();
    const guard = resolver({}, () => held.promise);
    const it = resolver({}, () => 'went on');
    const graph = { guards: [guard], resolve: { it } };
    const call = resolve(graph, { signal: request.signal }, era);

    request.signal.dispatchEvent(new Event('abort'));
    expect(await ending(call)).toHaveProperty('error');
    held.resolve();
  });

  it('swallows what fails later', async () => {
    const request = new AbortController();
    const late = deferred();
    const it = resolver({}, async () => {
      await late.promise;
      throw new Error('late');
    });
    const call = resolve({ resolve: { it } }, { signal: request.signal }, era);

    request.abort(boom);
    expect(await ending(call)).toEqual({ error: boom });
    late.resolve();
  });

  it('ends once when it is cancelled by a resolver that has waited for another', async () => {
    const request = new AbortController();
    const first = resolver({}, async () => 1);
    const cancelling = resolver({ first }, () => {
      request.abort(boom);
      return 2;
    });
    const call = resolve({ resolve: { cancelling } }, { signal: request.signal }, era);

    expect(await ending(call)).toEqual({ error: boom });
  });

  it('stops listening to the signal when the call has ended', async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const add = signal.addEventListener.bind(signal) as (...args: unknown[]) => void;
    const remove = signal.removeEventListener.bind(signal) as (...args: unknown[]) => void;
    signal.addEventListener = (...args: unknown[]) => {
      listeners.add(args[1]);
      add(...args);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      listeners.delete(args[1]);
      remove(...args);
    };
    const ended = await resolve({ resolve: { it: before } }, { signal }, era);
    expect(listeners.size).toBe(1);
    if (ended.done) await ended.dispose('completed');
    expect(listeners.size).toBe(0);

    await ending(resolve({ resolve: { it: resolver({}, fails(boom)) } }, { signal }, era));
    expect(listeners.size).toBe(0);
  });

  it('does not tell the functions of a call that has ended', async () => {
    const request = new AbortController();
    const seen: AbortSignal[] = [];
    const it = resolver({}, (_, ctx) => seen.push(ctx.signal));
    for (const end of ['completed', undefined] as const) {
      const ended = await resolve({ resolve: { it } }, { signal: request.signal }, era);
      if (ended.done && end !== undefined) await ended.dispose(end);
    }

    request.abort(boom);
    expect(seen.map(({ aborted, reason }) => [aborted, reason as unknown])).toEqual([
      [false, undefined],
      [true, boom],
    ]);
  });

  it('stops a call on a signal that another has waited on before', async () => {
    const request = new AbortController();
    const { signal } = request;
    const it = resolver({}, async () => 1);
    const ended = resolve({ resolve: { it } }, { signal }, era);
    expect(await ending(ended)).toEqual({ value: 1 });
    const waits = resolve({ resolve: { it: resolver({}, () => never) } }, { signal }, era);

    request.abort(boom);
    expect(await ending(waits)).toEqual({ error: boom });
    expect(await ending(ended)).toEqual({ value: 1 });
  });

  it('stops every call that shares its signal, in whatever order others have ended', async () => {
    const request = new AbortController();
    const { signal } = request;
    const held = [deferred(), deferred(), deferred(), deferred()];
    const calls = held.map(({ promise }) =>
      resolve({ resolve: { it: resolver({}, () => promise) } }, { signal }, era),
    );
    held[2]?.resolve();
    held[0]?.resolve();
    await calls[2];
    await calls[0];

    request.abort(boom);
    const stopped = [calls[1], calls[3]].map((call) => ending(call ?? never));
    expect(await Promise.all(stopped)).toEqual([{ error: boom }, { error: boom }]);
  });
});

it('hands on what others have put on a context, by whatever name', async () => {
  const TENANT = Symbol('tenant');
  const ctx = { ...contextOf(), tenant: 'acme', [TENANT]: 'acme' };
  const it = resolver({}, (_, seen) => {
    const { tenant, [TENANT]: hidden } = seen as typeof seen & typeof ctx;
    return [tenant, hidden];
  });
  const plan = planResolvers({ name: 'tool', resolve: { it } }, []);
  const facts = { protocolVersion: '2026-07-28', clientCapabilities: {} };

  expect(await ending(resolveArguments(plan, {}, { ctx, ...facts }))).toEqual({
    value: ['acme', 'acme'],
  });
});

it('takes a request that inherits its members, in every round', async () => {
  const it = resolver({}, () => confirm('Go?'));
  const { mcpReq } = contextOf();
  const first = await resolve({ resolve: { it } }, Object.create(mcpReq) as typeof mcpReq);
  const { requestState } = first.done ? {} : first.result;
  const answered = Object.assign(Object.create(mcpReq) as typeof mcpReq, {
    inputResponses: { it: { action: 'accept', content: { confirm: true } } },
    requestState: () => requestState,
  });

  expect(await ending(resolve({ resolve: { it } }, answered))).toEqual({ value: true });
});

describe('a question that is made by what then throws', () => {
  const asking = (): never => {
    confirm('never asked');
    throw new Error('inner');
  };
  const makers = {
    'a resolver': resolver({}, asking),
    'a resolver behind one that asks': resolver(
      { asked: outcome(resolver({}, () => confirm('Go?'))) },
      asking,
    ),
    'a fallback': resolver({}, () => confirm('Go?', { otherwise: asking })),
  };

  it.each(Object.entries(makers))('%s, is not held against who called it', async (_, inner) => {
    const clientCapabilities = {};
    const protocolVersion = '2026-07-28';
    const plan = planResolvers({ name: 'inner', resolve: { inner } }, []);
    const it = resolver({}, async (_, ctx) => {
      try {
        await resolveArguments(plan, {}, { ctx, protocolVersion, clientCapabilities });
        return 'went on';
      } catch {
        return 'fell back';
      }
    });

    expect(await ending(resolve({ resolve: { it } }))).toEqual({ value: 'fell back' });
  });
});

it('a context that is logged to any depth shows no argument and no answer', async () => {
  const logged: string[] = [];
  const asking = resolver({}, () => elicit('Which?', z.object({ word: z.string() })));
  const it = resolver({ asking, word: arg<string>('word') }, async (_, ctx) => {
    expect(ctx.signal.aborted).toBe(false);
    await allMicrotasks();
    logged.push(inspect(ctx, { depth: 20, showHidden: true }));
    return 1;
  });
  const plan = planResolvers({ name: 'tool', resolve: { it } }, ['word']);
  const sendRound = (mcpReq: Partial<ServerContext['mcpReq']>): Promise<Resolution> =>
    resolveArguments(
      plan,
      { word: 'an argument' },
      {
        ctx: contextOf(mcpReq),
        protocolVersion: '2026-07-28',
        clientCapabilities: { elicitation: {} },
      },
    );
  const first = await sendRound({});
  const state = first.done ? undefined : first.result.requestState;
  const response = { action: 'accept', content: { word: 'an answer' } };
  await sendRound({ inputResponses: { asking: response }, requestState: (() => state) as never });

  expect(logged).toHaveLength(1);
  expect(logged[0]).not.toMatch(/an argument|an answer/);
});

describe('a question that is out', () => {
  it('is taken back when the request is cancelled', async () => {
    const request = new AbortController();
    const send = (async (_request: unknown, _schema: unknown, options: { signal: AbortSignal }) =>
      new Promise((_, reject) => {
        options.signal.addEventListener('abort', () => {
          reject(options.signal.reason as Error);
        });
      })) as unknown as ServerContext['mcpReq']['send'];
    const it = resolver({}, () => confirm('Really?'));
    const call = resolve({ resolve: { it } }, { send, signal: request.signal }, 'legacy');
    expect(await ending(call)).toEqual({ hangs: true });

    request.abort(boom);
    expect(await ending(call)).toEqual({ error: boom });
  });
});

describe('guards', () => {
  it.each(['at once', 'later'])('that throw %s let nothing else start', async (when) => {
    const started: string[] = [];
    const guard = resolver({}, async () => {
      if (when === 'later') await allMicrotasks();
      throw boom;
    });
    const now = resolver({}, fails(boom));
    const it = resolver({}, () => started.push('it'));
    const call = resolve({ guards: [when === 'later' ? guard : now], resolve: { it } });

    expect(await ending(call)).toEqual({ error: boom });
    expect(started).toEqual([]);
  });

  it('run at the same time as each other, and all finish before anything else starts', async () => {
    const log: string[] = [];
    const gates = [deferred(), deferred()];
    const guards = gates.map(({ promise }, index) =>
      resolver({}, async () => {
        log.push(`guard ${index} starts`);
        await promise;
        log.push(`guard ${index} ends`);
      }),
    );
    const it = resolver({}, () => log.push('it starts'));
    const call = resolve({ guards, resolve: { it } });

    gates[1]!.resolve();
    expect(await ending(call)).toEqual({ hangs: true });
    gates[0]!.resolve();
    await call;
    expect(log).toEqual([
      'guard 0 starts',
      'guard 1 starts',
      'guard 1 ends',
      'guard 0 ends',
      'it starts',
    ]);
  });

  it.each(eras)('that ask let nothing else start (%s)', async (era) => {
    const started: string[] = [];
    const guard = resolver({}, () => confirm('May I?'));
    const it = resolver({}, () => started.push('it'));
    const send = (async () => never) as ServerContext['mcpReq']['send'];
    const call = resolve({ guards: [guard], resolve: { it } }, { send }, era);

    expect(await ending(call)).toEqual(era === 'modern' ? { asks: ['guard'] } : { hangs: true });
    expect(started).toEqual([]);
  });

  it('speak before a parameter fails for what they were refused', async () => {
    const preference = resolver({}, () => confirm('Shall we hurry?'));
    const guard = resolver({ preference: outcome(preference) }, () => confirm('May I?'));
    const replies = [{ action: 'decline' }, { action: 'cancel' }];
    const asked: unknown[] = [];
    const send = (async (request: { params: { message: string } }) => {
      asked.push(request.params.message);
      return replies.shift();
    }) as unknown as ServerContext['mcpReq']['send'];
    const call = resolve({ guards: [guard], resolve: { it: preference } }, { send }, 'legacy');

    await expect(call).rejects.toThrow(
      "Resolver for parameter 'guard' could not resolve: elicitation was cancel",
    );
    expect(asked).toEqual(['Shall we hurry?', 'May I?']);
  });
});

describe('independent resolvers', () => {
  it('that wait for each other finish: they run at the same time', async () => {
    const [a, b] = [deferred<string>(), deferred<string>()];
    const left = resolver({}, async () => {
      a.resolve('from left');
      return b.promise;
    });
    const right = resolver({}, async () => {
      b.resolve('from right');
      return a.promise;
    });
    const it = resolver({ left, right }, ({ left: l, right: r }) => [l, r]);

    expect(await ending(resolve({ resolve: { it } }))).toEqual({
      value: ['from right', 'from left'],
    });
  });

  it('may wait for one that the walk would run later', async () => {
    const later = deferred<string>();
    const it = resolver({}, () => later.promise);
    const source = resolver({}, async () => 'from ');
    const last = resolver({ source }, ({ source: text }) => {
      later.resolve(`${text}later`);
    });

    expect(await ending(resolve({ resolve: { it, last } }))).toEqual({ value: 'from later' });
  });

  it('do not see what another one does to its values', async () => {
    const source = resolver({}, () => 'untouched');
    const rude = resolver({ source }, (values) => {
      Object.assign(values, { source: 'changed' });
    });
    const it = resolver({ rude, source }, ({ source: value }) => value);

    expect(await ending(resolve({ resolve: { it } }))).toEqual({ value: 'untouched' });
  });
});
