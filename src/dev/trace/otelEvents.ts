/**
 * Turns call events into OpenTelemetry spans. Each round has a span below the span that is active
 * when the request arrives. Each resolver that ran has a span below its round. A call that asks
 * continues in another request, and so in another trace. Links connect its rounds.
 *
 * ```
 * tools/call refund_order            tools/call refund_order  ──link──► the previous round
 * ├─ resolver order                  ├─ resolver order
 * ├─ resolver customer               ├─ resolver customer
 * ├─ resolver approval               ├─ resolver approval
 * └· mcp-resolve.asked               └· mcp-resolve.answered
 * ```
 *
 * Attributes hold names, kinds and times, never values.
 */
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import type {
  CallEvent,
  CompletedEvent,
  RanEvent,
  RejectedEvent,
  StartedEvent,
} from '../../author/event.js';
import type { StepEvent } from './tracedCalls.js';

/** The options of {@link otelEvents}. */
export interface OtelOptions {
  /** The tracer of the spans. Default: the tracer `mcp-resolve` of the global provider. */
  readonly tracer?: Tracer;
  /** The maximum number of calls to remember, for the links between rounds. Default: 10,000. */
  readonly maxCalls?: number;
  /** The number of seconds to remember a call after its latest round. Default: 3600. */
  readonly maxCallSeconds?: number;
}

/**
 * Creates a listener for `onEvent` of `install` that turns events into OpenTelemetry spans. Create
 * it once, not once per server, because it remembers which rounds belong together.
 *
 * @example
 *
 * ```ts
 * const onEvent = otelEvents();
 * serveHttp(() => {
 *   const server = new McpServer({ name: 'payments', version: '1.0.0' });
 *   install(server, [payInvoice], { onEvent });
 *   return server;
 * });
 * ```
 *
 * @throws {TypeError} If `maxCalls` or `maxCallSeconds` is not a positive number.
 */
export function otelEvents(options: OtelOptions = {}): (event: CallEvent) => void {
  const { tracer, maxCalls = 10_000, maxCallSeconds = 3600 } = options;
  if (!(maxCalls > 0) || !(maxCallSeconds > 0))
    throw new TypeError('otelEvents(): `maxCalls` and `maxCallSeconds` must be positive numbers.');
  // The global provider may be set after this call.
  const tracerNow = (): Tracer => tracer ?? trace.getTracer('mcp-resolve');
  const spans = new CallSpans(tracerNow, new RecentRounds(maxCalls, maxCallSeconds * 1000));
  return (event) => {
    spans.note(event);
  };
}

/** A round that has not ended. */
interface RunningRound {
  readonly span: Span;
  readonly context: Context;
}

/** Creates the spans of all calls. */
class CallSpans {
  /**
   * The running rounds by call id. A call has two if its request is sent twice at the same time.
   */
  private readonly running = new Map<string, readonly RunningRound[]>();

  constructor(
    private readonly tracer: () => Tracer,
    private readonly latest: RecentRounds,
  ) {}

  note(event: CallEvent): void {
    if (event.type === 'rejected') this.reject(event);
    else if (event.type === 'started') this.start(event);
    else if (event.type === 'completed') this.complete(event);
    else if (event.type === 'ran') this.ran(event);
    else this.step(event);
  }

  private start(event: StartedEvent): void {
    const { callId, at, method, definition } = event;
    const before = this.latest.get(callId, at);
    const links: Link[] = before === undefined ? [] : [{ context: before }];
    const parent = context.active();
    const span = this.tracer().startSpan(
      `${method} ${definition}`,
      { kind: SpanKind.SERVER, startTime: at, links, attributes: startAttributes(event) },
      parent,
    );
    const round = { span, context: trace.setSpan(parent, span) };
    this.running.set(callId, [...(this.running.get(callId) ?? []), round]);
    this.latest.set(callId, span.spanContext(), at);
  }

