/**
 * A question that a resolver has asked in this round: its kind applied to it, rendered once. Here
 * the kinds are put behind one face.
 */
import type { Outcome } from '../define/model.js';
import type { AskOptions, QuestionData } from '../define/question.js';
import { digest } from '../platform.js';
import type { MaybePromise } from '../platform.js';
import { form } from './form.js';
import type { Capability } from './capability.js';
import type { Answer, QuestionKind, Rendered, Unusable } from './kind.js';
import { roots } from './roots.js';
import { sample } from './sample.js';
import { url } from './url.js';

/** A rendered question and how to deal with its answers. */
export interface Asked {
  readonly data: QuestionData;
  readonly rendered: Rendered;
  readonly capability: Capability;
  readonly misfit: string;
  /** Pins an answer to this very rendering. */
  readonly digest: () => MaybePromise<string>;
  readonly receive: (response: unknown) => Answer | Unusable;
  readonly settle: (answer: Answer) => MaybePromise<Outcome<unknown> | undefined>;
  /** What a value means that the author gave instead of an answer. */
  readonly fallBackOn: (value: unknown) => Outcome<unknown>;
}

/**
 * Renders a question.
 *
 * @throws {TypeError} If it cannot be shown.
 */
export function ask(data: QuestionData): Asked {
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
  return {
    data,
    rendered,
    capability: kind.capability(data),
    misfit: kind.misfit,
    digest: () => digest(rendered.text),
    receive: kind.receive,
    settle: (answer) => kind.settle(data, answer),
    fallBackOn: (value) =>
      isYesOnly(data) && value !== true
        ? { action: 'decline' }
        : { action: 'accept', data: value, asked: false, fallback: true },
  };
}

/** Whether the only value of a question is a yes: nothing else may stand for it. */
function isYesOnly(data: QuestionData): boolean {
  return data.kind === 'url' || (data.kind === 'form' && data.yesOnly === true);
}
