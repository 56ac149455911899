/**
 * A question that a resolver has asked in this round: its kind applied to it, rendered once. Here
 * the kinds are put behind one face.
 */
import type { Outcome } from '../define/model.js';
import type { AskOptions, QuestionData } from '../define/question.js';
import { ToolError } from '../errors.js';
import { digest, isThenable } from '../platform.js';
import { form } from './form.js';
import type { Capability } from './capability.js';
import type { RecordedAnswer, QuestionKind, Rendered, AnswerOutcome } from './kind.js';
import { roots } from './roots.js';
import { sample } from './sample.js';
import { url } from './url.js';

/** A response that was read: the answer to record, and how the question ended. */
export interface ReadResponse {
  readonly answer: RecordedAnswer;
  readonly outcome: Outcome<unknown>;
}

/** A rendered question and how to deal with its answers. */
export interface Asked {
  readonly data: QuestionData;
  readonly rendered: Rendered;
  readonly capability: Capability;
  /** Ties an answer to this very rendering. */
  readonly digest: () => string | Promise<string>;
  /** The outcome that a recorded answer means; `undefined` if it does not fit. */
  readonly outcomeFor: (answer: RecordedAnswer) => AnswerOutcome | Promise<AnswerOutcome>;
  /**
   * Reads a client's response. An error about it has none of a validator's words; `subject` begins
   * its sentence.
   *
   * @throws {@link ToolError} If it does not answer the question.
   */
  readonly read: (response: unknown, subject: string) => ReadResponse | Promise<ReadResponse>;
  /** The outcome that a value means which the author gave instead of an answer. */
  readonly fallBackOn: (value: unknown) => Outcome<unknown>;
}

/**
 * Renders a question.
 *
 * @throws {TypeError} If it cannot be shown.
 */
export function renderQuestion(data: QuestionData): Asked {
  switch (data.kind) {
    case 'form':
      return asked(form, data);
    case 'url':
      return asked(url, data);
    case 'sample':
      return asked(sample, data);
    case 'roots':
      return asked(roots, data);
  }
}

function asked<Q extends QuestionData>(
  kind: QuestionKind<Q>,
  data: Q & AskOptions<unknown>,
): Asked {
  const rendered = kind.render(data);
  const outcomeFor: Asked['outcomeFor'] = (answer) => kind.outcomeFor(data, answer);
  return {
    data,
    rendered,
    capability: kind.capability(data),
    digest: () => digest(rendered.text),
    outcomeFor,
    read: (response, subject) => {
      const answer = kind.receive(response);
      if ('problem' in answer) throw new ToolError(sentence(subject, answer.problem));
      const finish = (outcome: AnswerOutcome): ReadResponse => {
        if (outcome === undefined) throw new ToolError(sentence(subject, kind.misfit));
        return { answer, outcome };
      };
      const outcome = outcomeFor(answer);
      return isThenable(outcome) ? outcome.then(finish) : finish(outcome);
    },
    fallBackOn: (value) =>
      isYesOnly(data) && value !== true
        ? { action: 'decline' }
        : { action: 'accept', data: value, asked: false, fallback: true },
  };
}

function sentence(subject: string, rest: string): string {
  return subject === '' ? rest.charAt(0).toUpperCase() + rest.slice(1) : subject + rest;
}

/** Whether the only value of a question is a yes: nothing else may stand for it. */
function isYesOnly(data: QuestionData): boolean {
  return data.kind === 'url' || (data.kind === 'form' && data.yesOnly === true);
}
