/**
 * A plan that has run often is called by functions that were compiled for it. They give what the
 * others give, whatever its parameters are called.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import { arg, confirm, defineTool, install, outcome, resolver } from 'mcp-resolve';
import type { AnyResolver, CallEvent, Need } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Plan, Resolution } from 'mcp-resolve/engine';
import { describe, expect, it, vi } from 'vitest';

import { talk } from '../support/conversation.js';
import { contextOf, season } from './play.js';

const run = promisify(execFile);

const NAMES = [
  'plain',
  'constructor',
  'toString',
  'hasOwnProperty',
  'given',
  'supply',
  'ctx',
  'f0',
  '0',
  '-1',
  'two words',
  'quote"',
  "apostrophe'",
  'back\\slash',
  '${template}`',
  'line\nbreak',
  'separator\u2028',
  '\ud800',
  '});globalThis.hacked=true;({',
];

function planOf(resolve: Readonly<Record<string, AnyResolver>>, names: readonly string[]): Plan {
  return planResolvers({ name: 'tool', resolve }, names);
}

function resolutionOf(
  plan: Plan,
  args: Record<string, unknown> = {},
  signal = new AbortController().signal,
): Promise<Resolution> {
  return resolveArguments(plan, args, {
    ctx: contextOf({ signal }),
    protocolVersion: '2026-07-28',
    clientCapabilities: { elicitation: { form: {} } },
  });
}

async function valuesOf(plan: Plan, args: Record<string, unknown> = {}): Promise<unknown> {
  const resolution = await resolutionOf(plan, args);
  return resolution.done ? resolution.values : resolution.result;
}

/** Whether the resolvers of a chain give their values at once or later, or take turns with it. */
type Pace = 'sync' | 'async' | 'mixed';

interface Special {
  readonly pace: Pace;
  readonly place: number;
  readonly gives: () => unknown;
}

/** A chain in which one resolver does something else than to add one, and who of it was called. */
function chainWith({ pace, place, gives }: Special): { plan: Plan; called: number[] } {
  const called: number[] = [];
  let last = resolver({}, () => -1);
  for (let index = 0; index < CHAIN; index += 1) {
    const isLater = pace === 'async' || (pace === 'mixed' && index % 2 === 0);
    last = resolver({ before: last }, ({ before }) => {
      called.push(index);
      if (index === place) return gives() as number;
      return isLater ? Promise.resolve(before + 1) : before + 1;
    });
  }
  return { plan: planOf({ last }, []), called };
}

const CHAIN = 4;
const places = Array.from({ length: CHAIN }, (_, place) => place);

const ages = [
  ['new', (plan: Plan) => plan],
  ['seasoned', season],
] as const;

describe.each(ages)('a %s plan', (_, aged) => {
  it('gives functions and the body what they need by any name, in the order of their needs', async () => {
    const seen: unknown[] = [];
    const note = (values: Record<string, unknown>): number => seen.push(Object.entries(values));
    const byArgument = resolver(
      Object.fromEntries(NAMES.map((name): [string, Need] => [name, arg(name)])),
      note,
    );
    const parts = NAMES.map((name) => resolver({}, () => `value of ${name}`));
    const byNode = resolver(
      Object.fromEntries(NAMES.map((name, index): [string, Need] => [name, parts[index]!])),
      note,
    );
    const byOutcome = resolver(
      Object.fromEntries(NAMES.map((name, index) => [name, outcome(parts[index]!)])),
      note,
    );
    const top = {
      ...Object.fromEntries(parts.map((part, index) => [`${NAMES[index]!} it`, part])),
    };
    const plan = aged(planOf({ byArgument, byNode, byOutcome, ...top }, NAMES));
    const args = Object.fromEntries(NAMES.map((name) => [name, `argument ${name}`]));
    // What looks like an integer comes first in every object of JavaScript.
    const ordered = ['0', ...NAMES.filter((name) => name !== '0')];

    const values = await valuesOf(plan, args);
    expect(seen).toEqual([
      ordered.map((name) => [name, `argument ${name}`]),
      ordered.map((name) => [name, `value of ${name}`]),
      ordered.map((name) => [name, { action: 'accept', data: `value of ${name}`, asked: false }]),
    ]);
    expect(values).toEqual({
      byArgument: 1,
      byNode: 2,
      byOutcome: 3,
      ...Object.fromEntries(NAMES.map((name) => [`${name} it`, `value of ${name}`])),
    });
    expect(globalThis).not.toHaveProperty('hacked');
  });

  it('takes no argument from a prototype', async () => {
    const it = resolver({ admin: arg<boolean>('admin'), toString: arg('toString') }, (values) => ({
      ...values,
    }));
    const args = Object.create({ admin: true }) as Record<string, unknown>;

    expect(await valuesOf(aged(planOf({ it }, ['admin', 'toString'])), args)).toEqual({
      it: { admin: undefined, toString: undefined },
    });
  });

  it('gives every call an object of its own', async () => {
    const seen = new Set<object>();
    const it = resolver({ id: arg('id') }, (values) => {
      seen.add(values);
      (values as Record<string, unknown>).added = true;
      return Object.keys(values).length;
    });
    const plan = aged(planOf({ it }, ['id']));

    const both = [await valuesOf(plan, { id: 1 }), await valuesOf(plan, { id: 1 })];
    expect(both).toEqual([{ it: 2 }, { it: 2 }]);
    expect(seen.size).toBe(2);
  });

  it('says what was read from `this`', async () => {
    class Desk {
      readonly name = 'front';
      load(): string {
        return this.name;
      }
    }
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the mistake that is tested
    const it = resolver({}, new Desk().load);

    await expect(valuesOf(aged(planOf({ it }, [])))).rejects.toThrow("'this.name' was read");
  });
});

