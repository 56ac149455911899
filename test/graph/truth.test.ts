/**
 * Compares what `explain` says of a definition with what its calls do, on both eras: the number of
 * rounds if every form takes all its attempts, the kinds of question, the capabilities that the
 * client needs, and the order in `timeline`.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import {
  arg,
  confirm,
  defineTool,
  elicit,
  elicitUrl,
  listRoots,
  outcome,
  resolver,
  sample,
} from 'mcp-resolve';
import type { CallEvent, Resolver, Tool } from 'mcp-resolve';
import { explain } from 'mcp-resolve/graph';
import type { Explanation } from 'mcp-resolve/graph';
import { accept, run, timeline } from 'mcp-resolve/testing';
import type { AskedQuestion } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const form = { asks: 'form' } as const;
const Zip = z.object({ zip: z.string().regex(/^\d{5}$/) });
const body = (): string => 'done';

const user = resolver({}, () => 'ann', { name: 'user' });
const price = resolver({}, () => 48, { name: 'price', pin: z.number() });
const sure = (
  name: string,
  needs: Readonly<Record<string, Resolver<unknown>>> = {},
): Resolver<true> => resolver(needs, () => confirm(`${name}?`), { ...form, name });
const zip = (
  name: string,
  attempts: 1 | 2 | 3 | 4,
  needs: Readonly<Record<string, Resolver<unknown>>> = {},
): Resolver<{ zip: string }> =>
  resolver(needs, () => elicit(`${name}?`, Zip), { ...form, name, attempts });
const summary = resolver(
  {},
  () =>
    sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Summarize.' } }],
      maxTokens: 10,
    }),
  { asks: 'sample', name: 'summary' },
);
const folders = resolver({}, () => listRoots(), { asks: 'roots', name: 'folders' });
const page = resolver({ price }, () => elicitUrl('Open it.', 'https://shop.example/'), {
  asks: 'url',
  name: 'page',
});

const first = sure('first', { price });
const second = zip('second', 3, { first });
const sideways = sure('sideways', { first });
const maybe = resolver(
  { note: arg.optional<string>('note') },
  ({ note }) => (note === undefined ? confirm('maybe?') : true),
  { ...form, name: 'maybe' },
);
const gate = resolver({ user }, ({ user }) => (user === 'ann' ? confirm('gate?') : false), {
  ...form,
  name: 'gate',
});

const Input = z.object({ note: z.string().optional() });
const tools: readonly (readonly [tool: Tool, rounds: number])[] = [
  [
    defineTool('computed', { guards: [resolver({ user }, () => true)], resolve: { price } }, body),
    1,
  ],
  [defineTool('confirmed', { resolve: { sure: sure('sure', { price }) } }, body), 2],
  [defineTool('attempts', { resolve: { where: zip('where', 4) } }, body), 5],
  [defineTool('chain', { resolve: { all: sure('third', { second }) } }, body), 6],
  [defineTool('diamond', { resolve: { all: sure('last', { second, sideways }) } }, body), 6],
  [defineTool('beside', { resolve: { a: zip('a', 2), b: zip('b', 3), c: sure('c') } }, body), 4],
  [defineTool('guarded', { guards: [gate], resolve: { where: zip('where', 2) } }, body), 4],
  [defineTool('outcomes', { resolve: { a: outcome(sure('x', { first })) } }, body), 3],
  [defineTool('kinds', { resolve: { summary, folders, page, where: zip('where', 1) } }, body), 2],
  [defineTool('lacking', { resolve: { maybe, page } }, body), 2],
  [defineTool('given', { inputSchema: Input, resolve: { maybe } }, body), 2],
  [
    defineTool(
      'all',
      { guards: [gate, resolver({}, () => true)], resolve: { maybe, second, page, summary } },
      body,
    ),
    6,
  ],
];

/** Answers each form wrongly, as often as it is shown again. */
function slowUser(definition: Explanation): (question: AskedQuestion) => object {
  const left = new Map(definition.resolvers.map(({ key, asks }) => [key, asks.attempts ?? 1]));
  return ({ key, kind }) => {
    if (kind === 'sample')
      return { model: 'm', role: 'assistant', content: { type: 'text', text: 'Short.' } };
    if (kind === 'roots') return { roots: [] };
    if (kind === 'url') return accept();
    const attempts = left.get(key) ?? 0;
    left.set(key, attempts - 1);
    return accept(attempts > 1 ? { zip: 'wrong' } : { zip: '12345', confirm: true });
  };
}

