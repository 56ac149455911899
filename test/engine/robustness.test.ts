/**
 * Tests resolvers that misbehave. Whatever they return or throw, and even if they never settle, a
 * call ends once, and no unhandled rejection follows.
 */
import { inspect } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { arg, confirm, defineTool, elicit, install, outcome, resolver } from 'mcp-resolve';
import type { AnyResolver, CallContext, Filler, Need, Schema } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Resolution } from 'mcp-resolve/engine';
import type { Era } from 'mcp-resolve/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { deferred } from '../support/deferred.js';
import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { allMicrotasks, contextOf } from './play.js';

const unhandled: unknown[] = [];
const record = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', record);
});

afterEach(async () => {
  await allMicrotasks();
  await allMicrotasks();
  process.off('unhandledRejection', record);
  expect(unhandled).toEqual([]);
});

interface Graph {
  readonly resolve?: Record<string, Filler>;
  readonly guards?: readonly AnyResolver[];
}

function resolve(
  graph: Graph,
  mcpReq: Partial<ServerContext['mcpReq']> = {},
  era: Era = 'modern',
): Promise<Resolution> {
  const plan = planResolvers({ name: 'tool', ...graph }, []);
  const options = {
    ctx: contextOf(mcpReq),
    protocolVersion: VERSION[era],
    clientCapabilities: { elicitation: {} },
  };
  return resolveArguments(plan, {}, options);
}

/** The end of a call: a value for `it`, questions, an error, or none. */
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

/** A resolver that is awaited, so resolvers that need it start asynchronously. */
const before = resolver({}, async () => 'before');
const never = new Promise<never>(() => undefined);
const boom = new Error('boom');
const anyTypeError = expect.any(TypeError) as TypeError;
const fails = (error: unknown) => (): never => {
  throw error;
};

/** Creates a thenable with this `then`. */
function thenable(
  then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void,
) {
  return { then };
}

/** Creates a native promise with its own `then`. */
function patchedPromise(then: (resolve: (value: unknown) => void) => void): Promise<unknown> {
  return Object.assign(Promise.resolve('native'), { then });
}

