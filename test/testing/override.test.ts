/** Tests `override`: it replaces a resolver with a value, so resolvers only it needed do not run. */
import {
  arg,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import type { AnyResolver } from 'mcp-resolve';
import { accept, bothEras, override, run } from 'mcp-resolve/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { BODY } from '../../src/plan/plan.js';
import type { Plan } from '../../src/plan/plan.js';
import { overridePlan } from '../../src/dev/testing/overridePlan.js';
import { planResolvers } from '../../src/plan/planResolvers.js';
import { eras } from '../support/eras.js';
import { amountDue, approval, payInvoice, yes } from './payments.js';

describe.each(eras)('override on the %s era', (era) => {
  test('passes the value to every resolver that depends on the overridden one', async () => {
    const { text, questions, ran } = await run(
      payInvoice,
      { invoice: 'no such invoice' },
      { era, answers: yes, overrides: [override(amountDue, 5000)] },
    );

    expect(text).toBe('Paid 5000 euros for no such invoice.');
    expect(questions.map(({ message }) => message)).toEqual([
      'Pay 5000 euros for no such invoice?',
    ]);
    expect(ran.euros).toBe(0);
  });

  test('calls a function with the context once per round', async () => {
    const contexts: string[] = [];
    const overrides = [
      override(amountDue, async (ctx) => {
        contexts.push(ctx.callId);
        return 500;
      }),
    ];

    const { callId } = await run(
      payInvoice,
      { invoice: 'INV-1' },
      { era, answers: yes, overrides },
    );
    expect(contexts).toEqual(era === 'modern' ? [callId, callId] : [callId]);
  });

  test('reports an error of the function as an error of the resolver', async () => {
    const overrides = [
      override(amountDue, () => {
        throw new ToolError('the ledger is closed');
      }),
    ];

    expect((await run(payInvoice, { invoice: 'INV-1' }, { era, overrides })).text).toBe(
      'Error executing tool pay_invoice: the ledger is closed',
    );
  });

  test('asks no question of the overridden resolver and marks its outcome as not asked', async () => {
    const agreed = resolver({}, () => confirm('Agreed?'), { asks: 'form' });
    const tool = defineTool('t', { resolve: { agreed: outcome(agreed) } }, (values) =>
      JSON.stringify(values.agreed),
    );

    const { text, questions } = await run(
      tool,
      {},
      { era, overrides: [override(agreed, true)], capabilities: {} },
    );
    expect(text).toBe('{"action":"accept","data":true,"asked":false}');
    expect(questions).toEqual([]);
  });

  test('runs a dependency only if a resolver that is not overridden needs it', async () => {
    const login = resolver({}, () => confirm('Log in?'), { asks: 'form' });
    const shared = resolver({}, () => 2);
    const deep = resolver({ login }, () => 3);
    const price = resolver({ deep, shared }, () => 5);
    const total = resolver({ price, shared }, (values) => values.price * values.shared);
    const tool = defineTool('t', { resolve: { total } }, (values) => String(values.total));

    const { text, ran } = await run(tool, {}, { era, overrides: [override(price, 10)] });
    expect(text).toBe('20');
    expect(ran).toEqual({ login: 0, deep: 0, shared: 1, price: 0, total: 1 });
  });

  test('replaces a guard without running what the guard depends on', async () => {
    const user = resolver({}, () => confirm('Who are you?'), { asks: 'form' });
    const allowed = resolver({ user }, (): boolean => {
      throw new ToolError('not allowed');
    });
    const tool = defineTool(
      't',
      { guards: [allowed], resolve: { a: resolver({}, () => 1) } },
      () => {
        return 'done';
      },
    );

    expect((await run(tool, {}, { era, overrides: [override(allowed, true)] })).text).toBe('done');
    expect((await run(tool, {}, { era, overrides: [override(allowed, false)] })).text).toBe(
      'Error executing tool t: Guard 1 refused',
    );
  });

  test('keeps the keys of the remaining questions', async () => {
    const twin = () => resolver({}, () => confirm('Sure?'), { asks: 'form', name: 'sure' });
    const [a, b, c] = [twin(), twin(), twin()];
    const tool = defineTool('t', { resolve: { a, b, c } }, () => 'done');

    const { questions } = await run(
      tool,
      {},
      { era, answers: () => accept({ confirm: true }), overrides: [override(a, true)] },
    );
    expect(questions.map(({ key }) => key)).toEqual(['sure#1', 'sure#2']);
  });

  test('replaces resolvers of prompts and resources', async () => {
    const word = resolver({}, () => elicit('Which word?', Word), { asks: 'form' });
    const prompt = definePrompt('p', { resolve: { word } }, (values) => values.word.word);
    const resource = defineResource('r', 'words://one', { resolve: { word } }, (values) => {
      return values.word.word;
    });
    const overrides = [override(word, { word: 'fog' })];

    expect((await run(prompt, undefined, { era, overrides })).text).toBe('fog');
    expect((await run(resource, 'words://one', { era, overrides })).text).toBe('fog');
  });

  test('takes a value that is a function from a function that returns it', async () => {
    const clock = resolver({}, () => (): number => 12);
    const tool = defineTool('t', { resolve: { clock } }, (values) => String(values.clock()));

    expect((await run(tool, {}, { era, overrides: [override(clock, () => () => 7)] })).text).toBe(
      '7',
    );
  });

  test('leaves the definition unchanged', async () => {
    await run(payInvoice, { invoice: 'INV-1' }, { era, overrides: [override(amountDue, 1)] });

    expect((await run(payInvoice, { invoice: 'INV-1' }, { era })).text).toBe(
      'Paid 40 euros for INV-1.',
    );
    expect((await payInvoice.call({ invoice: 'INV-1' })).content).toEqual([
      { type: 'text', text: 'Paid 40 euros for INV-1.' },
    ]);
  });

  test('pins the first value, so the user approves the value that the body receives', async () => {
    const prices = [100, 200];
    const price = resolver({}, () => 1, { pin: z.number() });
    const agreed = resolver({ price }, (values) => confirm(`Pay ${values.price}?`), {
      asks: 'form',
    });
    const tool = defineTool('t', { resolve: { price, agreed } }, (values) => `${values.price}`);

    const { text, questions } = await run(
      tool,
      {},
      {
        era,
        answers: { agreed: accept({ confirm: true }) },
        overrides: [override(price, () => prices.shift() ?? 0)],
      },
    );
    expect([questions.map(({ message }) => message), text]).toEqual([['Pay 100?'], '100']);
  });

  test('does not dispose of the value', async () => {
    const disposed: string[] = [];
    const pool = resolver({}, () => 'pool', { dispose: (value) => disposed.push(value) });
    const tool = defineTool('t', { resolve: { pool } }, (values) => values.pool);

    await run(tool, {}, { era, overrides: [override(pool, 'fake')] });
    expect(disposed).toEqual([]);
    await run(tool, {}, { era });
    expect(disposed).toEqual(['pool']);
  });

  test('fails the test if an overridden question still has a scripted answer', async () => {
    const overrides = [override(approval, true)];

    await expect(
      run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes, overrides }),
    ).rejects.toThrow("'pay_invoice' ended without using all scripted answers.");
  });
});

