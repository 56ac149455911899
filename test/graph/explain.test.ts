/** Tests `explain`, and compares its numbers of rounds with real calls. */
import * as fc from 'fast-check';
import { arg, confirm, defineTool, elicit, outcome, resolver } from 'mcp-resolve';
import type { AnyResolver, Tool } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { explain } from 'mcp-resolve/graph';
import type { Explanation } from 'mcp-resolve/graph';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';
import { note, ping, planTrip, transfer } from './samples.js';

const COMPUTED = { kind: 'nothing', declared: false, seen: false };

describe('explain', () => {
  it('describes every part of a tool', () => {
    expect(explain(transfer)).toEqual({
      kind: 'tool',
      name: 'transfer_money',
      description: 'Transfer money to another account, once a person has approved the amount.',
      arguments: [
        {
          name: 'account',
          required: true,
          type: 'string',
          description: 'Where the money comes from',
        },
        { name: 'cents', required: true, type: 'integer' },
        { name: 'currency', required: false, type: '"EUR" | "USD" | "CHF"' },
        { name: 'note', required: false, type: 'string' },
      ],
      guards: ['may_transfer'],
      resolvers: [
        {
          ...{ key: 'caller', guard: false, first: true, pinned: false, disposed: false },
          needs: [],
          usedBy: [{ by: 'resolver', resolver: 'may_transfer', parameter: 'who', outcome: false }],
          asks: COMPUTED,
        },
        {
          ...{ key: 'may_transfer', guard: true, first: true, pinned: false, disposed: false },
          needs: [
            { parameter: 'who', from: 'resolver', resolver: 'caller', outcome: false },
            { parameter: 'account', from: 'argument', argument: 'account' },
          ],
          usedBy: [],
          asks: { kind: 'form', declared: true, seen: false },
        },
        {
          ...{ key: 'rate', guard: false, first: false, pinned: true, disposed: false },
          needs: [{ parameter: 'currency', from: 'argument', argument: 'currency' }],
          usedBy: [{ by: 'resolver', resolver: 'approval', parameter: 'rate', outcome: false }],
          asks: COMPUTED,
        },
        {
          ...{ key: 'db', guard: false, first: false, pinned: false, disposed: true },
          needs: [],
          usedBy: [{ by: 'resolver', resolver: 'account', parameter: 'db', outcome: false }],
          asks: COMPUTED,
        },
        {
          ...{ key: 'account', guard: false, first: false, pinned: false, disposed: false },
          needs: [
            { parameter: 'id', from: 'argument', argument: 'account' },
            { parameter: 'db', from: 'resolver', resolver: 'db', outcome: false },
          ],
          usedBy: [
            { by: 'resolver', resolver: 'purpose', parameter: 'account', outcome: false },
            { by: 'resolver', resolver: 'risk', parameter: 'account', outcome: false },
            { by: 'resolver', resolver: 'signedIn', parameter: 'account', outcome: false },
            { by: 'body', parameter: 'from', outcome: false },
          ],
          asks: COMPUTED,
        },
        {
          ...{ key: 'purpose', guard: false, first: false, pinned: false, disposed: false },
          needs: [{ parameter: 'account', from: 'resolver', resolver: 'account', outcome: false }],
          usedBy: [{ by: 'resolver', resolver: 'risk', parameter: 'purpose', outcome: false }],
          asks: { kind: 'form', declared: true, seen: false, fields: ['purpose', 'urgent'] },
        },
        {
          ...{ key: 'risk', guard: false, first: false, pinned: false, disposed: false },
          needs: [
            { parameter: 'purpose', from: 'resolver', resolver: 'purpose', outcome: false },
            { parameter: 'account', from: 'resolver', resolver: 'account', outcome: false },
          ],
          usedBy: [{ by: 'resolver', resolver: 'approval', parameter: 'risk', outcome: true }],
          asks: { kind: 'sample', declared: true, seen: false },
        },
        {
          ...{ key: 'approval', guard: false, first: false, pinned: false, disposed: false },
          needs: [
            { parameter: 'cents', from: 'argument', argument: 'cents' },
            { parameter: 'rate', from: 'resolver', resolver: 'rate', outcome: false },
            { parameter: 'risk', from: 'resolver', resolver: 'risk', outcome: true },
          ],
          usedBy: [{ by: 'body', parameter: 'approval', outcome: true }],
          asks: { kind: 'form', declared: true, seen: false, fields: ['approve', 'comment'] },
        },
        {
          ...{ key: 'signedIn', guard: false, first: false, pinned: false, disposed: false },
          needs: [{ parameter: 'account', from: 'resolver', resolver: 'account', outcome: false }],
          usedBy: [{ by: 'body', parameter: 'signedIn', outcome: false }],
          asks: { kind: 'url', declared: true, seen: false },
        },
        {
          ...{ key: 'folders', guard: false, first: false, pinned: false, disposed: false },
          needs: [],
          usedBy: [{ by: 'body', parameter: 'folders', outcome: false }],
          asks: { kind: 'roots', declared: true, seen: false },
        },
      ],
      parameters: [
        { name: 'approval', resolver: 'approval', outcome: true },
        { name: 'signedIn', resolver: 'signedIn', outcome: false },
        { name: 'from', resolver: 'account', outcome: false },
        { name: 'folders', resolver: 'folders', outcome: false },
      ],
      once: true,
      capabilities: [
        { kind: 'form', name: 'form elicitation', required: { elicitation: { form: {} } } },
        { kind: 'url', name: 'url elicitation', required: { elicitation: { url: {} } } },
        { kind: 'sample', name: 'sampling', required: { sampling: {} } },
        { kind: 'roots', name: 'roots', required: { roots: {} } },
      ],
      atMostRounds: 5,
      chain: ['may_transfer', 'purpose', 'risk', 'approval'],
    });
  });

  it('returns plain data that survives JSON', () => {
    const explanation = explain(transfer);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });

  it('counts one round for a tool without resolvers', () => {
    expect(explain(ping)).toEqual({
      ...{ kind: 'tool', name: 'ping', description: 'Answers.', once: false },
      ...{ arguments: [], guards: [], resolvers: [], parameters: [], capabilities: [] },
      ...{ atMostRounds: 1, chain: [] },
    });
  });

  it('describes the arguments of a prompt', () => {
    const { kind, arguments: given, parameters } = explain(planTrip);
    expect({ kind, given, parameters }).toEqual({
      kind: 'prompt',
      given: [
        { name: 'city', required: true, type: 'string' },
        { name: 'days', required: false, type: 'string' },
      ],
      parameters: [{ name: 'season', resolver: 'season', outcome: false }],
    });
  });

  it('describes the template variables of a resource', () => {
    const { kind, uri, arguments: given } = explain(note);
    expect({ kind, uri, given }).toEqual({
      kind: 'resource',
      uri: 'notes://{folder}/{+path*}',
      given: [
        { name: 'folder', required: true, type: 'string | string[]' },
        { name: 'path', required: true, type: 'string | string[]' },
      ],
    });
  });

  it.each([
    [z.string(), 'string'],
    [z.int(), 'integer'],
    [z.array(z.number()), 'number[]'],
    [z.array(z.enum(['a', 'b'])), '("a" | "b")[]'],
    [z.string().nullable(), 'string | null'],
    [z.union([z.string(), z.number()]), 'string | number'],
    [z.literal('yes'), '"yes"'],
    [z.enum(['1', '2', '3', '4', '5', '6', '7']), '"1" | "2" | "3" | "4" | "5" | "6" | …'],
    [z.object({ a: z.string() }), 'object'],
    [z.unknown(), 'any'],
    [z.lazy(() => z.boolean()), 'boolean'],
    [z.json(), 'string | number | boolean | null | any[] | object'],
  ])('describes the type of an argument as $1', (type, words) => {
    const tool = defineTool('t', { inputSchema: z.object({ x: type }) }, () => 'done');
    expect(explain(tool).arguments).toMatchObject([{ name: 'x', type: words }]);
  });

  it('merges the arguments of a union and marks those required that all variants require', () => {
    const inputSchema = z.discriminatedUnion('by', [
      z.object({ by: z.literal('id'), id: z.string() }),
      z.object({ by: z.literal('mail'), mail: z.string() }),
    ]);
    expect(explain(defineTool('t', { inputSchema }, () => 'done')).arguments).toEqual([
      { name: 'by', required: true, type: '"id" | "mail"' },
      { name: 'id', required: false, type: 'string' },
      { name: 'mail', required: false, type: 'string' },
    ]);
  });

  it('marks an argument that a definition may lack, also in one that lacks it', () => {
    const short = resolver({ note: arg.optional<string>() }, ({ note }) => note ?? '');
    const text = (inputSchema?: z.ZodObject) => {
      const tool = defineTool(
        't',
        { ...(inputSchema && { inputSchema }), resolve: { short } },
        () => '',
      );
      const needs = [{ parameter: 'note', from: 'argument', argument: 'note', optional: true }];
      expect(explain(tool)).toMatchObject({ resolvers: [{ needs }] });
      expect(explain(tool, { format: 'svg' })).toContain('optional');
      return explain(tool, { format: 'text' });
    };
    expect(text(z.object({ note: z.string() }))).toMatch(/note +string[^]+short \(note\?\)/);
    expect(text()).not.toMatch(/note +string/);
    expect(text()).toContain('short (note?)');
  });

  it('lists a guard that also fills a parameter once, as both', () => {
    const both = resolver({}, () => true, { name: 'known' });
    const tool = defineTool(
      't',
      { guards: [both, both], resolve: { isKnown: both } },
      () => 'done',
    );
    expect(explain(tool)).toMatchObject({
      guards: ['known'],
      resolvers: [{ guard: true, usedBy: [{ by: 'body', parameter: 'isKnown' }] }],
    });
  });

  it('shows a resolver without `asks` as computed', () => {
    const price = resolver({}, () => 3, { name: 'price' });
    const approved = resolver({ price }, () => confirm('Buy?'), { asks: 'form' });
    const tool = defineTool('buy', { resolve: { approved } }, () => 'bought');

    expect(explain(tool)).toMatchObject({
      resolvers: [
        { key: 'price', asks: { kind: 'nothing', declared: false, seen: false } },
        { key: 'approved' },
      ],
      ...{ atMostRounds: 2, chain: ['approved'] },
    });
    expect(explain(tool, { format: 'text' })).toContain('price  computed\n');
    expect(explain(tool, { format: 'text' })).toContain(
      'rounds  at most 2: approved\nclient  needs form elicitation',
    );
    expect(explain(tool, { format: 'mermaid' })).toContain('["price<br>computed"]');
    expect(explain(tool, { format: 'svg' })).toContain('<title>price, computed</title>');
  });

  it('explains a graph of depth 20,000 without a stack overflow', () => {
    let last = resolver({}, (): unknown => 0, { asks: 'form' });
    for (let depth = 1; depth < 20_000; depth += 1) last = resolver({ last }, (): unknown => 0);
    const tool = defineTool('deep', { resolve: { last } }, () => 'done');
    expect(explain(tool)).toMatchObject({ atMostRounds: 2 });
  });

  it('refuses a value that is not a definition', () => {
    expect(() => explain(resolver({}, () => 1) as never)).toThrow(
      new TypeError(
        'explain(): the first argument must be a definition. Create one with defineTool(), definePrompt() or defineResource().',
      ),
    );
  });
});