/** Creates a proxy that throws on every access. */
function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('a resolver that returns', () => {
  const values: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a function', () => 1],
    ['a symbol', Symbol('it')],
    ['a BigInt', 10n],
    ['NaN', Number.NaN],
    ['a proxy', new Proxy({}, {})],
    ['an object without a prototype', Object.create(null)],
    ['an object with a property `then` that is not a function', { then: 'later' }],
    ['a class', Map],
    ['an error', boom],
  ];

  it.each(values)('%s has it as its value, synchronously or asynchronously', async (_, value) => {
    for (const body of [() => value, async () => value]) {
      const ended = await ending(resolve({ resolve: { it: resolver({}, body) } }));
      expect('value' in ended && Object.is(ended.value, value)).toBe(true);
    }
  });

  it.each(values)('%s passes it unchanged to its consumers', async (_, value) => {
    const source = resolver({}, () => value);
    const it = resolver({ source, same: outcome(source) }, ({ source: plain, same }) =>
      [plain, same.action === 'accept' && same.data].every((one) => Object.is(one, value)),
    );
    expect(await ending(resolve({ resolve: { it } }))).toEqual({ value: true });
  });

  it.each(eras)('a promise of a promise of a question asks it (%s)', async (era) => {
    const body = async () => Promise.resolve(confirm('Really?'));
    const send = (async () => ({
      action: 'accept',
      content: { confirm: true },
    })) as unknown as ServerContext['mcpReq']['send'];
    const ended = await ending(
      resolve({ resolve: { it: resolver({}, body, { asks: 'form' }) } }, { send }, era),
    );
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
    [
      'resolves with another thenable',
      () => thenable((yes) => yes(thenable((y) => y(1)))),
      { value: 1 },
    ],
    [
      'is a function',
      () =>
        Object.assign(
          () => 0,
          thenable((yes) => yes(1)),
        ),
      { value: 1 },
    ],
    [
      'is a promise that resolves twice',
      () => patchedPromise((yes) => [1, 2].forEach(yes)),
      { value: 1 },
    ],
    [
      'is a promise that resolves twice, later',
      () => patchedPromise((yes) => queueMicrotask(() => [1, 2].forEach(yes))),
      { value: 1 },
    ],
    ['is a promise that throws', () => patchedPromise(fails(boom)), { error: boom }],
    [
      'is a promise with a constructor that throws',
      () => Object.defineProperty(Promise.resolve(1), 'constructor', { get: fails(boom) }),
      { error: boom },
    ],
    [
      'throws when `then` is read',
      () => Object.defineProperty({}, 'then', { get: fails(boom) }),
      { error: boom },
    ],
    [
      'only inherits from Promise',
      () => Object.create(Promise.prototype) as object,
      { error: anyTypeError },
    ],
    ['is a proxy of a promise', () => new Proxy(Promise.resolve(1), {}), { error: anyTypeError }],
  ];

  const places = promises.flatMap((one) => [[...one, {}] as const, [...one, { before }] as const]);

  it.each(places)('a thenable that %s settles once', async (_, make, expected, needs) => {
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
    // A synchronous failure keeps later resolvers from starting.
    expect(runs.sibling).toBeLessThanOrEqual(1);
    expect(runs).toMatchObject({ source: 1, it: 'value' in expected ? 1 : 0 });
  });

  it('a proxy of a function with a throwing `getPrototypeOf` has it as its value', async () => {
    const shy = new Proxy(() => 1, { getPrototypeOf: fails(boom) });
    const later = resolver({}, async () => 1);
    for (const it of [resolver({}, () => shy), resolver({ later }, () => shy)]) {
      const resolution = await resolve({ resolve: { it } });
      expect(resolution.done && resolution.values.it === shy).toBe(true);
    }
  });

  it('an object that throws when it is inspected fails', async () => {
    const closed = new Proxy({}, { get: fails(boom), has: fails(boom) });
    for (const [value, error] of [
      [revokedProxy(), anyTypeError],
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

  it.each(eras)('a form whose validation throws fails (%s)', async (era) => {
    const standard = z.object({ n: z.number() })['~standard'];
    const validations = [fails(boom), async () => fails(boom)()];
    for (const validate of validations) {
      const schema = { '~standard': { ...standard, validate } } as unknown as Schema;
      const it = resolver({}, () => elicit('How many?', schema), { asks: 'form' });
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

describe('a resolver that throws', () => {
  const thrown: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a string', 'text'],
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
    ['a revoked proxy', revokedProxy()],
  ];

  it.each(thrown)('%s ends the call with it', async (_, error) => {
    for (const body of [fails(error), async () => fails(error)()]) {
      const call = resolve({ resolve: { it: resolver({}, body) } });
      const ended = await call.then(
        () => 'a value',
        (reason: unknown) => ({ same: Object.is(reason, error) }),
      );
      expect(ended).toEqual({ same: true });
    }
  });

  const toolError = {
    isError: true,
    content: [{ type: 'text', text: 'Error executing tool tool' }],
    _meta: { 'mcp-resolve/callId': expect.any(String) as string },
  };

  it.each(thrown)('%s returns a tool error', async (_, error) => {
    const tool = defineTool('tool', { resolve: { it: resolver({}, fails(error)) } }, () => 'ran');

    expect(await tool.call(undefined)).toEqual(toolError);
  });

  it.each(thrown)('%s passes an Error to `onerror` of the server', async (_, error) => {
    const reported: unknown[] = [];
    const tool = defineTool('tool', { resolve: { it: resolver({}, fails(error)) } }, () => 'ran');
    const { call } = await connectClient('legacy', () => {
      const server = new McpServer({ name: 'server', version: '1.0.0' });
      server.server.onerror = (one) => reported.push(one);
      install(server, [tool]);
      return server;
    });

    expect(await call('tool')).toEqual(toolError);
    expect(reported).toEqual([expect.any(Error)]);
  });
});

describe('after a failure', () => {
  it('a later value that throws when it is inspected is ignored', async () => {
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

  it('a later failure is ignored', async () => {
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

  it('the call aborts the signals of later resolvers and does not wait for them', async () => {
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

  it('no further resolver starts, even if its needs settle', async () => {
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

  it('an earlier resolver is awaited, and its failure takes precedence', async () => {
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

  it('a resolver that needs an earlier one is awaited too', async () => {
    const first = deferred();
    const source = resolver({}, () => first.promise);
    const front = resolver({ source }, async () => {
      throw new Error('in front');
    });
    const call = resolve({ resolve: { front, failing: resolver({}, fails(boom)) } });

    first.resolve();
    await expect(call).rejects.toThrow('in front');
  });

  it('an earlier resolver that succeeds does not change it', async () => {
    const first = deferred();
    const front = resolver({}, () => first.promise);
    const call = resolve({ resolve: { front, failing: resolver({}, fails(boom)) } });

    first.resolve();
    expect(await ending(call)).toEqual({ error: boom });
  });

  it('an earlier question is not asked', async () => {
    const asking = resolver({}, () => confirm('Really?'), { asks: 'form' });
    for (const era of eras) {
      const call = resolve({ resolve: { asking, failing: resolver({}, fails(boom)) } }, {}, era);
      expect(await ending(call)).toEqual({ error: boom });
    }
  });
});

it('a call that succeeds does not abort its signal', async () => {
  let signal: AbortSignal | undefined;
  const it = resolver({}, (_, ctx) => {
    signal = ctx.signal;
    return 1;
  });
  expect(await ending(resolve({ resolve: { it } }))).toEqual({ value: 1 });
  expect(signal?.aborted).toBe(false);
});

describe.each(eras)('a cancelled request (%s)', (era) => {
  it('ends at once with the reason, even if resolvers hang', async () => {
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

  it('ends at once and runs nothing if it was cancelled before', async () => {
    let ran = false;
    const it = resolver({}, () => {
      ran = true;
      return never;
    });
    const call = resolve({ resolve: { it } }, { signal: AbortSignal.abort(boom) }, era);

    expect(await ending(call)).toEqual({ error: boom });
    expect(ran).toBe(false);
  });

  it('ends at once if a resolver cancels it while others start', async () => {
    const request = new AbortController();
    const it = resolver({}, () => never);
    const cancelling = resolver({}, () => {
      request.abort(boom);
    });
    const call = resolve({ resolve: { it, cancelling } }, { signal: request.signal }, era);

    expect(await ending(call)).toEqual({ error: boom });
  });

  it('starts no further resolver', async () => {
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

  it('fails if other code dispatches an abort event', async () => {
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

  it('ignores later failures', async () => {
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

  it('ends once if an awaiting resolver cancels it', async () => {
    const request = new AbortController();
    const first = resolver({}, async () => 1);
    const cancelling = resolver({ first }, () => {
      request.abort(boom);
      return 2;
    });
    const call = resolve({ resolve: { cancelling } }, { signal: request.signal }, era);

    expect(await ending(call)).toEqual({ error: boom });
  });

  it('removes its abort listener when the call ends', async () => {
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

  it('does not abort the signals of a call that has ended', async () => {
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

  it('stops a call whose signal an earlier call has used', async () => {
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

  it('stops every running call that shares its signal', async () => {
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

it('resolvers receive additional properties of the context', async () => {
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

it('the engine accepts a request object with inherited properties, in every round', async () => {
  const it = resolver({}, () => confirm('Go?'), { asks: 'form' });
  const { mcpReq } = contextOf();
  const first = await resolve({ resolve: { it } }, Object.create(mcpReq) as typeof mcpReq);
  const { requestState } = first.done ? {} : first.result;
  const answered = Object.assign(Object.create(mcpReq) as typeof mcpReq, {
    inputResponses: { it: { action: 'accept', content: { confirm: true } } },
    requestState: () => requestState,
  });

  expect(await ending(resolve({ resolve: { it } }, answered))).toEqual({ value: true });
});

describe('a nested call in which a function creates a question and then throws', () => {
  const asking = (): never => {
    confirm('never asked');
    throw new Error('inner');
  };
  const makers = {
    'a resolver': resolver({}, asking),
    'a resolver that needs one that asks': resolver(
      { asked: outcome(resolver({}, () => confirm('Go?'), { asks: 'form' })) },
      asking,
    ),
    'a fallback': resolver({}, () => confirm('Go?', { otherwise: asking }), { asks: 'form' }),
  };

  it.each(Object.entries(makers))('(%s) does not fail the outer call', async (_, inner) => {
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

it('a logged context shows no arguments and no answers', async () => {
  const logged: string[] = [];
  const asking = resolver({}, () => elicit('Which?', z.object({ word: z.string() })), {
    asks: 'form',
  });
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

describe('a pushed question', () => {
  it('is cancelled with the request', async () => {
    const request = new AbortController();
    const send = (async (_request: unknown, _schema: unknown, options: { signal: AbortSignal }) =>
      new Promise((_, reject) => {
        options.signal.addEventListener('abort', () => {
          reject(options.signal.reason as Error);
        });
      })) as unknown as ServerContext['mcpReq']['send'];
    const it = resolver({}, () => confirm('Really?'), { asks: 'form' });
    const call = resolve({ resolve: { it } }, { send, signal: request.signal }, 'legacy');
    expect(await ending(call)).toEqual({ hangs: true });

    request.abort(boom);
    expect(await ending(call)).toEqual({ error: boom });
  });
});

describe('guards', () => {
  it.each(['at once', 'later'])(
    'that throw %s keep other resolvers from starting',
    async (when) => {
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
    },
  );

  it('run concurrently, and all finish before any other resolver starts', async () => {
    const log: string[] = [];
    const gates = [deferred(), deferred()];
    const guards = gates.map(({ promise }, index) =>
      resolver({}, async () => {
        log.push(`guard ${index} starts`);
        await promise;
        log.push(`guard ${index} ends`);
        return true;
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

  it.each(eras)('that ask keep other resolvers from starting (%s)', async (era) => {
    const started: string[] = [];
    const guard = resolver({}, () => confirm('May I?'), { asks: 'form' });
    const it = resolver({}, () => started.push('it'));
    const send = (async () => never) as ServerContext['mcpReq']['send'];
    const call = resolve({ guards: [guard], resolve: { it } }, { send }, era);

    expect(await ending(call)).toEqual(era === 'modern' ? { asks: ['guard'] } : { hangs: true });
    expect(started).toEqual([]);
  });

  it('ask before a parameter fails because of a refusal', async () => {
    const preference = resolver({}, () => confirm('Shall we hurry?'), { asks: 'form' });
    const guard = resolver({ preference: outcome(preference) }, () => confirm('May I?'), {
      asks: 'form',
    });
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
  it('run concurrently, so they can wait for each other', async () => {
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

  it('may wait for a resolver that comes later in the sequence', async () => {
    const later = deferred<string>();
    const it = resolver({}, () => later.promise);
    const source = resolver({}, async () => 'from ');
    const last = resolver({ source }, ({ source: text }) => {
      later.resolve(`${text}later`);
    });

    expect(await ending(resolve({ resolve: { it, last } }))).toEqual({ value: 'from later' });
  });

  it('do not see changes of another resolver to its values', async () => {
    const source = resolver({}, () => 'untouched');
    const rude = resolver({ source }, (values) => {
      Object.assign(values, { source: 'changed' });
    });
    const it = resolver({ rude, source }, ({ source: value }) => value);

    expect(await ending(resolve({ resolve: { it } }))).toEqual({ value: 'untouched' });
  });
});