test('override keeps the order of errors: the first in sequence is reported', async () => {
  const late = resolver({}, async () => {
    throw new ToolError('late');
  });
  const early = resolver({ late }, () => 1);
  const second = resolver({}, () => {
    throw new ToolError('second');
  });
  const tool = defineTool('t', { resolve: { early, second } }, () => 'done');

  const overridden = [override(late, () => Promise.reject(new ToolError('first')))];
  expect((await bothEras((era) => run(tool, {}, { era, overrides: overridden }))).text).toBe(
    'Error executing tool t: first',
  );
  const without = [override(early, 1)];
  expect((await bothEras((era) => run(tool, {}, { era, overrides: without }))).text).toBe(
    'Error executing tool t: second',
  );
});

describe('overridePlan', () => {
  /** Random graphs. Each resolver needs some of those before it. Some are guards or parameters. */
  const graphs = fc
    .array(
      fc.record({
        needs: fc.array(fc.nat(11), { maxLength: 3 }),
        wantsOutcome: fc.boolean(),
        pinned: fc.boolean(),
        use: fc.constantFrom('none', 'param', 'guard'),
        overridden: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((specs) => {
      const made: AnyResolver[] = [];
      for (const { needs, wantsOutcome, pinned } of specs) {
        const own = [...new Set(needs)].flatMap((index) => made[index] ?? []);
        const entries = own.map((need, place) => {
          return [`n${place}`, wantsOutcome ? outcome(need) : need] as const;
        });
        const pin = pinned ? { pin: z.number() } : {};
        made.push(resolver({ ...Object.fromEntries(entries), x: arg<string>() }, () => 1, pin));
      }
      const used = (use: string) => made.filter((_, index) => specs[index]?.use === use);
      const guards = used('guard').filter(({ options }) => options.pin === undefined);
      const params = used('param').map((one, place) => [`p${place}`, one] as const);
      const plan = planResolvers({ name: 't', guards, resolve: Object.fromEntries(params) }, ['x']);
      const chosen = made.filter((_, index) => specs[index]?.overridden === true);
      return { plan, chosen: chosen.filter((one) => plan.nodes.some((n) => n.resolver === one)) };
    });

  const overriding = (resolvers: readonly AnyResolver[]) =>
    resolvers.map((one) => override(one, 1));

  test('removes exactly the nodes that only overridden resolvers need', () => {
    fc.assert(
      fc.property(graphs, ({ plan, chosen }) => {
        const changed = overridePlan(plan, overriding(chosen));

        expect(new Set(changed.nodes.map(({ key }) => key))).toEqual(neededKeys(plan, chosen));
        for (const node of changed.nodes) {
          const before = plan.nodes.find(({ key }) => key === node.key)!;
          const isOverridden = chosen.includes(before.resolver);
          expect(node.seq).toBe(before.seq);
          expect(node.args).toEqual(isOverridden ? [] : before.args);
          expect(withSourceKeys(changed, node.fills)).toEqual(
            isOverridden ? [] : withSourceKeys(plan, before.fills),
          );
        }
        expect(withSourceKeys(changed, changed.params)).toEqual(withSourceKeys(plan, plan.params));
      }),
      { numRuns: 200 },
    );
  });

  test('returns a consistent plan with the guards first', () => {
    fc.assert(
      fc.property(graphs, ({ plan, chosen }) => {
        const { nodes, params, guardNodes } = overridePlan(plan, overriding(chosen));

        expect(nodes.map(({ index }) => index)).toEqual(nodes.map((_, place) => place));
        const seqs = nodes.map(({ seq }) => seq);
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
        const wanted = [...nodes.flatMap(({ fills }) => fills), ...params];
        const served = nodes.flatMap(({ serves }) => serves);
        expect(served).toEqual(expect.arrayContaining(wanted));
        // The rest are guards: no parameter takes their values.
        const rest = served.filter((fill) => !wanted.some(({ seq }) => seq === fill.seq));
        expect(rest.every((fill) => fill.consumer === BODY && fill.source < guardNodes)).toBe(true);
        for (const { index, fills, upstream, resolver: one, serves } of nodes) {
          expect(fills.every(({ source, consumer }) => source < index && consumer === index)).toBe(
            true,
          );
          expect(serves.every(({ source }) => source === index)).toBe(true);
          expect(upstream === undefined).toBe(one.options.pin === undefined);
          const above = (at: number): string[] =>
            nodes[at]!.fills.flatMap(({ source }) => [nodes[source]!.key, ...above(source)]);
          if (upstream !== undefined) expect(new Set(upstream)).toEqual(new Set(above(index)));
        }
        expect(nodes.slice(0, guardNodes).every(({ seq }) => seq < plan.guardSteps)).toBe(true);
        expect(nodes.slice(guardNodes).every(({ seq }) => seq >= plan.guardSteps)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('returns the same plan if there are no overrides', () => {
    const { plan } = payInvoice['~definition'];

    expect(overridePlan(plan, [])).toBe(plan);
  });
});

/** Returns the keys that a walk reaches if it stops at overridden resolvers. */
function neededKeys({ nodes }: Plan, overridden: readonly AnyResolver[]): Set<string> {
  const found = new Set<string>();
  const visit = (index: number): void => {
    const node = nodes[index]!;
    found.add(node.key);
    if (!overridden.includes(node.resolver)) node.fills.forEach(({ source }) => visit(source));
  };
  for (const { serves, index } of nodes) {
    if (serves.some(({ consumer }) => consumer === BODY)) visit(index);
  }
  return found;
}

/** Replaces the source index of each fill by its key, so that plans can be compared. */
function withSourceKeys({ nodes }: Plan, fills: Plan['params']): unknown[] {
  return fills.map(({ param, source, wantsOutcome, seq }) => {
    return { param, source: nodes[source]?.key, wantsOutcome, seq };
  });
}

const Word = z.object({ word: z.string() });
