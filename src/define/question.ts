/**
 * Questions as data. A resolver that cannot compute its value returns one of these; what it means,
 * how it is shown and how an answer is read is the business of the `question` folder.
 */
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ListRootsResult,
} from '@modelcontextprotocol/server';
import { KIND, isKind } from './brand.js';
import { assertToolResultsFollowToolUse } from './messages.js';
import { isObject, isSchema } from './schema.js';
import type { OutputOf, Schema } from './schema.js';

declare const ANSWER: unique symbol;

/** Any question. */
export interface AnyQuestion {
  readonly [KIND]: 'question';
}

/**
 * A question whose answer is a `T`. Invariant in `T`, so that two questions in one resolver stay
 * two different types and the compiler can object.
 */
export interface Question<in out T> extends AnyQuestion {
  readonly [ANSWER]?: (answer: T) => T;
}

/** A form shown to the person. */
export interface Elicit<in out T> extends Question<T> {
  readonly kind: 'form';
  readonly message: string;
  readonly schema: Schema;
}

/** A yes/no question to the person; its only value is `true`. */
export interface Confirm extends Question<true> {
  readonly kind: 'form';
  readonly message: string;
  readonly schema: Schema;
  readonly yesOnly: true;
}

/** A request to the client's model. */
export interface Sample<in out T> extends Question<T> {
  readonly kind: 'sample';
  readonly params: CreateMessageRequestParams;
}

/** What the client's model answers. An interface, because declarations and hovers name it then. */
export interface ModelAnswer extends CreateMessageResult {}

/** What the client's model answers where it may use tools. */
export interface ModelAnswerWithTools extends CreateMessageResultWithTools {}

/** The client's roots. */
export interface Roots extends ListRootsResult {}

/** A request for the client's roots. */
export interface ListRoots extends Question<Roots> {
  readonly kind: 'roots';
}

/** A form, whatever its answer. */
export type FormData = Pick<Elicit<unknown>, 'kind' | 'message' | 'schema'> & {
  readonly yesOnly?: true;
};

/** A sampling request, whatever its answer. */
export type SampleData = Pick<Sample<unknown>, 'kind' | 'params'>;

/** A question as the library handles it. */
export type QuestionData = FormData | SampleData | Pick<ListRoots, 'kind'>;

/** Whether what a resolver returned is a question. */
export function isQuestion(value: unknown): value is QuestionData {
  return isKind(value, 'question');
}

/**
 * Asks the person with a form made of `schema`, a flat object of strings, numbers, booleans and
 * choices. The value is the validated answer.
 */
export function elicit<S extends Schema>(message: string, schema: S): Elicit<OutputOf<S>> {
  assertMessage('elicit', message);
  if (!isSchema(schema)) {
    throw new TypeError('elicit(message, schema) takes a schema, such as z.object({ … }).');
  }
  return Object.freeze({ [KIND]: 'question' as const, kind: 'form', message, schema });
}

/**
 * Asks the person to confirm. The value is `true`: an unticked box counts as a decline, and a
 * decline or a cancel ends the call unless the consumer takes the `outcome`.
 */
export function confirm(message: string): Confirm {
  assertMessage('confirm', message);
  return Object.freeze({
    [KIND]: 'question' as const,
    kind: 'form',
    message,
    schema: YES_OR_NO,
    yesOnly: true,
  });
}

/**
 * Asks the client's model. With `tools` or `toolChoice` the answer may be a list of content blocks.
 * The parameters must come out the same in every round, or the client pays again.
 */
export function sample(params: CreateMessageRequestParams & ToolUse): Sample<ModelAnswerWithTools>;
export function sample(params: CreateMessageRequestParams): Sample<ModelAnswer>;
export function sample(params: CreateMessageRequestParams): AnyQuestion {
  assertSampleParams(params);
  return Object.freeze({ [KIND]: 'question' as const, kind: 'sample', params });
}

/** Asks for the client's roots. */
export function listRoots(): ListRoots {
  return Object.freeze({ [KIND]: 'question' as const, kind: 'roots' });
}

type ToolUse =
  | { tools: NonNullable<CreateMessageRequestParams['tools']> }
  | { toolChoice: NonNullable<CreateMessageRequestParams['toolChoice']> };

function assertMessage(name: string, message: unknown): void {
  if (typeof message !== 'string' || message === '') {
    throw new TypeError(`${name}() takes the text of the question first.`);
  }
}

function assertSampleParams(params: Partial<CreateMessageRequestParams> | undefined): void {
  if (!Array.isArray(params?.messages) || typeof params.maxTokens !== 'number') {
    throw new TypeError('sample() takes createMessage parameters: { messages, maxTokens, … }.');
  }
  if (!params.messages.every(isMessage)) {
    throw new TypeError("sample(): a message is { role: 'user' | 'assistant', content }.");
  }
  assertToolResultsFollowToolUse(params.messages);
}

function isMessage(message: unknown): boolean {
  return (
    isObject(message) && typeof message.role === 'string' && typeof message.content === 'object'
  );
}

const YES_OR_NO_JSON = Object.freeze({
  type: 'object',
  properties: Object.freeze({ confirm: Object.freeze({ type: 'boolean' }) }),
  required: Object.freeze(['confirm']),
});

const YES_OR_NO: Schema = Object.freeze({
  '~standard': Object.freeze({
    version: 1,
    vendor: 'mcp-resolve',
    validate: (value: unknown) =>
      typeof (value as { confirm?: unknown }).confirm === 'boolean'
        ? { value }
        : { issues: [{ message: 'expected { confirm: boolean }' }] },
    jsonSchema: Object.freeze({ input: () => YES_OR_NO_JSON, output: () => YES_OR_NO_JSON }),
  }),
});
