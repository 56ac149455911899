/**
 * A question that a resolver asked in this round, rendered once. All kinds of question share this
 * interface.
 */
import type { Outcome } from '../author/model.js';
import type { AskOptions, QuestionData } from '../author/question.js';
import { ToolError } from '../errors.js';
import { digest } from '../platform.js';
import { isThenable } from '../values.js';
import { approvalKind } from './approvalQuestion.js';
import { formKind } from './form.js';
import { keepShowable } from './formSchema.js';
import type { Capability } from './capability.js';
import type { AnswerOutcome, QuestionKind, RecordedAnswer, Rendered, Unusable } from './kind.js';
import { rootsKind } from './roots.js';
import { sampleKind } from './sample.js';
import { urlKind } from './url.js';

/** A response that was read: the answer to record and the outcome of the question. */
export interface ReadResponse {
  readonly answer: RecordedAnswer;
  readonly outcome: Outcome<unknown>;
}

/** A rendered question, with functions that handle its answers. */
export interface Asked {
  readonly data: QuestionData;
  readonly rendered: Rendered;
  readonly capability: Capability;
  /** Returns a digest that binds an answer to exactly this rendering. */
  readonly digest: () => string | Promise<string>;
  /** Returns the outcome of a recorded answer, or the problem if it does not fit. */
  readonly outcomeFor: (answer: RecordedAnswer) => AnswerOutcome | Promise<AnswerOutcome>;
  /** Reads a client's response, or returns the problem if it does not answer the question. */
  readonly read: (response: unknown) => ReadResponse | Unusable | Promise<ReadResponse | Unusable>;
  /** Returns the outcome of a value that the author's fallback supplied. */
  readonly fallBackOn: (value: unknown) => Outcome<unknown>;
}

/**
 * Renders a question.
 *
 * @throws {TypeError} If the question cannot be shown.
 */
export function renderQuestion(data: QuestionData): Asked {
  switch (data.kind) {
    case 'form':
      return createAsked(formKind, data);
    case 'url':
      return createAsked(urlKind, data);
    case 'sample':
      return createAsked(sampleKind, data);
    case 'roots':
      return createAsked(rootsKind, data);
    case 'approval':
      return createAsked(approvalKind, data);
  }
}

function createAsked<Q extends QuestionData>(
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
    read: (response) => {
      const answer = kind.receive(data, response);
      if ('problem' in answer) return answer;
      const finish = (outcome: AnswerOutcome): ReadResponse | Unusable =>
        'problem' in outcome ? outcome : { answer, outcome };
      const outcome = outcomeFor(answer);
      return isThenable(outcome) ? outcome.then(finish) : finish(outcome);
    },
    fallBackOn: (value) =>
      isYesOnly(data) && value !== true
        ? { action: 'decline' }
        : { action: 'accept', data: value, asked: false, fallback: true },
  };
}

/** The unusable answers to a question so far. */
export interface FailedAttempts {
  readonly count: number;
  /** The explanation of the last one, for the user. */
  readonly complaint: string;
  /** The fields as the user left them. Absent if no answer had content. */
  readonly typed?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the question as the user sees it after an unusable answer: with the complaint, and with
 * the fields as the user left them. It is the same question, so its digest is the same.
 */
export function askAgain(first: Asked, { complaint, typed }: FailedAttempts): Asked {
  const { data } = first;
  if (data.kind !== 'form') return first;
  const initial = typed === undefined ? data.initial : keepShowable(data.schema, typed);
  const again = createAsked(formKind, { ...data, ...(initial && { initial }) });
  return { ...again, digest: first.digest, rendered: withComplaint(again.rendered, complaint) };
}

/** Appends a complaint to the message of a form. */
function withComplaint(rendered: Rendered, complaint: string): Rendered {
  const { params } = rendered;
  if (complaint === '' || typeof params?.message !== 'string') return rendered;
  return { ...rendered, params: { ...params, message: `${params.message}\n\n${complaint}` } };
}

/** Creates the error for a response that does not answer its question. It never quotes a validator. */
export function unusableError(resolver: string, { problem }: Unusable): ToolError {
  return new ToolError(`Resolver '${resolver}' ${problem}`);
}

/** Returns true if `true` is the only value of a question, so any other fallback is a decline. */
function isYesOnly(data: QuestionData): boolean {
  return data.kind === 'url' || (data.kind === 'form' && data.yesOnly === true);
}