describe('the format of an explanation', () => {
  it('is plain data without one, and a string with one', () => {
    const data = explain(transfer);
    expectTypeOf(data).toEqualTypeOf<Explanation>();
    expectTypeOf(explain(transfer, { events: [] })).toEqualTypeOf<Explanation>();
    for (const format of ['text', 'json', 'mermaid', 'svg'] as const) {
      expectTypeOf(explain(transfer, { format })).toEqualTypeOf<string>();
    }
    expect(JSON.parse(explain(transfer, { format: 'json' }))).toEqual(data);
  });

  it('must be known, as the other options', () => {
    expect(() => explain(ping, { format: 'png' as 'svg' })).toThrow(
      new TypeError("explain(): `format` must be 'text', 'json', 'mermaid' or 'svg'."),
    );
    expect(() => explain(ping, { colour: true } as object)).toThrow(
      new TypeError("explain() has no option 'colour'. Known options: events, format, color."),
    );
  });
});

describe('the number of rounds', () => {
  it('equals the number of requests of a call in which every resolver asks', async () => {
    await fc.assert(
      fc.asyncProperty(askingGraphs, async ({ tool, questions }) => {
        const client = await connectClient('modern', serving([tool]), {
          elicit: () => accept({ confirm: true }),
          maxRounds: 100,
        });
        expect(await client.text('asking')).toBe('done');
        expect(client.requests()).toBe(explain(tool).atMostRounds);
        expect(client.asked).toHaveLength(questions);
      }),
      { numRuns: 60 },
    );
  });

  it('counts every attempt of a form, in data, text and pictures', async () => {
    const Guests = z.object({ guests: z.int().min(1) });
    const size = resolver({}, () => elicit('How many guests?', Guests), {
      asks: Guests,
      attempts: 3,
    });
    const approved = resolver({ size }, () => confirm('Book?'), { asks: 'form' });
    const tool = defineTool('book', { resolve: { size, approved } }, () => 'done');

    const { rounds } = await run(tool, undefined, {
      answers: {
        size: [accept({ guests: 0 }), accept({ guests: -1 }), accept({ guests: 2 })],
        approved: accept({ confirm: true }),
      },
    });

    const explanation = explain(tool);
    expect(explanation).toMatchObject({
      atMostRounds: rounds,
      chain: ['size', 'approved'],
      resolvers: [{ asks: { kind: 'form', attempts: 3 } }, { asks: { kind: 'form' } }],
    });
    expect(rounds).toBe(5);
    const words = 'at most 5: size (3 attempts), then approved';
    expect(explain(tool, { format: 'text' })).toContain(`rounds  ${words}`);
    expect(explain(tool, { format: 'text' })).toContain('asks with a form, up to 3 times: guests');
    expect(explain(tool, { format: 'svg' })).toContain(words);
    expect(explain(tool, { format: 'mermaid' })).toContain('asks with a form, up to 3 times');
  });

  it('follows the chain that can take the most rounds, not the one with the most questions', () => {
    const Guests = z.object({ guests: z.int().min(1) });
    const options = { asks: Guests, attempts: 4 } as const;
    const size = resolver({}, () => elicit('How many guests?', Guests), options);
    const first = resolver({}, () => confirm('First?'), { asks: 'form' });
    const second = resolver({ first }, () => confirm('Second?'), { asks: 'form' });
    const tool = defineTool('book', { resolve: { second, size } }, () => 'done');
    expect(explain(tool)).toMatchObject({ atMostRounds: 5, chain: ['size'] });
  });

  it('includes undeclared questions that the events of a call contain', async () => {
    const scope = resolver({}, (): unknown => confirm('All of it?'), { name: 'scope' });
    const restock = resolver({ scope }, (): unknown => confirm('Back to stock?'), {
      name: 'restock',
    });
    const cents = resolver({ scope }, () => 100, { name: 'cents' });
    const tool = defineTool('refund', { resolve: { restock, cents } }, () => 'done');
    const other = defineTool('other', { resolve: { cents } }, () => 'done');
    expect(explain(tool)).toMatchObject({ atMostRounds: 1, capabilities: [] });

    const { events, rounds } = await run(tool, {}, { answers: () => accept({ confirm: true }) });

    const seen = { kind: 'form', declared: false, seen: true };
    expect(explain(tool, { events })).toMatchObject({
      resolvers: [
        { key: 'scope', asks: seen },
        { key: 'restock', asks: seen },
        { key: 'cents', asks: COMPUTED },
      ],
      ...{ atMostRounds: 3, chain: ['scope', 'restock'] },
      capabilities: [{ kind: 'form' }],
    });
    expect(explain(tool, { events }).atMostRounds).toBe(rounds);
    expect(explain(tool, { format: 'text', events })).toContain('asks with a form (undeclared)');
    expect(explain(other, { events }).atMostRounds).toBe(1);
  });
});

