/** Tests `otelEvents`: it turns events into spans of the OpenTelemetry SDK. */
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { confirm, definePrompt, defineTool, memoryStore, resolver, ToolError } from 'mcp-resolve';
import type { CallEvent } from 'mcp-resolve';
import { otelEvents } from 'mcp-resolve/otel';
import { accept, decline, probe, run } from 'mcp-resolve/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('tests');

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(async () => {
  context.disable();
  await provider.shutdown();
});

beforeEach(() => {
  exporter.reset();
});

const spans = (name?: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => name === undefined || span.name === name);

const millis = ([seconds, nanos]: readonly [number, number]): number => seconds * 1e3 + nanos / 1e6;

const order = resolver({}, async () => 'ORD-1');
const approval = resolver({ order }, ({ order: id }) => confirm(`Refund ${id}?`), { asks: 'form' });
const refund = defineTool('refund', { resolve: { order, approval } }, () => 'done');
const yes = { approval: accept({ confirm: true }) };

describe('a call on the modern era', () => {
  test('has a span per round, with a child span for each resolver that ran', async () => {
    await run(refund, {}, { answers: yes, install: { onEvent: otelEvents({ tracer }) } });

    expect(spans().map(({ name }) => name)).toEqual([
      'resolver order',
      'resolver approval',
      'tools/call refund',
      'resolver order',
      'resolver approval',
      'tools/call refund',
    ]);
    const [first, second] = spans('tools/call refund');
    expect(first!.kind).toBe(SpanKind.SERVER);
    const below = spans('resolver order').map(({ parentSpanContext }) => parentSpanContext?.spanId);
    expect(below).toEqual([first!.spanContext().spanId, second!.spanContext().spanId]);
  });

  test('links each round to the previous one', async () => {
    await run(refund, {}, { answers: yes, install: { onEvent: otelEvents({ tracer }) } });

    const [first, second] = spans('tools/call refund');
    expect(first!.links).toEqual([]);
    expect(second!.links.map((link) => link.context)).toEqual([first!.spanContext()]);
  });

  test('records the end of each round', async () => {
    const { callId } = await run(
      refund,
      {},
      { answers: yes, install: { onEvent: otelEvents({ tracer }) } },
    );

    const common = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'refund',
      'mcp-resolve.call_id': callId,
      'mcp-resolve.replayed': false,
    };
    expect(spans('tools/call refund').map(({ attributes }) => attributes)).toEqual([
      { ...common, 'mcp-resolve.resumed': false, 'mcp-resolve.end': 'asked' },
      { ...common, 'mcp-resolve.resumed': true, 'mcp-resolve.end': 'completed' },
    ]);
    expect(spans().map(({ status }) => status.code)).toEqual(
      spans().map(() => SpanStatusCode.UNSET),
    );
  });

  test('records questions and answers as span events', async () => {
    await run(refund, {}, { answers: yes, install: { onEvent: otelEvents({ tracer }) } });

    const events = spans('tools/call refund').map((span) =>
      span.events.map(({ name, attributes }) => [name, attributes]),
    );
    const about = { 'mcp-resolve.resolver': 'approval', 'mcp-resolve.kind': 'form' };
    expect(events).toEqual([
      [['mcp-resolve.asked', about]],
      [
        [
          'mcp-resolve.answered',
          {
            ...about,
            'mcp-resolve.by': 'person',
            'mcp-resolve.fresh': true,
            'mcp-resolve.after_ms': expect.any(Number) as number,
          },
        ],
      ],
    ]);
  });
});

