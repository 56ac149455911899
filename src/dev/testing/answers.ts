/** What a scripted person, a scripted model and a scripted client answer. */
import type { CreateMessageResult, ListRootsResult, Root } from '@modelcontextprotocol/client';
import type { Answer } from '../../client/answers.js';
import type { AskedQuestion } from './askedQuestion.js';

/** One answer, or what gives it when the question comes. */
export type ScriptedAnswer = Answer | ((question: AskedQuestion) => Answer | Promise<Answer>);

/**
 * Who answers: by wire key, or one function for all questions. One answer is given as often as its
 * question comes; a list is used up in turn. A function that gives `undefined` has no answer.
 */
export type Answers =
  | Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>
  | ((question: AskedQuestion) => Answer | undefined | Promise<Answer | undefined>);

/**
 * The answer of the client's model to `sample`: one text.
 *
 * @example
 *
 * ```ts
 * await run(describeTrip, { city: 'Oslo' }, { answers: { summary: says('Fjords.') } });
 * ```
 */
export function says(text: string): CreateMessageResult {
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: 'scripted',
    stopReason: 'endTurn',
  };
}

/**
 * The answer of the client to `listRoots`: the folders it works in, by their URIs.
 *
 * @example
 *
 * ```ts
 * await run(listNotes, {}, { answers: { folders: roots(['file:///notes']) } });
 * ```
 */
export function roots(uris: readonly (string | Root)[]): ListRootsResult {
  return { roots: uris.map((uri) => (typeof uri === 'string' ? { uri } : uri)) };
}
