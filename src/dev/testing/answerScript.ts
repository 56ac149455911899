/**
 * The scripted person behind a client: knows what to answer, remembers what was asked, and fails
 * the test when the script and the questions do not fit. What it throws on the legacy era would
 * only end the call, so it is kept for the test as well.
 */
import { isObject } from '../../define/schema.js';
import { errorOf } from '../../errors.js';
import type { Answer } from '../../client/answers.js';
import type { Answers, ScriptedAnswer } from './answers.js';
import type { AskedQuestion } from './askedQuestion.js';
import type { Run } from './runResult.js';
import { nameOf, shortened, sketchAnswer, sketchSchema } from './formatQuestion.js';

/** Answers the questions of one call. */
export class Person {
  /** What was asked, in order. */
  readonly questions: AskedQuestion[] = [];
  private failedWith: Error | undefined;

  constructor(
    /** Whose questions these are. */
    private readonly definition: string,
    private readonly answers: Answers = {},
  ) {}

  /** @throws {Error} If nobody scripted an answer, or one of another kind. */
  async answer(question: AskedQuestion): Promise<Answer> {
    this.questions.push(question);
    try {
      const answer = await this.scripted(question);
      if (answer === undefined) throw new Error(this.unscripted(question));
      if (!FITS[question.kind](answer)) throw new Error(this.misfit(question));
      return answer;
    } catch (error) {
      this.failedWith ??= errorOf(error);
      throw error;
    }
  }

  /** @throws {Error} The first failure of the script, if there was one. */
  assertPlayed(): void {
    if (this.failedWith !== undefined) throw this.failedWith;
  }

  /** @throws {Error} If an answer is scripted that nobody asked for; it says how the call ended. */
  assertUsed({ text, isError }: Pick<Run, 'text' | 'isError'>): void {
    const unused = this.unused();
    if (unused.length === 0) return;
    const asked = this.questions.map(({ key }) => key);
    throw new Error(
      [
        // What went wrong is not the script, as a rule.
        ...(isError
          ? [`'${this.definition}' failed, and left answers of the script unused: ${text}`]
          : [`'${this.definition}' did not ask for every answer that is scripted.`]),
        '',
        ...lines('not used', unused),
        ...lines('asked', asked.length === 0 ? ['nothing'] : [...new Set(asked)]),
        ...(isError ? [] : lines('ended', [shortened(text)])),
        '',
        `${isError ? 'If it is to fail there, take' : 'Take'} what is not used out of the script, or allow it with { unused: 'allow' }.`,
        ...(asked.length === 0
          ? []
          : [
              'On the legacy era questions come one by one: after a refusal the others stay unasked.',
            ]),
      ].join('\n'),
    );
  }

  private async scripted(question: AskedQuestion): Promise<Answer | undefined> {
    if (typeof this.answers === 'function') return this.answers(question);
    const given = this.scriptFor(question.key);
    const scripted = isList(given) ? given[this.timesAsked(question.key) - 1] : given;
    return typeof scripted === 'function' ? scripted(question) : scripted;
  }

  private scriptFor(key: string): Script | undefined {
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
      const script = this.scriptFor(key);
      const asked = this.timesAsked(key);
      if (!isList(script)) return asked > 0 || script === undefined ? [] : [key];
      const left = script.length - asked;
      return left <= 0 ? [] : [`${key}: ${left} of ${script.length} answers`];
    });
  }

  private unscripted(question: AskedQuestion): string {
    const { key, kind, message, schema, url, round } = question;
    const script = this.scriptFor(key);
    const example = sketchAnswer(question);
    const exhausted = isList(script)
      ? [`This is time ${this.timesAsked(key)}, and the script has ${script.length} answers to it.`]
      : [];
    const others = this.scriptedKeys().filter((scripted) => this.timesAsked(scripted) === 0);
    return [
      `'${this.definition}' asks a question that no answer is scripted for.`,
      '',
      ...lines('key', [key]),
      ...lines('kind', [`${kind}, in round ${round}`]),
      ...(message === '' ? [] : lines('message', [shortened(message)])),
      ...(url === undefined ? [] : lines('url', [url])),
      ...(schema === undefined ? [] : lines('schema', [sketchSchema(schema)])),
      '',
      ...exhausted,
      ...(others.length === 0
        ? []
        : [
            `Not asked so far, but scripted: ${others.join(', ')}. An answer goes by the parameter that the resolver fills, or by the resolver's name.`,
          ]),
      `Script it: { answers: { ${nameOf(key)}: ${example} } }${kind === 'form' || kind === 'url' ? ', or decline(), or cancel()' : ''}.`,
      'For a client that cannot be asked: { capabilities: {} }.',
    ].join('\n');
  }

  private misfit(question: AskedQuestion): string {
    const { key, kind } = question;
    return `The answer scripted for '${key}' of '${this.definition}' is none to a question of kind '${kind}'. Give ${sketchAnswer(question)}.`;
  }
}

type Script = ScriptedAnswer | readonly ScriptedAnswer[];

function isList(script: Script | undefined): script is readonly ScriptedAnswer[] {
  return Array.isArray(script);
}

/** Whether an answer is one to such a question at all; whether it is a good one is for the server. */
const FITS: Readonly<Record<AskedQuestion['kind'], (answer: unknown) => boolean>> = {
  form: (answer) => isObject(answer) && 'action' in answer,
  url: (answer) => isObject(answer) && 'action' in answer,
  sample: (answer) => isObject(answer) && 'role' in answer,
  roots: (answer) => isObject(answer) && 'roots' in answer,
};

function lines(title: string, texts: readonly string[]): string[] {
  return texts.map((text, place) => `  ${(place === 0 ? title : '').padEnd(8)}  ${text}`);
}
