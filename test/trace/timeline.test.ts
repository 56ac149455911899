/** Tests `timeline`: it prints the events of calls as rows of bars. */
import { confirm, defineTool, resolver } from 'mcp-resolve';
import type { CallEvent } from 'mcp-resolve';
import { accept, run, timeline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';

type Step<E> = E extends CallEvent ? Omit<E, 'callId' | 'definition'> : never;

/** Creates the events of one call. */
function call(
  steps: readonly Step<CallEvent>[],
  callId = 'c1',
  definition = 'refund',
): CallEvent[] {
  return steps.map((step) => ({ callId, definition, ...step }) as CallEvent);
}

const started = (at: number, resumed = false) =>
  ({ type: 'started', at, method: 'tools/call', resumed }) as const;
const ran = (resolver: string, from: number, to: number, gave: 'value' | 'question' | 'error') =>
  ({ type: 'ran', resolver, at: to, durationMs: to - from, gave }) as const;
const asked = (resolver: string, at: number, question?: unknown) =>
  ({ type: 'asked', resolver, at, kind: 'form', question }) as const;
const answered = (resolver: string, at: number, fresh = true) =>
  ({ type: 'answered', resolver, at, kind: 'form', by: 'person', fresh }) as const;
const completed = (at: number, durationMs: number, end: 'completed' | 'asked' | 'failed') =>
  ({ type: 'completed', at, durationMs, end, replayed: false }) as const;

const twoRounds = call([
  started(1000),
  ran('approval', 1080, 1080, 'question'),
  ran('order', 1000, 1040, 'value'),
  ran('customer', 1000, 1080, 'value'),
  asked('approval', 1080, { message: 'Refund 900 euros?' }),
  completed(1080, 80, 'asked'),
  started(4000, true),
  { type: 'restored', resolver: 'price', at: 4000 },
  ran('order', 4000, 4020, 'value'),
  ran('approval', 4020, 4020, 'question'),
  answered('approval', 4020),
  completed(4100, 100, 'completed'),
]);

describe('the timeline of a call', () => {
  test('shows rounds, concurrent resolvers, questions and the time between rounds', () => {
    expect(timeline(twoRounds, { width: 20 })).toBe(
      `refund · 2 rounds · call c1

round 1 · tools/call · 80.0 ms · asked
  order     │██████████          │    40.0 ms
  customer  │████████████████████│    80.0 ms
  approval  │                   ▌│     0.0 ms  ? asks with a form: Refund 900 euros?

round 2 · tools/call · 100.0 ms · completed (2.9 s later)
  price     │                    │             ↺ restored from its pin
  order     │████                │    20.0 ms
  approval  │    ▌               │     0.0 ms  ✓ answered by the user
  (body)    │    ████████████████│    80.0 ms
`,
    );
  });

  test('tells apart what began within one millisecond', () => {
    const events = call([
      started(1000.4),
      ran('guard', 1000.4, 1000.5, 'value'),
      ran('quick', 1000.7, 1000.8, 'value'),
      ran('slow', 1000.5, 1001.2, 'value'),
      ran('approval', 1001.2, 1001.4, 'question'),
      completed(1001.4, 1, 'asked'),
    ]);

    expect(timeline(events, { width: 10 })).toBe(
      `refund · 1 round · call c1

round 1 · tools/call · 1.0 ms · asked
  guard     │█         │     0.1 ms
  slow      │ ███████  │     0.7 ms
  quick     │   █      │     0.1 ms
  approval  │        ██│     0.2 ms
`,
    );
  });

  test('has an ASCII form', () => {
    const printed = timeline(twoRounds, { width: 20, ascii: true });

    expect(printed).toMatch(/^[\n -~]+$/);
    expect(printed).toContain(
      '  customer  [####################]    80.0 ms\n' +
        '  approval  [                   |]     0.0 ms  ? asks with a form: Refund 900 euros?\n',
    );
    expect(printed).toContain('= restored from its pin');
    expect(printed).toContain('+ answered by the user');
  });

  test('shows the wait for an answer within a legacy round', () => {
    const events = call([
      started(0),
      ran('order', 0, 20, 'value'),
      ran('approval', 20, 20, 'question'),
      asked('approval', 20),
      answered('approval', 80),
      completed(100, 100, 'completed'),
    ]);

    expect(timeline(events, { width: 10 })).toBe(
      `refund · 1 round · call c1

round 1 · tools/call · 100.0 ms · completed
  order     │██        │    20.0 ms
  approval  │  ░░░░░░  │     0.0 ms  ? asks with a form → ✓ answered by the user
  (body)    │        ██│    20.0 ms
`,
    );
  });

  test('marks refusals, errors, fallbacks and answers of earlier rounds', () => {
    const events = call([
      started(0),
      ran('a', 0, 0, 'question'),
      { type: 'declined', resolver: 'a', at: 0, action: 'decline', fresh: true },
      ran('b', 0, 0, 'question'),
      { type: 'declined', resolver: 'b', at: 0, action: 'cancel', fresh: false },
      ran('c', 0, 0, 'question'),
      { type: 'fellBack', resolver: 'c', at: 0, kind: 'url' },
      ran('d', 0, 0, 'question'),
      answered('d', 0, false),
      { type: 'answered', resolver: 'e', at: 0, kind: 'sample', by: 'model', fresh: true },
      { type: 'answered', resolver: 'f', at: 0, kind: 'roots', by: 'client', fresh: true },
      ran('g', 0, 10, 'error'),
      completed(10, 10, 'failed'),
    ]);

    const notes = timeline(events)
      .split('\n')
      .flatMap(
        (line) => /^ {2}(\w).*│ +(?:[\d.]+ ms)?\s*(.*)$/.exec(line)?.slice(1).join(' ') ?? [],
      );
    expect(notes).toEqual([
      'a ✗ declined',
      'b ✗ cancelled, in an earlier round',
      'c ~ falls back: the client cannot open a link',
      'd ✓ answered by the user, in an earlier round',
      'e ✓ answered by the model',
      'f ✓ answered by the client',
      'g ✗ threw',
    ]);
  });

  test('marks a replayed result as recorded', () => {
    const events = call([
      started(0, true),
      { type: 'completed', at: 1, durationMs: 1, end: 'completed', replayed: true },
    ]);

    expect(timeline(events)).toBe(
      'refund · 1 round · call c1\n\nround 1 · tools/call · 1.0 ms · completed (recorded result)\n',
    );
  });

  test('marks a call that still runs, and shows resolvers that end after their round', () => {
    const late = call([started(0), completed(10, 10, 'failed'), ran('slow', 0, 40, 'value')]);

    expect(timeline(call([started(0)]))).toContain('round 1 · tools/call · still running\n');
    expect(timeline(late, { width: 8 })).toContain('  slow  │████████│    40.0 ms\n');
  });

  test('has no bars if the call took no time, and is empty without events', () => {
    const instant = call([started(5), ran('a', 5, 5, 'value'), completed(5, 0, 'asked')]);

    expect(timeline(instant, { width: 4 })).toContain('  a  │▌   │     0.0 ms\n');
    expect(timeline([])).toBe('');
  });

  test('shortens long questions to one line', () => {
    const message = `Refund?\n${'x'.repeat(100)}`;
    const printed = timeline(call([started(0), asked('a', 0, { message })]));

    expect(printed).toContain(`? asks with a form: Refund? ${'x'.repeat(52)}...\n`);
  });

  test('replaces control characters in questions', () => {
    const message = 'Refund \u001b[2J900 euros?';
    const printed = timeline(call([started(0), asked('a', 0, { message })]));

    expect(printed).toContain('? asks with a form: Refund \ufffd[2J900 euros?\n');
  });

  test('prints durations in milliseconds, seconds or minutes', () => {
    const events = call([
      started(0),
      completed(1500, 1500, 'asked'),
      started(126_500, true),
      completed(126_500, 0, 'completed'),
    ]);

    expect(timeline(events)).toContain('round 1 · tools/call · 1.5 s · asked');
    expect(timeline(events)).toContain('(2 min 5 s later)');

    const almost = call([started(0), completed(119_600, 119_600, 'completed')]);
    expect(timeline(almost)).toContain('tools/call · 2 min 0 s · completed');
  });
});

test('timeline separates concurrent calls and rejected states', () => {
  const mixed = [
    ...call([started(0)], 'c1', 'one'),
    ...call([started(0)], 'c2', 'two'),
    { type: 'rejected', at: 1, method: 'tools/call', reason: 'expired' } as const,
    ...call([completed(5, 5, 'completed')], 'c1', 'one'),
  ];

  expect(timeline(mixed).split('\n')).toEqual([
    'one · 1 round · call c1',
    '',
    'round 1 · tools/call · 5.0 ms · completed',
    expect.stringMatching(/^ {2}\(body\) {2}│█+│ {5}5\.0 ms$/),
    '',
    'two · 1 round · call c2',
    '',
    'round 1 · tools/call · still running',
    '',
    'rejected · tools/call · expired',
    '',
  ]);
});

test.each([0, -1, 1.5, Number.NaN])('timeline refuses a width of %d', (width) => {
  expect(() => timeline([], { width })).toThrow('timeline(): `width` must be a positive integer.');
});

test.each([undefined, null, 3, {}, Promise.resolve([])])(
  'timeline refuses %s in place of events',
  (given) => {
    expect(() => timeline(given as never)).toThrow(
      'timeline(): the first argument must be events, or a run with events. Await run() before you pass its result.',
    );
  },
);

test.each(eras)('a guard has ended before what it guards begins on the %s era', async (era) => {
  const allowed = resolver({}, () => true as const);
  const order = resolver({}, () => 'ORD-1');
  const total = resolver({ order }, ({ order: id }) => id.length);
  const tool = defineTool('refund', { guards: [allowed], resolve: { order, total } }, () => 'done');
  const { events } = await run(tool, {}, { era });

  const times = events.flatMap((event) =>
    event.type === 'ran' ? [event.at - event.durationMs, event.at] : [event.at],
  );
  expect(times).toHaveLength(8);
  // A double of this size counts in steps of 0.0003 milliseconds.
  times.reduce((before, at) => {
    expect(at).toBeGreaterThan(before - 0.001);
    return at;
  });
  expect([...timeline(events).matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name)).toEqual([
    'guard',
    'order',
    'total',
    '(body)',
  ]);
});

test.each(eras)('timeline prints a row for each resolver of a call on the %s era', async (era) => {
  const order = resolver({}, async () => 'ORD-1');
  const approval = resolver({ order }, ({ order: id }) => confirm(`Refund ${id}?`), {
    asks: 'form',
  });
  const tool = defineTool('refund', { resolve: { order, approval } }, () => 'done');
  const answers = { approval: accept({ confirm: true }) };
  const { events, callId, rounds } = await run(tool, {}, { era, answers });

  const printed = timeline({ events });
  expect(printed).toBe(timeline(events));
  expect(printed).toContain(`refund · ${rounds === 1 ? '1 round' : '2 rounds'} · call ${callId}`);
  expect(printed.match(/^ {2}order /gm)).toHaveLength(rounds);
  expect(printed).toContain('? asks with a form: Refund ORD-1?');
  expect(printed).toContain('✓ answered by the user');
  expect(printed.match(/^ {2}\(body\) /gm)).toHaveLength(1);
});
