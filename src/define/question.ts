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
import { noteQuestionMade } from './questionScope.js';
import { isObject, isPlainObject, isSchema } from './schema.js';
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

/** What to do with a question where the client cannot be asked. */
export interface AskOptions<T> {
  /**
   * The value, or what computes it, where the client has not declared that it can be asked. A
   * `ToolError` thrown here is what the model reads. Without it such a client gets a protocol
   * error.
   */
  readonly otherwise?: T | (() => T | Promise<T>);
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

/** A link for the person to open; its value is `true`, which means opened and not done. */
export interface ElicitUrl extends Question<true> {
  readonly kind: 'url';
  readonly message: string;
  readonly url: string;
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

/** A link, as the library handles it. */
export type UrlData = Pick<ElicitUrl, 'kind' | 'message' | 'url'>;

/** A sampling request, whatever its answer. */
export type SampleData = Pick<Sample<unknown>, 'kind' | 'params'>;

/** A request for roots, as the library handles it. */
export type RootsData = Pick<ListRoots, 'kind'>;

/** A question as the library handles it. */
export type QuestionData = (FormData | UrlData | SampleData | RootsData) & AskOptions<unknown>;

/** Returns true if `value` is a question. */
export function isQuestion(value: unknown): value is QuestionData {
  return isKind(value, 'question');
}

/** How many members of an array or an object are searched: nobody writes more around a question. */
const SEARCHED_MEMBERS = 64;

/** Returns true if an array or a plain object has a question among its first members. */
export function hidesQuestion(value: unknown): boolean {
  if (Array.isArray(value)) return value.slice(0, SEARCHED_MEMBERS).some(isQuestion);
  if (!isPlainObject(value)) return false;
  // Without calling getters: what is computed on demand may have effects.
  return Object.keys(value)
    .slice(0, SEARCHED_MEMBERS)
    .some((name) => isQuestion(Object.getOwnPropertyDescriptor(value, name)?.value));
}

/**
 * Asks the person with a form made of `schema`, a flat object of strings, numbers, booleans and
 * choices. The value is the validated answer.
 *
 * @example
 *
 * ```ts
 * const Size = z.object({ size: z.enum(['S', 'M', 'L']) });
 * const size = resolver({}, () => elicit('Which size?', Size));
 * ```
 */
export function elicit<S extends Schema>(
  message: string,
  schema: S,
  options?: AskOptions<OutputOf<S>>,
): Elicit<OutputOf<S>> {
  assertMessage('elicit', message);
  if (!isSchema(schema)) {
    throw new TypeError('elicit(message, schema) takes a schema, such as z.object({ … }).');
  }
  return question({ kind: 'form', message, schema, ...checked('elicit', options) });
}

/**
 * Asks the person to confirm. The value is `true`: an unticked box counts as a decline, and a
 * decline or a cancel ends the call unless the consumer takes the `outcome`.
 *
 * @example
 *
 * ```ts
 * const approval = resolver({ euros: amountDue }, ({ euros }) =>
 *   confirm(`Pay ${euros} euros?`),
 * );
 * ```
 */
export function confirm(message: string, options?: AskOptions<boolean>): Confirm {
  assertMessage('confirm', message);
  const schema = YES_OR_NO;
  return question({ kind: 'form', message, schema, yesOnly: true, ...checked('confirm', options) });
}

/**
 * Asks the person to open a link, for what must not pass through the client: signing in, a payment
 * page. The value is `true`, and it means _opened_: whether the person did there what was asked,
 * and whether it was the same person, is for a later resolver to check.
 *
 * @example
 *
 * ```ts
 * const opened = resolver({}, (_, ctx) =>
 *   elicitUrl('Please sign in.', `https://shop.example/sign-in/${ctx.callId}`),
 * );
 * ```
 */
export function elicitUrl(
  message: string,
  url: string | URL,
  options?: AskOptions<boolean>,
): ElicitUrl {
  assertMessage('elicitUrl', message);
  return question({ kind: 'url', message, url: linkOf(url), ...checked('elicitUrl', options) });
}

/**
 * Asks the client's model. With `tools` or `toolChoice` the answer may be a list of content blocks.
 * The parameters must come out the same in every round, or the client pays again.
 *
 * @example
 *
 * ```ts
 * const summary = resolver({ id: args.invoice }, ({ id }) =>
 *   sample({
 *     messages: [{ role: 'user', content: { type: 'text', text: `Summarise ${id}.` } }],
 *     maxTokens: 200,
 *   }),
 * );
 * ```
 */
export function sample(
  params: CreateMessageRequestParams & ToolUse,
  options?: AskOptions<ModelAnswerWithTools>,
): Sample<ModelAnswerWithTools>;
export function sample(
  params: CreateMessageRequestParams,
  options?: AskOptions<ModelAnswer>,
): Sample<ModelAnswer>;
export function sample(
  params: CreateMessageRequestParams,
  options?: AskOptions<ModelAnswer> | AskOptions<ModelAnswerWithTools>,
): AnyQuestion {
  assertSampleParams(params);
  return question({ kind: 'sample', params, ...checked<unknown>('sample', options) });
}

/**
 * Asks for the client's roots.
 *
 * @example
 *
 * ```ts
 * const folders = resolver({}, () => listRoots());
 * ```
 */
export function listRoots(options?: AskOptions<Roots>): ListRoots {
  return question({ kind: 'roots', ...checked('listRoots', options) });
}

function question<const Q extends object>(data: Q): Q & AnyQuestion {
  noteQuestionMade();
  return Object.freeze({ [KIND]: 'question' as const, ...data });
}

/** A misspelt option would leave a client without its fallback. */
function checked<T>(name: string, options: AskOptions<T> | undefined): AskOptions<T> {
  if (options === undefined) return {};
  const unknown = isPlainObject(options)
    ? Object.keys(options).find((key) => key !== 'otherwise')
    : 'something else';
  if (unknown === undefined) return options;
  throw new TypeError(`${name}() takes { otherwise } as its last argument, not ${unknown}.`);
}

/** The text of a link that a person can be asked to open. */
function linkOf(given: string | URL): string {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new TypeError('elicitUrl(message, url) takes an absolute http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The URL of elicitUrl() must not carry a user name or a password.');
  }
  return url.href;
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
