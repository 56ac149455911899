/**
 * Reads and parses the body of a POST once, within a bound.
 *
 * The SDK would read it for every decision (which era, which session, which message), from a copy
 * each time; all of them also take a parsed value. Out: the value, or the refusal to answer with.
 */
import { readRequestBody } from '@modelcontextprotocol/server';

import type { Refusal } from './httpRefusal.js';

/** The parsed JSON of a body, or why there is none. */
export type ReadBody = { ok: true; value: unknown } | { ok: false; refusal: Refusal };

/** Reads a request body of at most `maxBytes` bytes as JSON. */
export async function readJsonBody(request: Request, maxBytes: number): Promise<ReadBody> {
  try {
    const read = await readRequestBody(request, maxBytes);
    if (read.tooLarge) return { ok: false, refusal: tooLarge(maxBytes) };
    return { ok: true, value: JSON.parse(read.text) as unknown };
  } catch {
    return { ok: false, refusal: notJson };
  }
}

const notJson: Refusal = {
  status: 400,
  code: -32_700,
  message: 'Parse error: the request body is not valid JSON',
};

function tooLarge(maxBytes: number): Refusal {
  const message = `Payload Too Large: Request body must not exceed ${maxBytes} bytes`;
  return { status: 413, code: -32_000, message };
}
