/**
 * The answers to a round: bare results by wire key, for this round's questions and no others.
 *
 * A wrong key or a value that is no result is the caller's mistake, and throws before anything is
 * sent. The server decides if an answer fits its question.
 */
import type {
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitResult,
  ListRootsResult,
} from '@modelcontextprotocol/client';
import { isObject } from '../define/schema.js';
import type { OpenQuestions } from './openQuestions.js';

/** An answer: the bare result of the embedded request. */
export type Answer =
  ElicitResult | CreateMessageResult | CreateMessageResultWithTools | ListRootsResult;

/** Answers by wire key. A key that is left out, or `undefined`, stays open. */
export type Answers = Readonly<Record<string, Answer | undefined>>;

/**
 * Creates the answer of a user who filled in the form, or, without content, opened the link.
 *
 * @example
 *
 * ```ts
 * const answers = { size: accept({ size: 'M' }) };
 * ```
 */
export function accept(content?: ElicitResult['content']): ElicitResult {
  return content === undefined ? { action: 'accept' } : { action: 'accept', content };
}

/**
 * Creates the answer of a user who declined.
 *
 * @example
 *
 * ```ts
 * const answers = { approved: decline() };
 * ```
 */
export function decline(): ElicitResult {
  return { action: 'decline' };
}

/**
 * Creates the answer of a user who closed the question without answering.
 *
 * @example
 *
 * ```ts
 * const answers = { approved: cancel() };
 * ```
 */
export function cancel(): ElicitResult {
  return { action: 'cancel' };
}

/**
 * Returns the answers to send, or `undefined` when there are none.
 *
 * @throws {TypeError} If one of them answers nothing that was asked, or is no result.
 */
export function checkedAnswers(
  answers: Answers,
  questions: OpenQuestions,
): Record<string, Answer> | undefined {
  if (!isObject(answers)) throw new TypeError('Answers are an object: { [key]: result }.');
  const given = Object.entries(answers).filter(isGiven);
  for (const [key, answer] of given) {
    if (!Object.hasOwn(questions, key)) throw new TypeError(notAsked(key, questions));
    if (!isResult(answer)) throw new TypeError(noResult(key));
  }
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function isGiven(entry: [string, Answer | undefined]): entry is [string, Answer] {
  return entry[1] !== undefined;
}

/** Tells a bare result from one that is wrapped with its method; servers drop the latter. */
function isResult(answer: unknown): boolean {
  return isObject(answer) && !('method' in answer && 'result' in answer);
}

function notAsked(key: string, questions: OpenQuestions): string {
  const keys = Object.keys(questions).map((asked) => `'${asked}'`);
  return keys.length === 0
    ? `'${key}' was not asked: this round has no questions, continue it with answer({}).`
    : `'${key}' was not asked: this round asks ${keys.join(', ')}.`;
}

function noResult(key: string): string {
  return `The answer to '${key}' is not a result: give { action, content } for an elicitation, { role, content, model } for sampling, { roots } for roots.`;
}
