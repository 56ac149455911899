/**
 * The answers to a round: bare results by wire key, for this round's questions only.
 *
 * A key that was not asked, or a value that is not a result, throws before anything is sent. The
 * server decides if an answer fits its question.
 */
import type {
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitResult,
  ListRootsResult,
} from '@modelcontextprotocol/client';
import { isObject } from '../values.js';
import type { OpenQuestions } from './openQuestions.js';

/** The bare result of an embedded request. */
export type Answer =
  ElicitResult | CreateMessageResult | CreateMessageResultWithTools | ListRootsResult;

/** Answers by wire key. A question whose key is missing or `undefined` stays open. */
export type Answers = Readonly<Record<string, Answer | undefined>>;

/**
 * Creates the answer of a user who filled in a form, or, without content, opened a link.
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
 * Returns the answers to send, or `undefined` if there are none.
 *
 * @throws {TypeError} If a key was not asked, or an answer is not a result.
 */
export function checkAnswers(
  answers: Answers,
  questions: OpenQuestions,
): Record<string, Answer> | undefined {
  if (!isObject(answers)) {
    throw new TypeError('answer(): the answers must be an object that maps each key to a result.');
  }
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

/** Returns true for a bare result. Servers drop a result that is wrapped with its method. */
function isResult(answer: unknown): boolean {
  return isObject(answer) && !('method' in answer && 'result' in answer);
}

function notAsked(key: string, questions: OpenQuestions): string {
  const keys = Object.keys(questions).map((asked) => `'${asked}'`);
  return keys.length === 0
    ? `answer(): '${key}' was not asked. This round has no questions. Continue it with answer({}).`
    : `answer(): '${key}' was not asked. This round asks ${keys.join(', ')}.`;
}

function noResult(key: string): string {
  return `answer(): the answer to '${key}' is not a result. Pass { action, content } for an elicitation, { role, content, model } for sampling, or { roots } for roots.`;
}