interface AskingGraph {
  readonly tool: Tool;
  /** The number of resolvers that ask. */
  readonly questions: number;
}

/** Graphs in which each resolver always asks and declares it, or never asks. */
const askingGraphs: fc.Arbitrary<AskingGraph> = fc
  .array(
    fc.record({
      asks: fc.boolean(),
      guard: fc.boolean(),
      needs: fc.array(fc.nat(), { maxLength: 3 }),
      asOutcome: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((nodes) => {
    const made: AnyResolver[] = [];
    for (const [index, { asks, needs, asOutcome }] of nodes.entries()) {
      const sources = index === 0 ? [] : [...new Set(needs.map((need) => need % index))];
      const filled = sources.map((source) => {
        const need = made[source]!;
        return [`n${source}`, asOutcome ? outcome(need) : need] as const;
      });
      const name = `r${index}`;
      const given = Object.fromEntries(filled);
      made.push(
        asks
          ? resolver(given, () => confirm(`${name}?`), { name, asks: 'form' })
          : resolver(given, () => true, { name }),
      );
    }
    const guards = made.filter((_, index) => nodes[index]?.guard === true);
    const resolve = Object.fromEntries(made.map((filler, index) => [`p${index}`, filler]));
    const tool = defineTool('asking', { guards, resolve }, () => 'done');
    return { tool, questions: nodes.filter(({ asks }) => asks).length };
  });
