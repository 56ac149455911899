/** A question as a test sees it: whose it is, what it says, and when it came. */
import type { Askable } from '../../define/context.js';
import { isObject } from '../../define/schema.js';
import type { JsonSchema } from '../../define/schema.js';

/** A question that the client was asked. */
export interface AskedQuestion {
  /**
   * The wire key of the resolver that asks; the method, where a 2025 client is asked by code that
   * does so by hand.
   */
  readonly key: string;
  readonly kind: Askable;
  /** What it says: the message of a form or a link, the last text for the model, nothing for roots. */
  readonly message: string;
  /** The JSON Schema of a form. */
  readonly schema?: JsonSchema;
  /** The link to open. */
  readonly url?: string;
  /** All parameters, as they came over the wire. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The round that asked it, counted from 1; always 1 on the legacy era. */
  readonly round: number;
}

/** A request for input as it came. */
export interface InputRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** Reads a request for input. */
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