const chains = ages.flatMap(([age, aged]) =>
  (['sync', 'async', 'mixed'] as const).map((pace) => ({ age, aged, pace })),
);

describe.each(chains)('a $age plan of a chain ($pace)', ({ aged, pace }) => {
  const boom = new Error('boom');
  const breaks = (): never => {
    throw boom;
  };

  it.each(places)('ends at place %i with what is thrown there', async (place) => {
    for (const gives of [breaks, () => Promise.reject(boom)]) {
      const { plan, called } = chainWith({ pace, place, gives });
      await expect(valuesOf(aged(plan))).rejects.toBe(boom);
      expect(called).toEqual(places.slice(0, place + 1));
    }
  });

  it.each(places)('goes on from place %i with what comes later, or is no number', async (place) => {
    const thenable = () => Object.assign(() => 0, { then: (done: (n: number) => void) => done(7) });
    const specials = [async () => place, thenable, () => [place], () => null, () => () => place];
    for (const special of specials) {
      for (const gives of [special, async () => special()]) {
        const { plan, called } = chainWith({ pace, place, gives });
        const given: unknown = await gives();
        const expected = places
          .slice(place + 1)
          .reduce<unknown>((sum) => (sum as number) + 1, given);
        const values = (await valuesOf(aged(plan))) as { last: unknown };
        expect(String(values.last)).toBe(String(expected));
        expect(called).toEqual(places);
      }
    }
  });

  it.each(places)('asks at place %i, and nothing behind it runs', async (place) => {
    for (const gives of [() => confirm('Sure?'), async () => confirm('Sure?')]) {
      const { plan, called } = chainWith({ pace, place, gives });
      expect(await valuesOf(aged(plan))).toMatchObject({ resultType: 'input_required' });
      expect(called).toEqual(places.slice(0, place + 1));
    }
  });

  it.each(places)('notices at place %i a question that is not returned', async (place) => {
    const makes = (): number => {
      confirm('Sure?');
      return place;
    };
    for (const gives of [makes, async () => makes()]) {
      const { plan } = chainWith({ pace, place, gives });
      await expect(valuesOf(aged(plan))).rejects.toThrow('made a question and did not return it');
    }
  });

  it.each(places)('at place %i takes a resolver for no value', async (place) => {
    const other = resolver({}, () => true);
    for (const gives of [() => other, async () => other]) {
      const { plan } = chainWith({ pace, place, gives });
      await expect(valuesOf(aged(plan))).rejects.toThrow('returned a resolver');
    }
  });
});

it.each(ages)('a %s plan disposes of what came later', async (_, aged) => {
  const ended: string[] = [];
  const opened = (name: string, after: Record<string, Need>) =>
    resolver(after, async () => name, { dispose: (it, end) => void ended.push(`${it} ${end}`) });
  const first = opened('first', {});
  const second = opened('second', { first });
  const read = resolver({ second }, async ({ second }) => `read of ${second}`);
  const plan = aged(planOf({ read }, []));

  const resolution = await resolutionOf(plan);
  expect(resolution).toMatchObject({ values: { read: 'read of second' } });
  expect(ended).toEqual([]);
  if (resolution.done) await resolution.dispose('completed');
  expect(ended).toEqual(['second completed', 'first completed']);
});

