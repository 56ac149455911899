/** The shared part of sampling and roots. Their answer is the client's result itself. */
import type { StandardSchemaV1Sync } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import type { AnswerOutcome, RecordedAnswer, Unusable } from './kind.js';

/** The problem with a response that is not the requested result. */
export const WRONG_KIND = 'received a response of the wrong kind';

/**
 * Accepts any object as an answer, without its null properties. {@link outcomeOfResult} checks it
 * later.
 */
export function receiveResult(response: unknown): RecordedAnswer | Unusable {
  if (!isObject(response)) return { problem: WRONG_KIND };
  const members = Object.entries(response).filter(([, value]) => value !== null);
  return { action: 'accept', data: Object.fromEntries(members) };
}

/** Validates a result. A recorded refusal does not fit. */
export function outcomeOfResult(
  schema: StandardSchemaV1Sync,
  answer: RecordedAnswer,
): AnswerOutcome {
  if (answer.action !== 'accept') return { problem: WRONG_KIND };
  const result = schema['~standard'].validate(answer.data);
  return result.issues === undefined
    ? { action: 'accept', data: result.value, asked: true }
    : { problem: WRONG_KIND };
}
