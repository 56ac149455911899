/**
 * Questions as data. A resolver that cannot compute its value returns one. The `question` folder
 * renders questions and reads answers.
 */
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ListRootsResult,
  StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { knownOptions, rejectUnknownOptions } from '../options.js';
import type { ApprovalData } from './approvalTerms.js';
import { KIND, kindOf } from './brand.js';
import { assertToolResultsFollowToolUse } from './messages.js';
import { parseUrl } from '../platform.js';
import { noteQuestionMade } from './questionScope.js';
import { isSchema } from './schema.js';
import { isObject, isPlainObject } from '../values.js';
import type { Askable, AskedKind } from './context.js';
import type { InputOf, OutputOf, Schema } from './schema.js';
import type { NoSchema } from './sentences.js';

declare const ANSWER: unique symbol;

/** Any question. */
export interface AnyQuestion {
  readonly [KIND]: 'question';
  readonly kind: AskedKind;
}

/**
 * A question whose answer is a `T`. It is invariant in `T`, so two questions in one resolver stay
 * two different types and the compiler can reject them.
 */
export interface Question<in out T> extends AnyQuestion {
  readonly [ANSWER]?: (answer: T) => T;
}

/** The options of a question. */
export interface AskOptions<T> {
  /**
   * The value, or a function that computes it, for a client that does not declare support for the
   * question. If the function throws a `ToolError`, the model reads its message. If omitted, such a
   * client receives a protocol error.
   */
  readonly otherwise?: T | (() => T | Promise<T>);
}

/** The options of a question that the user can decline. */
export interface AskUserOptions<T> extends AskOptions<T> {
  /**
   * The sentence that the model reads if the user declines or cancels. It replaces the default
   * text. A consumer that takes the `outcome` decides for itself.
   */
  readonly declined?: string;
}

/** The options of a yes/no question. */
export interface ConfirmOptions extends AskUserOptions<boolean> {
  /**
   * With `true`, every client that declares no forms approves without asking the user, and a client
   * decides itself what it declares. Write `false` to decline, or a function that throws a
   * `ToolError` for the model. If omitted, such a client receives a protocol error.
   */
  readonly otherwise?: boolean | (() => boolean | Promise<boolean>);
  /** The text beside the box that the user ticks. Most clients show `confirm` without it. */
  readonly label?: string;
}

/** The options of a link. */
export interface ElicitUrlOptions extends AskUserOptions<boolean> {
  /**
   * The id by which a legacy client learns later that the page is completed. Nobody must be able to
   * guess it: use `ctx.callId` or another random id. Default: a random id.
   */
  readonly elicitationId?: string;
}

/** The options of a form. */
export interface ElicitOptions<S extends Schema> extends AskUserOptions<OutputOf<S>> {
  /** The values that the form shows before the user changes them. */
  readonly initial?: { readonly [Name in keyof InputOf<S>]?: InputOf<S>[Name] | undefined };
}

/** A form for the user. */
export interface Elicit<in out T> extends Question<T> {
  readonly kind: 'form';
  readonly message: string;
  readonly schema: Schema;
}

/** A yes/no question for the user. Its only value is `true`. */
export interface Confirm extends Question<true> {
  readonly kind: 'form';
  readonly message: string;
  readonly schema: Schema;
  readonly yesOnly: true;
}

/** A link for the user to open. Its value is `true`, which means opened, not completed. */
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

/**
 * The answer of the client's model. An interface, so that declarations and hovers show its name.
 */
export interface ModelAnswer extends CreateMessageResult {}

/** The answer of the client's model if it may use tools. */
export interface ModelAnswerWithTools extends CreateMessageResultWithTools {}

/** The client's roots. */
export interface Roots extends ListRootsResult {}

/** A request for the client's roots. */
export interface ListRoots extends Question<Roots> {
  readonly kind: 'roots';
}

/** The data of a form. */
export type FormData = Pick<Elicit<unknown>, 'kind' | 'message' | 'schema'> & {
  readonly yesOnly?: true;
  readonly declined?: string;
  readonly initial?: Readonly<Record<string, unknown>>;
};