  private complete({ callId, at, end, replayed }: CompletedEvent): void {
    const rounds = this.running.get(callId) ?? [];
    const span = rounds.at(-1)?.span;
    if (rounds.length > 1) this.running.set(callId, rounds.slice(0, -1));
    else this.running.delete(callId);
    span?.setAttributes({ 'mcp-resolve.end': end, 'mcp-resolve.replayed': replayed });
    if (end === 'failed' && span !== undefined) fail(span, end);
    span?.end(at);
  }

  private step(event: Exclude<StepEvent, RanEvent>): void {
    const span = this.running.get(event.callId)?.at(-1)?.span;
    span?.addEvent(`mcp-resolve.${event.type}`, stepAttributes(event), event.at);
  }

  private ran({ callId, resolver, at, durationMs, gave }: RanEvent): void {
    const attributes = { 'mcp-resolve.resolver': resolver, 'mcp-resolve.gave': gave };
    const startTime = at - durationMs;
    const name = `resolver ${resolver}`;
    const span = this.tracer().startSpan(name, { startTime, attributes }, this.above(callId, at));
    if (gave === 'error') fail(span, 'resolver');
    span.end(at);
  }

  /** Returns the parent of a resolver's span, which is its round even if the round has ended. */
  private above(callId: string, at: number): Context {
    const round = this.running.get(callId)?.at(-1);
    if (round !== undefined) return round.context;
    const latest = this.latest.get(callId, at);
    return latest === undefined ? context.active() : trace.setSpanContext(context.active(), latest);
  }

  /** Records a rejected state. Nothing is known about its call, not even the name. */
  private reject({ at, method, reason }: RejectedEvent): void {
    const attributes = { 'mcp.method.name': method, 'mcp-resolve.rejected': reason };
    const span = this.tracer().startSpan(method, {
      kind: SpanKind.SERVER,
      startTime: at,
      attributes,
    });
    fail(span, 'invalid_request_state');
    span.end(at);
  }
}

/** The span of each call's latest round, for a limited number of calls and a limited time. */
class RecentRounds {
  private readonly entries = new Map<
    string,
    { readonly span: SpanContext; readonly until: number }
  >();

  constructor(
    private readonly maxCalls: number,
    private readonly maxMs: number,
  ) {}

  /** Returns the latest round of a call, or `undefined` if it is unknown or too old. */
  get(callId: string, now: number): SpanContext | undefined {
    const entry = this.entries.get(callId);
    return entry !== undefined && now < entry.until ? entry.span : undefined;
  }

  /** Remembers the latest round of a call, and drops expired and surplus calls. */
  set(callId: string, span: SpanContext, now: number): void {
    this.entries.delete(callId);
    this.entries.set(callId, { span, until: now + this.maxMs });
    for (const [oldest, { until }] of this.entries) {
      if (this.entries.size <= this.maxCalls && now < until) return;
      this.entries.delete(oldest);
    }
  }
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Returns the attributes of a round, named after OpenTelemetry's conventions for MCP where
 * possible.
 */
function startAttributes({ callId, method, definition, resumed }: StartedEvent): Attributes {
  return {
    'mcp.method.name': method,
    ...(method === 'tools/call' && { 'gen_ai.tool.name': definition }),
    ...(method === 'prompts/get' && { 'gen_ai.prompt.name': definition }),
    'mcp-resolve.call_id': callId,
    'mcp-resolve.resumed': resumed,
  };
}

function stepAttributes(event: Exclude<StepEvent, RanEvent>): Attributes {
  return {
    'mcp-resolve.resolver': event.resolver,
    ...('kind' in event && { 'mcp-resolve.kind': event.kind }),
    ...('by' in event && { 'mcp-resolve.by': event.by }),
    ...('action' in event && { 'mcp-resolve.action': event.action }),
    ...('fresh' in event && { 'mcp-resolve.fresh': event.fresh }),
    ...('afterMs' in event && { 'mcp-resolve.after_ms': event.afterMs }),
  };
}