describe.each(eras)('on the %s era', (era) => {
  test('spans have the times of the events', async () => {
    const heard: CallEvent[] = [];
    const toSpans = otelEvents({ tracer });
    const onEvent = (event: CallEvent): void => {
      heard.push(event);
      toSpans(event);
    };
    await run(refund, {}, { era, answers: yes, install: { onEvent } });

    const times = (type: string): number[] =>
      heard.filter((event) => event.type === type).map(({ at }) => at);
    const rounds = spans('tools/call refund');
    expect(rounds.map(({ startTime }) => millis(startTime))).toEqual(times('started'));
    expect(rounds.map(({ endTime }) => millis(endTime))).toEqual(times('completed'));
    const ran = heard.filter((event) => event.type === 'ran');
    const inside = spans().filter(({ name }) => name.startsWith('resolver '));
    expect(inside).toHaveLength(ran.length);
    for (const [place, { at, durationMs }] of ran.entries()) {
      expect(millis(inside[place]!.endTime)).toBe(at);
      expect(millis(inside[place]!.startTime)).toBeCloseTo(at - durationMs, 2);
    }
  });

  test('a failure and a refusal set the error status', async () => {
    const fails = resolver({}, () => {
      throw new ToolError('a secret reason');
    });
    const tool = defineTool('failing', { resolve: { fails } }, () => 'done');
    const install = { onEvent: otelEvents({ tracer }) };
    await run(tool, {}, { era, install });
    await run(refund, {}, { era, answers: { approval: decline() }, install });

    expect(spans('resolver fails')[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'mcp-resolve.gave': 'error', 'error.type': 'resolver' },
    });
    for (const name of ['tools/call failing', 'tools/call refund']) {
      expect(spans(name).at(-1)).toMatchObject({
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'mcp-resolve.end': 'failed', 'error.type': 'failed' },
      });
    }
    const declined = spans('tools/call refund').at(-1)!.events.at(-1);
    expect([declined!.name, declined!.attributes]).toEqual([
      'mcp-resolve.declined',
      {
        'mcp-resolve.resolver': 'approval',
        'mcp-resolve.action': 'decline',
        'mcp-resolve.fresh': true,
        'mcp-resolve.after_ms': expect.any(Number) as number,
      },
    ]);
  });

  test('spans contain no values, even with eventValues', async () => {
    const secret = resolver({}, async () => 'sesame', { name: 'door' });
    const question = resolver({ secret }, () => confirm('Open sesame?'), { asks: 'form' });
    const tool = defineTool('open', { resolve: { question } }, () => 'sesame');
    const install = { onEvent: otelEvents({ tracer }), eventValues: true };
    await run(tool, {}, { era, answers: { question: accept({ confirm: true }) }, install });

    const recorded = spans().map(({ name, attributes, events, status }) => {
      return { name, attributes, events, status };
    });
    expect(recorded.length).toBeGreaterThan(0);
    expect(JSON.stringify(recorded)).not.toContain('sesame');
  });
});

test('the span of a round is a child of the active span', async () => {
  const outer = tracer.startSpan('POST /mcp');
  await context.with(trace.setSpan(context.active(), outer), () =>
    run(refund, {}, { answers: yes, install: { onEvent: otelEvents({ tracer }) } }),
  );
  outer.end();

  const parents = spans('tools/call refund').map(
    ({ parentSpanContext }) => parentSpanContext?.spanId,
  );
  expect(parents).toEqual([outer.spanContext().spanId, outer.spanContext().spanId]);
});

test('a prompt has its own attribute, and a late resolver stays a child of its round', async () => {
  const held = deferred();
  const slow = resolver({}, () => held.promise);
  const fails = resolver({}, () => Promise.reject(new ToolError('no')));
  const prompt = definePrompt('letter', { resolve: { fails, slow } }, () => 'done');
  const finished = deferred();
  const toSpans = otelEvents({ tracer });
  const onEvent = (event: CallEvent): void => {
    toSpans(event);
    if (event.type === 'ran' && event.resolver === 'slow') finished.resolve();
  };
  await run(prompt, {}, { install: { onEvent } });
  held.resolve();
  await finished.promise;

  const [round] = spans('prompts/get letter');
  expect(round!.attributes['gen_ai.prompt.name']).toBe('letter');
  const [late] = spans('resolver slow');
  expect(late!.parentSpanContext?.spanId).toBe(round!.spanContext().spanId);
});

test('a rejected state has its own span with the reason', async () => {
  const install = { onEvent: otelEvents({ tracer }) };
  await probe.expired(refund, {}, { answers: yes, install });

  expect(spans('tools/call')).toMatchObject([
    {
      kind: SpanKind.SERVER,
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        'mcp.method.name': 'tools/call',
        'mcp-resolve.rejected': 'expired',
        'error.type': 'invalid_request_state',
      },
    },
  ]);
});

