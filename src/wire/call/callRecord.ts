/**
 * The record of a call on its way through the boundary. What it says of the call itself, its id and
 * its age, is believed only if it was sealed: without a boundary around the handler, every round is
 * a call of its own.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError, ToolError } from '../../errors.js';
import { randomId } from '../../platform.js';
import { NO_PROGRESS } from '../../resolve/ledger.js';
import type { Progress } from '../../resolve/ledger.js';
import { decodeRecord, encodeRecord, largestContributor } from '../../state/record.js';
import type { CallRecord } from '../../state/record.js';
import { invalidState, laneOf } from '../boundary/boundary.js';
import { isModern } from './era.js';
import type { ClientFacts } from './era.js';

/** A call at the beginning of a round. */
export interface OpenCall extends CallRecord {
  /** Whether it goes on from an earlier round, as its seal proves. */
  readonly resumed: boolean;
}

/** What a call begins with. */
export interface CallStart extends ClientFacts {
  readonly ctx: ServerContext;
}

/**
 * The call that a request goes on with, or a new one. Clients of the 2025 era begin and end a call
 * in one request.
 *
 * @throws {ProtocolError} If the call has taken longer than its policy allows.
 */
export function beginCall({ ctx, protocolVersion }: CallStart): OpenCall {
  const state = isModern(protocolVersion) ? ctx.mcpReq.requestState<string>() : undefined;
  return state === undefined ? new NewCall(NO_PROGRESS) : goOn(state, ctx);
}

function goOn(state: string, ctx: ServerContext): OpenCall {
  const record = decodeRecord(state);
  if (record === undefined) return new NewCall(NO_PROGRESS);
  const lane = laneOf(ctx);
  // What is pinned stands in for what the server computes: never without a seal.
  if (lane === undefined) return new NewCall({ ...record.progress, pins: NO_PROGRESS.pins });
  const { seal, request } = lane;
  const age = nowInSeconds() - record.start;
  if (age <= seal.policy.maxFlowSeconds) return resumed(record);
  throw invalidState(seal.reject(new InvalidRequestStateError('expired'), request.method));
}

function resumed({ id, start, progress }: CallRecord): OpenCall {
  return { id, start, progress, resumed: true };
}

/**
 * A call that begins. Its id is made for the first who looks at it, and so is its start, which is
 * when it first asks: nobody looks at either in most calls.
 */
class NewCall implements OpenCall {
  readonly resumed = false;
  private known: string | undefined = undefined;
  private began: number | undefined = undefined;

  constructor(readonly progress: Progress) {}

  get start(): number {
    return (this.began ??= nowInSeconds());
  }

  get id(): string {
    return (this.known ??= randomId());
  }
}

/**
 * Writes the record of a call that has to ask.
 *
 * @throws {@link ToolError} If it has become larger than a state may be.
 */
export function keepRecord(record: CallRecord, ctx: ServerContext): string {
  const text = encodeRecord(record);
  const lane = laneOf(ctx);
  if (lane === undefined) return text;
  const { maxStateBytes } = lane.seal.policy;
  const size = lane.seal.sizeOf(text, lane.request);
  if (size <= maxStateBytes) return text;
  const largest = largestContributor(record.progress);
  const hint =
    largest === undefined
      ? ''
      : `; the largest ${largest.what} is that of '${largest.key}' with ${largest.bytes} bytes`;
  throw new ToolError(
    `the state between rounds would take about ${size} bytes, more than maxStateBytes allows (${maxStateBytes})${hint}`,
  );
}

function nowInSeconds(): number {
  return Date.now() / 1000;
}
