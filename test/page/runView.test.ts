/** Tests the page's view of a run: rounds, states, values that could change, and the test code. */
import { argsOf, confirm, defineTool, resolver } from 'mcp-resolve';
import { explain } from 'mcp-resolve/graph';
import { accept, run as play } from 'mcp-resolve/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CallEvent } from 'mcp-resolve';
import { BODY_KEY, nodesAt, restingState, viewOf } from '../../src/dev/page/client/runView.js';
import type { RunView } from '../../src/dev/page/client/runView.js';
import { testCode } from '../../src/dev/page/client/testCode.js';
import { unpinned } from '../../src/dev/page/client/unpinned.js';
import type { Outline, RunNews, RunSpec } from '../../src/dev/page/protocol.js';
import type { Era } from '../../src/dev/testing/runOptions.js';

const Input = z.object({ id: z.string() });
const args = argsOf(Input);
const total = resolver({ id: args.id }, () => 900);
const pinned = resolver({ id: args.id }, () => 1, { pin: z.number(), name: 'pinned' });
const approved = resolver(
  { total, pinned },
  ({ total, pinned }) => confirm(`Pay ${total + pinned}?`),
  { asks: 'form' },
);
const pay = defineTool('pay', { inputSchema: Input, resolve: { total, approved } }, () => 'Paid.');

const SPEC: RunSpec = {
  id: 'tool pay',
  args: { id: 'A' },
  era: 'modern',
  abilities: { form: true, url: true, sampling: true, roots: true },
};

/** Returns the view of a call that was approved. */
async function approvedRun(era: Era = 'modern'): Promise<RunView> {
  const answers = { approved: accept({ confirm: true }) };
  const { events, questions } = await play(pay, { id: 'A' }, { era, answers });
  const news: RunNews[] = [
    { type: 'began', spec: { ...SPEC, era }, at: 0 },
    ...events.map((event): RunNews => ({ type: 'event', event })),
    { type: 'asks', questions },
    { type: 'answers', answers },
    { type: 'ended', ending: { end: 'result', text: "It's paid.", bodyRuns: 1 } },
  ];
  return viewOf(news)!;
}

describe('the view of a run', () => {
  it.each<Era>(['modern', 'legacy'])('has a step for each question on the %s era', async (era) => {
    const { steps } = await approvedRun(era);
    expect(steps.map(({ label }) => label)).toEqual(['1: asks approved', '2: completed']);
  });

  it('shows the states of a moment', async () => {
    const { moments, steps } = await approvedRun();
    const explained = explain(pay);
    const first = nodesAt(moments.slice(0, steps[0]?.end), explained);
    expect(first.get('total')).toMatchObject({ state: 'computed', value: '900' });
    expect(first.get('pinned')?.state).toBe('pinned');
    expect(first.get('approved')?.state).toBe('asked');
    expect(restingState(first)).toBe('idle');
    const last = nodesAt(moments, explained);
    expect(last.get('pinned')?.state).toBe('restored');
    expect(last.get('approved')?.state).toBe('answered');
    expect(last.get(BODY_KEY)?.state).toBe('done');
    expect(nodesAt([], explained).size).toBe(0);
  });

  it('shows that the body failed only if it ran', () => {
    const state = { callId: 'c', definition: 'pay', at: 0, round: 1 };
    const failed = { ...state, type: 'completed', end: 'failed', replayed: false, durationMs: 1 };
    const end = { type: 'event', event: failed as unknown as CallEvent } as const;
    const momentsOf = (...news: readonly RunNews[]) =>
      viewOf([{ type: 'began', spec: SPEC, at: 0 }, ...news])?.moments ?? [];
    const body = { type: 'running', resolver: BODY_KEY, at: 0 } as const;
    const explained = explain(pay);
    expect(nodesAt(momentsOf(end), explained).get(BODY_KEY)?.state).toBe('skipped');
    expect(nodesAt(momentsOf(body, end), explained).get(BODY_KEY)?.state).toBe('failed');
    expect(nodesAt(momentsOf(body), explained).get(BODY_KEY)?.state).toBe('running');
    expect(nodesAt(momentsOf(body), explained, true).get(BODY_KEY)?.state).toBe('stopped');
  });

  it('is stopped if its process ends', () => {
    const news: RunNews[] = [{ type: 'began', spec: SPEC, at: 0 }, { type: 'lost' }];
    expect(viewOf(news)).toMatchObject({ lost: true, ending: { end: 'stopped' }, questions: [] });
    // The body may have ended the process.
    expect(viewOf(news)?.ending?.bodyRuns).toBeUndefined();
    expect(viewOf([])).toBeUndefined();
  });

  it('names the values that ran again after the answer', async () => {
    const { events } = await approvedRun();
    expect(unpinned(explain(pay), events)).toEqual(['total']);
    expect(unpinned(explain(pay), [])).toEqual([]);
  });
});

describe('the test of a run', () => {
  const outline: Outline = {
    id: 'tool pay',
    explanation: explain(pay),
    svg: '',
    schema: {},
    exported: { name: 'pay', path: '' },
  };
  const specifier = './tools.js';

  it('imports the definition, and quotes what was read', async () => {
    const run = await approvedRun();
    expect(testCode({ outline, run, specifier, runner: 'vitest' })).toBe(
      [
        `import { expect, test } from 'vitest';`,
        `import { accept, run } from 'mcp-resolve/testing';`,
        `import { pay } from './tools.js';`,
        ``,
        `test('pay returns a result after approved accept (modern)', async () => {`,
        `  const { isError, questions, text } = await run(pay, { id: 'A' }, {`,
        `    era: 'modern',`,
        `    answers: {`,
        `      approved: accept({ confirm: true }),`,
        `    },`,
        `  });`,
        ``,
        `  expect(questions.map(({ message }) => message)).toEqual(['Pay 901?']);`,
        `  expect(text).toBe('It\\'s paid.');`,
        `  expect(isError).toBe(false);`,
        `});`,
        ``,
      ].join('\n'),
    );
  });

  it('names a default export, and reaches into arrays', async () => {
    const run = await approvedRun();
    const parts = { run, specifier, runner: 'node:test' } as const;
    const byDefault = { ...outline, exported: { name: 'default', path: '[0]' } };
    expect(testCode({ outline: byDefault, ...parts })).toContain(`import pay from './tools.js';`);
    expect(testCode({ outline: byDefault, ...parts })).toContain('await run(pay[0], ');
    const { exported: _, ...hidden } = outline;
    expect(testCode({ outline: hidden, ...parts })).toBeUndefined();
  });

  it('keeps hostile names inside strings', async () => {
    const run = await approvedRun();
    const hostile = {
      ...SPEC,
      args: { "a'b": 'x\n\u2028`${1}', ['__proto__']: 1 },
    };
    const code = testCode({ outline, run: { ...run, spec: hostile }, specifier, runner: 'vitest' });
    expect(code).toContain(`{ 'a\\'b': 'x\\n\\u{2028}\`\${1}', ['__proto__']: 1 }`);
  });
});