function capabilitiesOf({ capabilities }: Explanation): ClientCapabilities {
  return capabilities.reduce<ClientCapabilities>((all, { required }) => {
    const one: ClientCapabilities = required;
    const elicitation = { ...all.elicitation, ...one.elicitation };
    return { ...all, ...one, ...(one.elicitation && { elicitation }) };
  }, {});
}

const argumentsFor = ({ arguments: all }: Explanation): Record<string, unknown> | undefined =>
  all.length === 0 ? undefined : {};

const keysOf = (events: readonly CallEvent[], type: CallEvent['type']): string[] =>
  events.flatMap((event) => (event.type === type && 'resolver' in event ? [event.resolver] : []));

const named = tools.map(([tool, rounds]) => ({ name: tool.name, tool, rounds }));

describe.each(named)('explain of $name', ({ tool, rounds }) => {
  const explained = explain(tool);
  const call = (era: 'modern' | 'legacy', capabilities = capabilitiesOf(explained)) =>
    run(tool as Tool<Record<string, unknown> | undefined>, argumentsFor(explained), {
      ...{ era, capabilities, unused: 'allow' },
      answers: slowUser(explained) as never,
    });

  test('counts the rounds of the slowest call', () => {
    expect(explained.atMostRounds).toBe(rounds);
  });

  test.each(['modern', 'legacy'] as const)('is what a call does: %s', async (era) => {
    const { text, events, questions, ...done } = await call(era);
    expect(text).toBe('done');
    if (era === 'modern') expect(done.rounds).toBe(explained.atMostRounds);
    const asking = explained.resolvers.filter(({ asks }) => asks.kind !== 'nothing');
    const asked = new Map(questions.map(({ key, kind }) => [key, kind]));
    expect(asked).toEqual(new Map(asking.map(({ key, asks }) => [key, asks.kind])));
    for (const { key, asks } of asking)
      expect(questions.filter((one) => one.key === key)).toHaveLength(asks.attempts ?? 1);
    expect(new Set(keysOf(events, 'ran'))).toEqual(
      new Set(explained.resolvers.map(({ key }) => key)),
    );
  });

  test.each(explained.capabilities)('needs each capability: $name', async ({ kind }) => {
    const others = explained.capabilities.filter((one) => one.kind !== kind);
    for (const era of ['modern', 'legacy'] as const) {
      const { error } = await call(era, capabilitiesOf({ ...explained, capabilities: others }));
      expect(error?.code).toBe(-32021);
    }
  });

  test.each(['modern', 'legacy'] as const)('has the order of the timeline: %s', async (era) => {
    const { events } = await call(era);
    const rows = timeline(events).split('\n');
    for (const start of rows.flatMap((row, line) => (row.startsWith('round ') ? [line] : []))) {
      const bars = new Map<string, number>();
      for (const row of rows.slice(start + 1).slice(0, rows.slice(start + 1).indexOf(''))) {
        const [, key, bar] = /^ {2}(\S+) +│(.*)│/.exec(row) ?? [];
        const place = bar?.search(/\S/) ?? -1;
        if (key !== undefined && place >= 0) bars.set(key, place);
      }
      for (const { key, needs, first } of explained.resolvers) {
        const before = needs.flatMap((need) => (need.from === 'resolver' ? [need.resolver] : []));
        const guards = first ? [] : explained.resolvers.filter((one) => one.first);
        for (const earlier of [...before, ...guards.map((one) => one.key)])
          expect(bars.get(earlier) ?? 0).toBeLessThanOrEqual(bars.get(key) ?? Infinity);
      }
    }
  });
});
