/** Tests cleanup in the engine: the caller calls `dispose(end)` after the body has ended. */
import type { ServerContext } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { confirm, resolver } from 'mcp-resolve';
import type { AnyResolver, End, Filler } from 'mcp-resolve';
import type { Era } from 'mcp-resolve/testing';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Resolution } from 'mcp-resolve/engine';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { allMicrotasks, contextOf } from '../engine/play.js';
import { eras, VERSION } from '../support/eras.js';
import { failToClose, type Log, opening } from './desk.js';

/** The options of {@link resolve}. */
interface EngineCall {
  readonly era?: Era;
  readonly mcpReq?: Partial<ServerContext['mcpReq']>;
  readonly onUnexpectedError?: (error: unknown) => void;
}

/** Resolves the parameters of a call in the engine alone. */
function resolve(
  fillers: Record<string, Filler>,
  { era = 'modern', mcpReq = {}, ...options }: EngineCall = {},
): Promise<Resolution> {
  return resolveArguments(
    planResolvers({ name: 'use', resolve: fillers }, []),
    {},
    {
      ctx: contextOf(mcpReq),
      protocolVersion: VERSION[era],
      clientCapabilities: { elicitation: {} },
      ...options,
    },
  );
}

/** Returns the values of a call that asks nothing. */
async function valuesOf(call: Promise<Resolution>) {
  const resolution = await call;
  if (!resolution.done) throw new Error('expected values');
  return resolution;
}

/** A client that accepts every question. */
const agreeing = (async () => ({
  action: 'accept',
  content: { confirm: true },
})) as unknown as ServerContext['mcpReq']['send'];

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('the engine on the %s era', (era) => {
  test.each<End>(['completed', 'failed', 'cancelled', 'asked'])(
    "passes '%s' to every dispose, in reverse order",
    async (end) => {
      const log: Log = [];
      const fillers = { a: opening(log, 'a'), b: opening(log, 'b') };
      const { dispose } = await valuesOf(resolve(fillers, { era }));
      expect(log).toEqual(['open a', 'open b']);

      await dispose(end);
      expect(log.slice(2)).toEqual([`close b: ${end}`, `close a: ${end}`]);
    },
  );

  test('ignores every end after the first', async () => {
    const log: Log = [];
    const { dispose } = await valuesOf(resolve({ a: opening(log, 'a') }, { era }));
    await dispose('failed');
    await dispose('completed');
    await Promise.all([dispose('completed'), dispose('cancelled')]);

    expect(log).toEqual(['open a', 'close a: failed']);
  });

  test('ignores a second end while the first is still being handled', async () => {
    const log: Log = [];
    const slow = (name: string) =>
      resolver({}, () => name, {
        dispose: async (value, end) => {
          await allMicrotasks();
          log.push(`close ${value}: ${end}`);
        },
      });
    const { dispose } = await valuesOf(resolve({ a: slow('a'), b: slow('b') }, { era }));
    await Promise.all([dispose('failed'), dispose('completed')]);

    expect(log).toEqual(['close b: failed', 'close a: failed']);
  });

  test("throws the first error of a dispose after 'completed', and reports the others", async () => {
    const [log, reported]: [Log, unknown[]] = [[], []];
    const fails = (name: string) => resolver({}, () => name, { dispose: failToClose(log) });
    const call = resolve(
      { a: fails('a'), b: fails('b'), c: opening(log, 'c') },
      { era, onUnexpectedError: (error) => reported.push(error) },
    );
    const { dispose } = await valuesOf(call);

    await expect(dispose('completed')).rejects.toThrow('b would not close');
    expect(log.slice(1)).toEqual(['close c: completed', 'close b: completed', 'close a: failed']);
    expect(reported).toEqual([new Error('a would not close')]);
  });

  test.each<End>(['failed', 'cancelled', 'asked'])(
    "reports the error of a dispose after '%s', and does not throw it",
    async (end) => {
      const [log, reported]: [Log, unknown[]] = [[], []];
      const a = resolver({}, () => 'a', { dispose: failToClose(log) });
      const call = resolve({ a }, { era, onUnexpectedError: (error) => reported.push(error) });
      const { dispose } = await valuesOf(call);

      await dispose(end);
      expect(reported).toEqual([new Error('a would not close')]);
    },
  );

  test('logs the error of a dispose if there is no onUnexpectedError', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const a = resolver({}, () => 'a', { dispose: failToClose([]) });
    const { dispose } = await valuesOf(resolve({ a }, { era }));

    await dispose('failed');
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^mcp-resolve: '.+' caused an error in call [\w-]+: Error: a would not close$/,
        ),
      ],
    ]);
  });

  test('disposes of its values when a resolver throws', async () => {
    const log: Log = [];
    const broken = resolver({}, async () => {
      throw new Error('boom');
    });
    const call = resolve({ a: opening(log, 'a'), broken }, { era });

    await expect(call).rejects.toThrow('boom');
    expect(log).toEqual(['open a', 'close a: failed']);
  });

  test('disposes of its values when the request is cancelled', async () => {
    const log: Log = [];
    const request = new AbortController();
    const hangs = resolver({}, () => new Promise<never>(() => undefined));
    const call = resolve(
      { a: opening(log, 'a'), hangs },
      { era, mcpReq: { signal: request.signal } },
    );
    request.abort(new Error('no longer needed'));

    await expect(call).rejects.toThrow('no longer needed');
    expect(log).toEqual(['open a', 'close a: cancelled']);
  });

  test('disposes of its values before it asks a modern client, but not a legacy one', async () => {
    const log: Log = [];
    const approved = resolver({}, () => confirm('Go ahead?'), { asks: 'form' });
    const resolution = await resolve(
      { a: opening(log, 'a'), approved },
      { era, mcpReq: { send: agreeing } },
    );

    expect(resolution.done).toBe(era === 'legacy');
    expect(log).toEqual(era === 'legacy' ? ['open a'] : ['open a', 'close a: asked']);
  });
});