it.each(ages)('a %s plan whose request is cancelled starts nothing more', async (_, aged) => {
  const called: string[] = [];
  let arrive = (_value: number): void => undefined;
  const arrival = new Promise<number>((resolve) => (arrive = resolve));
  const slow = resolver({}, () => arrival);
  const after = resolver({ slow }, async () => called.push('after'));
  const request = new AbortController();
  const running = resolutionOf(aged(planOf({ after }, [])), {}, request.signal);
  request.abort(new Error('cancelled'));
  arrive(1);

  await expect(running).rejects.toThrow('cancelled');
  await arrival;
  expect(called).toEqual([]);
});

describe.each(ages)('a %s plan', (_, aged) => {
  /** Resolvers that note that they have run. */
  const noting = (ran: string[]) =>
    function noted<T>(name: string, needs: Record<string, Need>, gives: () => T) {
      return resolver(needs, () => {
        ran.push(name);
        return gives();
      });
    };
  const strange = Object.defineProperty({}, 'then', {
    get: () => {
      throw new Error('strange');
    },
  });

  it('reports what the walk meets first, whatever fails before that', async () => {
    const early = resolver({}, async () => {
      await Promise.resolve();
      throw new Error('early');
    });
    for (const fails of [() => strange, () => Promise.reject(new Error('late'))]) {
      const plan = aged(planOf({ early, late: resolver({}, fails) }, []));
      await expect(valuesOf(plan)).rejects.toThrow('early');
    }
  });

  it('starts nothing behind a value that cannot be looked at', async () => {
    const ran: string[] = [];
    const noted = noting(ran);
    const account = noted('account', {}, async () => 1);
    const config = noted('config', { account }, () => strange);
    const approval = noted('approval', { config }, () => confirm('Pay?'));
    const rates = noted('rates', {}, async () => {
      await Promise.resolve();
      return 2;
    });
    const plan = aged(planOf({ approval, rates }, []));

    await expect(valuesOf(plan)).rejects.toThrow('strange');
    expect(ran).toEqual(['account', 'rates', 'config']);
  });

  it('starts nothing more when a guard or a resolver cancels the request', async () => {
    for (const kind of ['guards', 'resolve'] as const) {
      const ran: string[] = [];
      const noted = noting(ran);
      const request = new AbortController();
      const before = noted('before', {}, async () => 1);
      const cancelling = noted('cancelling', { before }, () => {
        request.abort(new Error('cancelled'));
        return true;
      });
      const needs = kind === 'guards' ? {} : { cancelling };
      const after = noted('after', needs, async () => 1);
      const last = noted('last', { after }, async () => 1);
      const spec =
        kind === 'guards' ? { guards: [cancelling], resolve: { last } } : { resolve: { last } };
      const plan = aged(planResolvers({ name: 'tool', ...spec }, []));

      await expect(resolutionOf(plan, {}, request.signal)).rejects.toThrow('cancelled');
      await Promise.resolve();
      expect(ran).toEqual(['before', 'cancelling']);
    }
  });

  it('ends where a guard gives no, at once or later', async () => {
    const before = resolver({}, async () => 1);
    for (const gives of [() => false, async () => false]) {
      for (const needs of [{}, { before }] as Record<string, Need>[]) {
        const ran: string[] = [];
        const guard = resolver(needs, gives as () => boolean);
        const it = noting(ran)('it', {}, async () => 1);
        const plan = aged(planResolvers({ name: 'tool', guards: [guard], resolve: { it } }, []));
        await expect(valuesOf(plan)).rejects.toThrow('refused');
        expect(ran).toEqual([]);
      }
    }
  });

  it('starts those who need a record in the order in which it starts those who need a number', async () => {
    for (const given of [1, { k: 1 }]) {
      const ran: string[] = [];
      const noted = noting(ran);
      const a = noted('a', {}, async () => given);
      const b = noted('b', { a }, () => 1);
      const c = noted('c', { b }, () => 1);
      const d = noted('d', { a, b }, () => 1);
      await valuesOf(aged(planOf({ c, d }, [])));
      expect(ran).toEqual(['a', 'b', 'd', 'c']);
    }
  });

  it('holds against nobody a question that was made by what then throws', async () => {
    const before = resolver({}, async () => 1);
    const fails = resolver({ before }, () => {
      confirm('Lost?');
      throw new Error('after the question');
    });
    await expect(valuesOf(aged(planOf({ fails }, [])))).rejects.toThrow('after the question');
    expect(await valuesOf(aged(planOf({ it: resolver({}, () => 1) }, [])))).toEqual({ it: 1 });
  });
});

