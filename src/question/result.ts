/** What sampling and roots share: their answer is the client's result itself. */
import type { StandardSchemaV1Sync } from '@modelcontextprotocol/server';
import type { Outcome } from '../define/model.js';
import { isObject } from '../define/schema.js';
import type { RecordedAnswer, Unusable } from './kind.js';

/** What to say of a response that is not the result asked for. */
export const WRONG_KIND = 'received a response of the wrong kind';

/**
 * Takes any object for an answer, without its null members; whether it fits is seen when it is
 * settled.
 */
export function receiveResult(response: unknown): RecordedAnswer | Unusable {
  if (!isObject(response)) return { problem: WRONG_KIND };
  const members = Object.entries(response).filter(([, value]) => value !== null);
  return { action: 'accept', data: Object.fromEntries(members) };
}

/** The validated result; a recorded refusal means nothing here. */
export function outcomeOfResult(
  schema: StandardSchemaV1Sync,
  answer: RecordedAnswer,
): Outcome<unknown> | undefined {
  if (answer.action !== 'accept') return undefined;
  const result = schema['~standard'].validate(answer.data);
  return result.issues === undefined
    ? { action: 'accept', data: result.value, asked: true }
    : undefined;
}