/** The data of a link. */
export type UrlData = Pick<ElicitUrl, 'kind' | 'message' | 'url'> & {
  readonly declined?: string;
  readonly elicitationId?: string;
};

/** The data of a sampling request. */
export type SampleData = Pick<Sample<unknown>, 'kind' | 'params'>;

/** The data of a request for roots. */
export type RootsData = Pick<ListRoots, 'kind'>;

/** The data of any question. */
export type QuestionData = (FormData | UrlData | SampleData | RootsData | ApprovalData) &
  AskOptions<unknown>;

/** Returns true if `value` is a question. */
export function isQuestion(value: unknown): value is QuestionData {
  return kindOf(value) === 'question';
}

/**
 * Asks the user with a form. `schema` describes a flat object of strings, numbers, booleans and
 * choices. The value is the validated answer. `initial` prefills the form.
 *
 * @example
 *
 * ```ts
 * const Size = z.object({ size: z.enum(['S', 'M', 'L']) });
 * const size = resolver({}, () => elicit('Which size?', Size), { asks: 'form' });
 * ```
 */
export function elicit<S extends Schema>(
  message: string,
  schema: S | NoSchema,
  options?: ElicitOptions<S>,
): Elicit<OutputOf<S>> {
  assertMessage('elicit', message, "elicit('Which size?', z.object({ … }))");
  if (!isSchema(schema)) {
    throw new TypeError(
      'elicit(): `schema` must be a schema that provides JSON Schema, such as z.object({ … }).',
    );
  }
  const known = checkOptions('elicit', options, ['otherwise', 'declined', 'initial']);
  assertInitial(known?.initial);
  return question({ kind: 'form', message, schema, ...known });
}

/**
 * Asks the user to confirm. The value is `true`. An unticked box counts as a decline. A decline or
 * a cancel ends the call unless the consumer takes the `outcome`. Never write `otherwise: true` for
 * an action that the user has to approve.
 *
 * @example
 *
 * ```ts
 * const approval = resolver(
 *   { euros: amountDue },
 *   ({ euros }) => confirm(`Pay ${euros} euros?`),
 *   { asks: 'form' },
 * );
 * ```
 */
export function confirm(message: string, options?: ConfirmOptions): Confirm {
  assertMessage('confirm', message, "confirm('Refund 48 euros?')");
  const known = checkOptions('confirm', options, ['otherwise', 'declined', 'label']);
  assertText('confirm', 'label', known?.label);
  const { label, ...asked } = known ?? {};
  const schema = label === undefined ? YES_OR_NO : yesOrNo({ title: label });
  return question({ kind: 'form', message, schema, yesOnly: true, ...asked });
}

/**
 * Asks the user to open a link, for data that must not pass through the client, such as a sign-in
 * or a payment. The value is `true` and means _opened_. A later resolver must check that the user
 * completed the task there, and that it was the same user.
 *
 * @example
 *
 * ```ts
 * const opened = resolver(
 *   {},
 *   (_, ctx) => elicitUrl('Please sign in.', `https://shop.example/sign-in/${ctx.callId}`),
 *   { asks: 'url' },
 * );
 * ```
 */
export function elicitUrl(
  message: string,
  url: string | URL,
  options?: ElicitUrlOptions,
): ElicitUrl {
  assertMessage('elicitUrl', message, "elicitUrl('Please sign in.', url)");
  const known = checkOptions('elicitUrl', options, ['otherwise', 'declined', 'elicitationId']);
  assertText('elicitUrl', 'elicitationId', known?.elicitationId);
  return question({ kind: 'url', message, url: linkOf(url), ...known });
}