describe('what is compiled', () => {
  const compilations = (plan: Plan): number => {
    let made = 0;
    const counting = new Proxy(Function, {
      construct: (target, args) => {
        const compiled = Reflect.construct(target, args) as object;
        made += 1;
        return compiled;
      },
    });
    vi.stubGlobal('Function', counting);
    season(plan);
    vi.unstubAllGlobals();
    return made;
  };
  const fan = (size: number): Plan => {
    const parts = Array.from({ length: size }, (_, index): [string, Need] => [
      `part${index}`,
      resolver({}, () => index),
    ]);
    return planOf({ all: resolver(Object.fromEntries(parts), () => 'all') }, []);
  };

  it('is a plan that has run often, once, whatever its names', () => {
    const named = resolver(
      Object.fromEntries(NAMES.map((name): [string, Need] => [name, arg(name)])),
      () => 'named',
    );
    expect(compilations(planOf({ named }, NAMES))).toBe(1);
    expect(compilations(planOf({}, []))).toBe(1);
    expect(compilations(fan(400))).toBe(1);
  });

  it('is no plan that takes longer to compile than to run', () => {
    expect(compilations(fan(600))).toBe(0);
    const guards = Array.from({ length: 1100 }, () => resolver({}, () => true));
    expect(compilations(planResolvers({ name: 'tool', guards }, []))).toBe(0);
  });
});

it('is compiled while calls of it run, which end as they would have', async () => {
  const before = resolver({ id: arg<number>('id') }, async ({ id }) => {
    await Promise.resolve();
    return id;
  });
  const later = resolver({ before }, async ({ before }) => before);
  const after = resolver({ later, id: arg<number>('id') }, ({ later, id }) => [later, id]);
  const plan = planOf({ after }, ['id']);

  const calls = Array.from({ length: 200 }, (_, id) => valuesOf(plan, { id }));
  expect(await Promise.all(calls)).toEqual(calls.map((_, id) => ({ after: [id, id] })));
});

it('tells whoever watches the same before it is compiled and afterwards', async () => {
  const two = resolver({}, async () => 2);
  const tool = defineTool(
    'sum',
    {
      resolve: { ten: resolver({}, () => 10), two, four: resolver({ two }, ({ two }) => 2 * two) },
    },
    ({ ten, two, four }) => String(ten + two + four),
  );
  const told: string[][] = [];
  const { client } = await talk('modern', () => {
    const server = new McpServer({ name: 'sums', version: '1.0.0' });
    const onEvent = (event: CallEvent): void => {
      if (event.type === 'started') told.push([]);
      told.at(-1)?.push('resolver' in event ? `${event.type} ${event.resolver}` : event.type);
    };
    install(server, [tool], { onEvent });
    return server;
  });
  for (let call = 0; call < 150; call += 1) await client.callTool({ name: 'sum' });

  expect(new Set(told.map((events) => events.join(', ')))).toEqual(
    new Set(['started, ran ten, ran two, ran four, completed']),
  );
  expect(told).toHaveLength(150);
});

it('runs on where the runtime makes no code from text', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const program = `
    import { arg, resolver } from 'mcp-resolve';
    import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
    const { contextOf } = await import('./test/engine/play.ts');
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => ['n' + i, resolver({}, () => 1)]));
    const wide = resolver(many, (values) => Object.keys(values).length);
    const double = resolver({ n: arg('n'), wide }, ({ n, wide }) => (2 * n * wide) / 3000);
    const plan = planResolvers({ name: 'tool', resolve: { double } }, ['n']);
    const options = { ctx: contextOf(), protocolVersion: '2026-07-28', clientCapabilities: {} };
    let sum = 0;
    for (let n = 0; n < 300; n += 1) {
      sum += (await resolveArguments(plan, { n }, options)).values.double;
    }
    try { new Function('')(); } catch (error) { console.log(error.name, sum); }
  `;
  const { stdout } = await run(
    process.execPath,
    [
      '--disallow-code-generation-from-strings',
      ...['--import', 'tsx', '--input-type=module', '--eval', program],
    ],
    { cwd: root },
  );

  expect(stdout).toBe(`EvalError ${300 * 299}\n`);
});

it('functions of very many needs get an object of their own in each call, with all of them', async () => {
  const names = [...NAMES, ...Array.from({ length: 3000 }, (_, index) => `need${index}`)];
  const needs = Object.fromEntries(names.map((name) => [name, resolver({}, () => name)]));
  const got: Record<string, unknown>[] = [];
  const top: AnyResolver = resolver(needs, (values) => got.push(values));
  const plan = planOf({ top }, []);
  const body = planOf(needs, []);
  for (let round = 0; round < 8; round += 1) {
    await valuesOf(plan);
    got.push((await valuesOf(body)) as Record<string, unknown>);
  }

  const expected = Object.fromEntries(names.map((name) => [name, name]));
  expect(new Set(got).size).toBe(16);
  for (const values of got) {
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
    expect(Object.entries(values)).toEqual(Object.entries(expected));
  }
});
