/** Questions as a test sees them: the resolver that asks, the message, and the round. */
import type { Askable } from '../../author/context.js';
import type { CallEvent } from '../../author/event.js';
import { isObject } from '../../values.js';
import type { JsonSchema } from '../../author/schema.js';
import { canonicalJson } from '../../state/canonical.js';

/** A question that the server asked the client. */
export interface AskedQuestion {
  /**
   * The wire key of the resolver that asks. If the author's own code asks a legacy client, the
   * method of the request.
   */
  readonly key: string;
  readonly kind: Askable;
  /** The message of a form or a link, the last text for the model, or `''` for roots. */
  readonly message: string;
  /** The JSON Schema of a form. */
  readonly schema?: JsonSchema;
  /** The link to open. */
  readonly url?: string;
  /** All parameters, as received. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The round that asked it, counted from 1. Always 1 on the legacy era. */
  readonly round: number;
}

/** A request for input, as received. */
export interface InputRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** Creates a question from a request for input. */
export function questionFrom(
  { method, params }: InputRequest,
  { key, round }: Pick<AskedQuestion, 'key' | 'round'>,
): AskedQuestion {
  const given: Readonly<Record<string, unknown>> = { ...params };
  const kind = kindOfRequest(method, given);
  return {
    key,
    kind,
    message: kind === 'sample' ? lastText(given.messages) : textOf(given.message),
    ...(kind === 'form' && isObject(given.requestedSchema) && { schema: given.requestedSchema }),
    ...(kind === 'url' && { url: textOf(given.url) }),
    ...(params !== undefined && { params: given }),
    round,
  };
}

function kindOfRequest(method: string, { mode }: Readonly<Record<string, unknown>>): Askable {
  if (method === 'roots/list') return 'roots';
  if (method === 'sampling/createMessage') return 'sample';
  return mode === 'url' ? 'url' : 'form';
}

function lastText(messages: unknown): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const blocks: unknown[] = isObject(last) ? [last.content].flat() : [];
  const texts = blocks.map((block) => (isObject(block) ? textOf(block.text) : ''));
  return texts.filter((text) => text !== '').join('\n');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Returns the key of the resolver that sent a question to a legacy client, or the method if no
 * resolver sent it. The question carries no key, so the key is read from the latest `asked` event
 * if that question is still open.
 */
export function keyOfPushed(
  events: readonly CallEvent[],
  { method, params }: InputRequest,
): string {
  const last = events.findLast(({ type }) => ABOUT_QUESTIONS.has(type));
  return last?.type === 'asked' && isSame(last.question, params) ? last.resolver : method;
}

const ABOUT_QUESTIONS: ReadonlySet<CallEvent['type']> = new Set(['asked', 'answered', 'declined']);

/** Compares two questions without the properties that the era and the SDK add. */
function isSame(asked: unknown, pushed: object | undefined): boolean {
  const { elicitationId: _, _meta: __, ...params }: Record<string, unknown> = { ...pushed };
  return canonicalJson(isObject(asked) ? asked : {}) === canonicalJson(params);
}