/**
 * Asks the client's model. With `tools` or `toolChoice` the answer may be an array of content
 * blocks. Use the same parameters in every round. If they change, the client samples again.
 *
 * @example
 *
 * ```ts
 * const summary = resolver(
 *   { id: args.invoice },
 *   ({ id }) =>
 *     sample({
 *       messages: [{ role: 'user', content: { type: 'text', text: `Summarise ${id}.` } }],
 *       maxTokens: 200,
 *     }),
 *   { asks: 'sample' },
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
  return question({ kind: 'sample', params, ...checkOptions('sample', options) });
}

/**
 * Asks for the client's roots.
 *
 * @example
 *
 * ```ts
 * const folders = resolver({}, () => listRoots(), { asks: 'roots' });
 * ```
 */
export function listRoots(options?: AskOptions<Roots>): ListRoots {
  return question({ kind: 'roots', ...checkOptions('listRoots', options) });
}

function question<const Q extends { readonly kind: Askable }>(data: Q): Q & AnyQuestion {
  noteQuestionMade();
  return Object.freeze({ [KIND]: 'question' as const, ...data });
}

/** Rejects unknown options. A misspelt `otherwise` would leave a client without its fallback. */
function checkOptions<O extends AskUserOptions<unknown>>(
  name: string,
  options: O | undefined,
  known: readonly string[] = ['otherwise'],
): O | undefined {
  if (options === undefined) return undefined;
  if (!isPlainObject(options)) {
    const hint = isSchema(options) ? ' To ask with a schema, write elicit(message, schema).' : '';
    throw new TypeError(`${name}(): \`options\` must be an object. ${knownOptions(known)}${hint}`);
  }
  rejectUnknownOptions(options, known, `${name}()`);
  assertText(name, 'declined', options.declined);
  return options;
}

function assertText(name: string, option: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  throw new TypeError(`${name}(): \`${option}\` must be a non-empty string.`);
}

function assertInitial(initial: unknown): void {
  if (initial === undefined || isPlainObject(initial)) return;
  throw new TypeError(
    'elicit(): `initial` must be an object with values for fields of the form, such as { city: … }.',
  );
}

/** Returns the `href` of a link, or throws if a user cannot be asked to open it. */
function linkOf(given: string | URL): string {
  const url = parseUrl(String(given));
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new TypeError('elicitUrl(): `url` must be an absolute http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('elicitUrl(): `url` must not contain a user name or a password.');
  }
  return url.href;
}

type ToolUse =
  | { tools: NonNullable<CreateMessageRequestParams['tools']> }
  | { toolChoice: NonNullable<CreateMessageRequestParams['toolChoice']> };

function assertMessage(name: string, message: unknown, example: string): void {
  if (typeof message === 'string' && message !== '') return;
  throw new TypeError(`${name}(): \`message\` must be a non-empty string. Write ${example}.`);
}

function assertSampleParams(params: Partial<CreateMessageRequestParams> | undefined): void {
  if (!Array.isArray(params?.messages) || typeof params.maxTokens !== 'number') {
    throw new TypeError(
      "sample(): `params` must contain `messages`, an array, and `maxTokens`, a number. Write sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 200 }).",
    );
  }
  if (!params.messages.every(isMessage)) {
    throw new TypeError(
      "sample(): every message must have the form { role: 'user' | 'assistant', content }.",
    );
  }
  assertToolResultsFollowToolUse(params.messages);
}

function isMessage(message: unknown): boolean {
  return (
    isObject(message) && typeof message.role === 'string' && typeof message.content === 'object'
  );
}

const YES_OR_NO = yesOrNo({});

/** Creates the schema of a form with one box. */
function yesOrNo(label: { readonly title?: string }): Schema {
  const json = Object.freeze({
    type: 'object',
    properties: Object.freeze({ confirm: Object.freeze({ type: 'boolean', ...label }) }),
    required: Object.freeze(['confirm']),
  });
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1,
      vendor: 'mcp-resolve',
      validate: validateYesOrNo,
      jsonSchema: Object.freeze({ input: () => json, output: () => json }),
    }),
  });
}

function validateYesOrNo(value: unknown): StandardSchemaV1.Result<unknown> {
  return typeof (value as { confirm?: unknown }).confirm === 'boolean'
    ? { value }
    : { issues: [{ message: 'expected { confirm: boolean }', path: ['confirm'] }] };
}