test('a replayed call is linked to its last round and marked as replayed', async () => {
  const once = defineTool('once', { resolve: { approval }, once: memoryStore() }, () => 'done');
  await probe.replayed(once, {}, { answers: yes, install: { onEvent: otelEvents({ tracer }) } });

  const [, last, replay] = spans('tools/call once');
  expect(replay!.links.map((link) => link.context)).toEqual([last!.spanContext()]);
  expect(replay!.attributes).toMatchObject({
    'mcp-resolve.end': 'completed',
    'mcp-resolve.replayed': true,
  });
});

describe('otelEvents', () => {
  const started = (callId: string, at: number): CallEvent => ({
    ...{ type: 'started', callId, at, definition: 't', method: 'tools/call', resumed: false },
  });
  const asked = (callId: string, at: number): CallEvent => ({
    ...{ type: 'completed', callId, at, definition: 't', end: 'asked', replayed: false },
    durationMs: 0,
  });
  const links = (): number[] => spans('tools/call t').map((span) => span.links.length);

  test('forgets the oldest call after maxCalls', () => {
    const onEvent = otelEvents({ tracer, maxCalls: 2 });
    for (const id of ['a', 'b', 'c', 'a', 'c']) [started(id, 0), asked(id, 0)].forEach(onEvent);

    expect(links()).toEqual([0, 0, 0, 0, 1]);
  });

  test('forgets a call after maxCallSeconds', () => {
    const onEvent = otelEvents({ tracer, maxCallSeconds: 10 });
    for (const at of [0, 9_999, 19_998, 29_998])
      [started('a', at), asked('a', at)].forEach(onEvent);

    expect(links()).toEqual([0, 1, 1, 0]);
  });

  test('ends the spans of a thousand calls and links at most maxCalls of them', () => {
    const onEvent = otelEvents({ tracer: provider.getTracer('many'), maxCalls: 3 });
    for (let call = 0; call < 1000; call += 1) onEvent(started(String(call), call));
    exporter.reset();
    for (let call = 0; call < 1000; call += 1) onEvent(asked(String(call), call));

    // The span of a running round ends even if its call was forgotten.
    expect(spans('tools/call t')).toHaveLength(1000);
    exporter.reset();
    for (let call = 0; call < 1000; call += 1) {
      [started(String(call), 2000), asked(String(call), 2000)].forEach(onEvent);
    }
    expect(links().filter((count) => count > 0).length).toBeLessThanOrEqual(3);
  });

  test('ends both spans of a call that is sent twice at once', () => {
    const onEvent = otelEvents({ tracer });
    [started('a', 0), started('a', 1), asked('a', 2), asked('a', 3)].forEach(onEvent);

    expect(links().toSorted()).toEqual([0, 1]);
  });

  test('accepts events of an unknown call', () => {
    const onEvent = otelEvents({ tracer });
    const step = { callId: 'x', definition: 't', at: 5, resolver: 'r' };
    onEvent(asked('x', 5));
    onEvent({ ...step, type: 'restored' });
    onEvent({ ...step, type: 'ran', durationMs: 1, gave: 'value' });

    expect(spans().map(({ name }) => name)).toEqual(['resolver r']);
  });

  test.each([{ maxCalls: 0 }, { maxCallSeconds: -1 }, { maxCalls: Number.NaN }])(
    'refuses the options %j',
    (options) => {
      expect(() => otelEvents(options)).toThrow(
        'otelEvents(): `maxCalls` and `maxCallSeconds` must be positive numbers.',
      );
    },
  );
});

test('otelEvents uses the global tracer provider by default, also if it is set later', async () => {
  const onEvent = otelEvents();
  await run(refund, {}, { answers: yes, install: { onEvent } });
  expect(spans()).toEqual([]);

  trace.setGlobalTracerProvider(provider);
  try {
    await run(refund, {}, { answers: yes, install: { onEvent } });
    expect(spans('tools/call refund')[0]!.instrumentationScope.name).toBe('mcp-resolve');
  } finally {
    trace.disable();
  }
});