/** A resolver of a random graph. */
interface NodeShape {
  readonly needs: readonly number[];
  readonly does: 'open' | 'openLater' | 'ask' | 'throw' | 'throwLater';
}

const shapes = fc.array(
  fc.record<NodeShape>({
    needs: fc.array(fc.nat(5), { maxLength: 3 }),
    does: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('open', 'openLater') },
      { weight: 1, arbitrary: fc.constantFrom('ask', 'throw', 'throwLater') },
    ),
  }),
  { minLength: 1, maxLength: 12, size: 'max' },
);

test.each(eras)(
  'the engine disposes of every value once, and of its consumers before it (%s)',
  async (era) => {
    const property = fc.asyncProperty(shapes, fc.scheduler(), async (nodes, scheduler) => {
      const [opened, closed]: [number[], [node: number, end: End][]] = [[], []];
      let inTime: readonly number[] = [];
      const made: AnyResolver[] = [];
      const needsOf = (index: number): number[] =>
        index === 0 ? [] : nodes[index]!.needs.map((back) => index - 1 - (back % index));
      for (const [index, { does }] of nodes.entries()) {
        const run = (): unknown => {
          if (does === 'ask') return confirm(`question ${index}`);
          if (does === 'throw' || does === 'throwLater') throw new Error(`node ${index}`);
          opened.push(index);
          return index;
        };
        const later = does === 'openLater' || does === 'throwLater';
        made.push(
          resolver(
            Object.fromEntries(needsOf(index).map((node, at) => [`need${at}`, made[node]!])),
            () => (later ? scheduler.schedule(Promise.resolve()).then(run) : run()),
            {
              dispose: (value: unknown, end) => {
                if (closed.length === 0) inTime = [...opened];
                if (typeof value === 'number') closed.push([value, end]);
              },
            },
          ),
        );
      }
      const call = resolve(Object.fromEntries(made.map((one, index) => [`p${index}`, one])), {
        era,
        mcpReq: { send: agreeing },
      });
      const ending = call.then(
        async (resolution): Promise<End> => {
          if (!resolution.done) return 'asked';
          await resolution.dispose('completed');
          return 'completed';
        },
        (): End => 'failed',
      );
      const seen = { end: undefined as End | undefined };
      void ending.then((end) => {
        seen.end = end;
      });
      // Abandoned resolvers settle as well, before the end or after it.
      while (seen.end === undefined || scheduler.count() > 0) {
        if (scheduler.count() > 0) await scheduler.waitNext(1);
        await allMicrotasks();
      }
      await allMicrotasks();

      expect(closed.map(([node]) => node).sort()).toEqual([...opened].sort());
      expect(closed.filter(([, end]) => end !== seen.end)).toEqual([]);
      // Late values are disposed of on arrival, in any order.
      const order = closed.map(([node]) => node).filter((node) => inTime.includes(node));
      for (const [position, node] of order.entries()) {
        const closedBefore = order.slice(0, position);
        expect(needsOf(node).filter((need) => closedBefore.includes(need))).toEqual([]);
      }
    });
    await fc.assert(property, { seed: Number(process.env.FC_SEED ?? 20_260_728), numRuns: 300 });
  },
  60_000,
);
