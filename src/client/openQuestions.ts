/**
 * The questions of a round: the requests that the server embedded in its result, by wire key.
 *
 * The SDK returns them unchanged. {@link problemOf} checks that each has one of the three methods
 * and readable parameters before an author's code sees them. It does not check the content of the
 * parameters, which is up to the server.
 */
import type {
  CreateMessageRequestParams,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
} from '@modelcontextprotocol/client';
import { isObject } from '../values.js';

/** A question for the user: a form, or with `params.mode === 'url'` a link to open. */
export interface ElicitationQuestion {
  readonly method: 'elicitation/create';
  readonly params: ElicitRequestFormParams | UrlElicitationParams;
}

/** The parameters of a link, without the id that only the legacy era has. */
export type UrlElicitationParams = Omit<ElicitRequestURLParams, 'elicitationId'>;

/** A question for the client's model. */
export interface SamplingQuestion {
  readonly method: 'sampling/createMessage';
  readonly params: CreateMessageRequestParams;
}

/** A question about the folders that the client works in. */
export interface RootsQuestion {
  readonly method: 'roots/list';
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A question of any kind. `method` discriminates the kinds. */
export type OpenQuestion = ElicitationQuestion | SamplingQuestion | RootsQuestion;

/** The questions of a round by wire key. Empty if the server wants the client to retry later. */
export type OpenQuestions = Readonly<Record<string, OpenQuestion>>;

/** Returns the problem with a map of questions, or `undefined` if the map is valid. */
export function problemOf(questions: unknown): string | undefined {
  if (!isObject(questions)) return 'the questions are not an object';
  const bad = Object.keys(questions).find((key) => !isKnownRequest(questions[key]));
  return bad === undefined
    ? undefined
    : `question '${bad}' is not a valid elicitation, sampling or roots request`;
}

function isKnownRequest(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { method, params } = entry;
  if (method === 'roots/list') return params === undefined || isObject(params);
  if (method === 'sampling/createMessage')
    return isObject(params) && Array.isArray(params.messages);
  return method === 'elicitation/create' && isObject(params) && typeof params.message === 'string';
}
