/**
 * Reads and writes the record of a call between rounds. The id and the age of a call are trusted
 * only if they were sealed. Without a boundary around the handler, every round is a new call.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError } from '../errors.js';
import { randomId } from '../platform.js';
import { NO_PROGRESS } from '../engine/ledger.js';
import type { Progress } from '../engine/ledger.js';
import { decodeRecord, encodeRecord, largestContributor } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { invalidState, boundaryOf } from './boundary.js';
import { isModern } from './clientFacts.js';
import type { ClientFacts } from './clientFacts.js';

/** A call at the beginning of a round. */
export interface CurrentCall {
  /** The same in all rounds of a sealed call. */
  readonly id: string;
  /** The time span of the call. `undefined` if it has not asked. */
  readonly span: CallSpan | undefined;
  readonly progress: Progress;
  /** True if sealed state proves that the call continues an earlier round. */
  readonly resumed: boolean;
}

/** The times, in seconds since the epoch, of a call's first question and of its deadline. */
export type CallSpan = Pick<CallRecord, 'start' | 'deadline'>;

/** The request that begins or continues a call. */
export interface CallStart extends ClientFacts {
  readonly ctx: ServerContext;
}

/**
 * Returns the call that a request continues, or a new one. Clients of the 2025 era begin and end a
 * call in one request.
 *
 * @throws {ProtocolError} If the call has taken longer than its policy allows.
 */
export function beginCall({ ctx, protocolVersion }: CallStart): CurrentCall {
  const state = isModern(protocolVersion) ? ctx.mcpReq.requestState<string>() : undefined;
  const record = state === undefined ? undefined : decodeRecord(state);
  return record === undefined ? newCall(NO_PROGRESS) : goOn(record, ctx);
}

function newCall(progress: Progress): CurrentCall {
  return { id: randomId(), span: undefined, progress, resumed: false };
}

function goOn(record: CallRecord, ctx: ServerContext): CurrentCall {
  const boundary = boundaryOf(ctx);
  // A pinned value replaces a computed one, so it is never read from unsealed state.
  if (boundary === undefined) return newCall({ ...record.progress, pins: NO_PROGRESS.pins });
  const { seal, request } = boundary;
  const { id, progress, ...span } = record;
  if (nowInSeconds() <= span.deadline) return { id, span, progress, resumed: true };
  throw invalidState(seal.reject(new InvalidRequestStateError('expired'), request.method));
}

/**
 * Returns the encoded record of a call that has to ask. The first question sets the deadline of the
 * call, and later rounds keep it.
 *
 * @throws {Error} If the sealed state would be larger than `maxStateBytes`.
 */
export function keepRecord(call: CurrentCall, progress: Progress, ctx: ServerContext): string {
  const boundary = boundaryOf(ctx);
  // An unsealed record needs no deadline, because every round is a new call.
  const { id, span = spanFromNow(boundary?.seal.policy.maxFlowSeconds ?? 0) } = call;
  const text = encodeRecord({ id, ...span, progress });
  if (boundary === undefined) return text;
  const { maxStateBytes } = boundary.seal.policy;
  const size = boundary.seal.sizeOf(text, boundary.request);
  if (size <= maxStateBytes) return text;
  const largest = largestContributor(progress);
  const hint =
    largest === undefined
      ? ''
      : ` The largest ${largest.what} is that of '${largest.key}' with ${largest.bytes} bytes.`;
  throw new Error(
    `The state between rounds would take about ${size} bytes, but \`maxStateBytes\` allows only ${maxStateBytes}.${hint} Pin less, ask for less, or raise \`maxStateBytes\`.`,
  );
}

function spanFromNow(seconds: number): CallSpan {
  const start = nowInSeconds();
  return { start, deadline: start + seconds };
}

function nowInSeconds(): number {
  return Date.now() / 1000;
}
