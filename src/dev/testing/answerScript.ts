/**
 * The scripted answers of a test, for the user, the model and the client. A script answers the
 * questions of a call, records them, and fails the test if questions and answers do not match. On
 * the legacy era a thrown error only ends the call, so the script also keeps the error for the
 * test.
 */
import type { CreateMessageResult, ListRootsResult, Root } from '@modelcontextprotocol/client';
import type { Answer } from '../../client/answers.js';
import { isObject } from '../../values.js';
import { errorOf } from '../../errors.js';
import { questionFrom } from './askedQuestion.js';
import type { AskedQuestion, InputRequest } from './askedQuestion.js';
import { isScriptedDecision } from './scriptedDecision.js';
import type { ScriptedDecision } from './scriptedDecision.js';
import { exampleAnswer, formatKey, formatSchema, shorten } from './formatQuestion.js';

/** An answer, or a function that returns it when the question arrives. */
export type ScriptedAnswer =
  Answer | ScriptedDecision | ((question: AskedQuestion) => Answer | Promise<Answer>);

/**
 * The answers by wire key, or one function for all questions. A single answer is used each time its
 * question arrives. An array is used in order, one answer each time. A function returns `undefined`
 * if it has no answer.
 */
export type ScriptedAnswers =
  | Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>
  | ((question: AskedQuestion) => Answer | undefined | Promise<Answer | undefined>);

/**
 * Creates the model's answer to `sample`, with one text block.
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
 * Creates the client's answer to `listRoots`, from the URIs of its folders.
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

/** Answers the questions of one call and records them. */
export class AnswerScript {
  /** The questions so far, in order. */
  readonly questions: AskedQuestion[] = [];
  private readonly decided = new Set<string>();
  private firstFailure: Error | undefined;

  constructor(
    /** The name of the definition that asks. */
    private readonly definition: string,
    private readonly answers: ScriptedAnswers = {},
  ) {}

  /**
   * Answers the requests of a round in order.
   *
   * @throws {Error} If a question has no scripted answer, or an answer of another kind.
   */
  async answerAll(
    requests: Readonly<Record<string, InputRequest>>,
    round: number,
  ): Promise<Record<string, Answer>> {
    const answers: [string, Answer][] = [];
    for (const [key, request] of Object.entries(requests)) {
      answers.push([key, await this.answer(questionFrom(request, { key, round }))]);
    }
    return Object.fromEntries(answers);
  }

  /**
   * Records a question and returns its scripted answer.
   *
   * @throws {Error} If the question has no scripted answer, or an answer of another kind.
   */
  async answer(question: AskedQuestion): Promise<Answer> {
    this.questions.push(question);
    try {
      const answer = await this.scripted(question);
      if (answer === undefined) throw new Error(this.unscripted(question));
      if (isScriptedDecision(answer) || !FITS[question.kind](answer))
        throw new Error(this.misfit(question));
      return answer;
    } catch (error) {
      this.firstFailure ??= errorOf(error);
      throw error;
    }
  }

  /** @throws {Error} The first error that {@link answer} threw, if any. */
  assertNoFailure(): void {
    if (this.firstFailure !== undefined) throw this.firstFailure;
  }

  /** @throws {Error} If a scripted answer was not used. The message says how the call ended. */
  assertAllUsed({ text, isError, cause }: CallEnd): void {
    const unused = this.unused();
    if (unused.length === 0) return;
    const asked = this.questions.map(({ key }) => key);
    throw new Error(
      [
        // If the call failed, the script is usually not the reason.
        ...(isError
          ? [`'${this.definition}' failed before it used all scripted answers: ${text}`]
          : [`'${this.definition}' ended without using all scripted answers.`]),
        '',
        ...lines('unused', unused),
        ...lines('asked', asked.length === 0 ? ['nothing'] : [...new Set(asked)]),
        ...(cause === undefined
          ? []
          : lines('cause', [shorten(`${cause.name}: ${cause.message}`)])),
        ...(isError ? [] : lines('result', [shorten(text)])),
        '',
        `${isError ? 'If the call is meant to fail, remove' : 'Remove'} the unused answers from the script, or allow them with { unused: 'allow' }.`,
        ...(asked.length === 0
          ? []
          : [
              'The legacy era asks one question at a time, so questions after a refusal are not asked.',
            ]),
      ].join('\n'),
    );
  }

