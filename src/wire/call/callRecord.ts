/**
 * The record of a call on its way through the boundary. What it says of the call itself, its id and
 * its age, is believed only if it was sealed: without a boundary around the handler, every round is
 * a call of its own.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError, ToolError } from '../../errors.js';
import { randomId } from '../../platform.js';
import { NO_PROGRESS } from '../../resolve/ledger.js';
import { decodeRecord, encodeRecord, largestAnswer } from '../../state/record.js';
import type { CallRecord } from '../../state/record.js';
import { invalidState, laneOf } from '../boundary/boundary.js';

/** A call that begins now. */
export function newCall(): CallRecord {
  return { id: randomId(), start: nowInSeconds(), progress: NO_PROGRESS };
}

/**
 * The call that a request goes on with, or a new one.
 *
 * @throws {ProtocolError} If the call has taken longer than its policy allows.
 */
export function takeUpCall(ctx: ServerContext): CallRecord {
  const record = decodeRecord(ctx.mcpReq.requestState<string>());
  if (record === undefined) return newCall();
  const lane = laneOf(ctx);
  if (lane === undefined) return { ...newCall(), progress: record.progress };
  const { seal, request } = lane;
  const age = nowInSeconds() - record.start;
  if (age <= seal.policy.maxFlowSeconds) return record;
  throw invalidState(seal.reject(new InvalidRequestStateError('expired'), request.method));
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
  const largest = largestAnswer(record.progress);
  const hint =
    largest === undefined
      ? ''
      : `; the largest answer is that of '${largest.key}' with ${largest.bytes} bytes`;
  throw new ToolError(
    `the state between rounds would take about ${size} bytes, more than maxStateBytes allows (${maxStateBytes})${hint}`,
  );
}

function nowInSeconds(): number {
  return Date.now() / 1000;
}