  /**
   * Returns the scripted decision on an approval. Only a shared desk may have none.
   *
   * @throws {Error} If there is none, or an answer of a client.
   */
  decisionOn(key: string, isShared: boolean): ScriptedDecision | undefined {
    this.decided.add(key);
    const entry = this.entryFor(key);
    if (isScriptedDecision(entry)) return entry;
    if (entry === undefined && isShared) return undefined;
    throw new Error(
      `'${this.definition}' waits for the approval '${key}', which has no scripted decision. Add { answers: { ${formatKey(key)}: approvedBy('bob') } }, deniedBy('bob') or undecided().`,
    );
  }

  private async scripted(question: AskedQuestion): Promise<Answer | ScriptedDecision | undefined> {
    if (typeof this.answers === 'function') return this.answers(question);
    const entry = this.entryFor(question.key);
    const scripted = isArray(entry) ? entry[this.timesAsked(question.key) - 1] : entry;
    return typeof scripted === 'function' ? scripted(question) : scripted;
  }

  private entryFor(key: string): ScriptEntry | undefined {
    if (typeof this.answers === 'function' || !Object.hasOwn(this.answers, key)) return undefined;
    return this.answers[key];
  }

  private timesAsked(wanted: string): number {
    return this.questions.filter(({ key }) => key === wanted).length;
  }

  private scriptedKeys(): readonly string[] {
    return typeof this.answers === 'function' ? [] : Object.keys(this.answers);
  }

  private unused(): readonly string[] {
    return this.scriptedKeys().flatMap((key) => {
      const entry = this.entryFor(key);
      const asked = this.timesAsked(key);
      const isUsed = asked > 0 || this.decided.has(key);
      if (!isArray(entry)) return isUsed || entry === undefined ? [] : [key];
      const left = entry.length - asked;
      return left <= 0 ? [] : [`${key}: ${left} of ${entry.length} answers`];
    });
  }

  private unscripted(question: AskedQuestion): string {
    const { key, kind, message, schema, url, round } = question;
    const entry = this.entryFor(key);
    const example = exampleAnswer(question);
    const exhausted = isArray(entry)
      ? [
          `The script has too few answers to this question (asked: ${this.timesAsked(key)}, scripted: ${entry.length}).`,
        ]
      : [];
    const others = this.scriptedKeys().filter((scripted) => this.timesAsked(scripted) === 0);
    return [
      `'${this.definition}' asks a question that has no scripted answer.`,
      '',
      ...lines('key', [key]),
      ...lines('kind', [`${kind}, in round ${round}`]),
      ...(message === '' ? [] : lines('message', [shorten(message)])),
      ...(url === undefined ? [] : lines('url', [url])),
      ...(schema === undefined ? [] : lines('schema', [formatSchema(schema)])),
      '',
      ...exhausted,
      ...(others.length === 0
        ? []
        : [
            `Scripted, but not asked so far: ${others.join(', ')}. The key of an answer is the name of the resolver, or the parameter that it fills if it has no name.`,
          ]),
      `Add an answer: { answers: { ${formatKey(key)}: ${example} } }.${kind === 'form' || kind === 'url' ? ' To test a refusal, use decline() or cancel().' : ''}`,
      'To test a client that cannot be asked, pass { capabilities: {} }.',
    ].join('\n');
  }

  private misfit(question: AskedQuestion): string {
    const { key, kind } = question;
    return `The scripted answer to '${key}' of '${this.definition}' does not fit a question of kind '${kind}'. Pass ${exampleAnswer(question)}.`;
  }
}

/** The end of a call, for the message about unused answers. */
interface CallEnd {
  readonly text: string;
  readonly isError: boolean;
  readonly cause: Error | undefined;
}

type ScriptEntry = ScriptedAnswer | readonly ScriptedAnswer[];

/** Narrows a readonly array, which `Array.isArray` does not do. */
function isArray(entry: ScriptEntry | undefined): entry is readonly ScriptedAnswer[] {
  return Array.isArray(entry);
}

/** Checks the kind of an answer. The server checks its content. */
const FITS: Readonly<Record<AskedQuestion['kind'], (answer: unknown) => boolean>> = {
  form: (answer) => isObject(answer) && 'action' in answer,
  url: (answer) => isObject(answer) && 'action' in answer,
  sample: (answer) => isObject(answer) && 'role' in answer,
  roots: (answer) => isObject(answer) && 'roots' in answer,
};

function lines(title: string, texts: readonly string[]): string[] {
  return texts.map((text, place) => `  ${(place === 0 ? title : '').padEnd(8)}  ${text}`);
}
