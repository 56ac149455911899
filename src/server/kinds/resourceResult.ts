/** What a resource answers: from what its body returned, or from what went wrong. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { isObject } from '../../define/schema.js';
import { ToolError } from '../../errors.js';
import { base64 } from '../../platform.js';
import { shownMessage } from '../call/callable.js';
import type { ErrorPolicy } from '../call/callable.js';
import { assertNotAsking, describeReturned } from '../call/bodyErrors.js';

/** What was read. */
export interface ReadSpec {
  readonly name: string;
  readonly uri: URL;
  readonly mimeType: string | undefined;
}

/**
 * The result of a resource whose body returned; a text or bytes are the content at the uri that was
 * read.
 *
 * @throws {@link ToolError} If what it returned is no result of a resource.
 */
export function resourceResult(spec: ReadSpec, returned: unknown): ReadResourceResult {
  const { name } = spec;
  assertNotAsking(name, returned);
  if (typeof returned === 'string') return readAs(spec, { text: returned });
  if (returned instanceof Uint8Array) return readAs(spec, { blob: base64(returned) });
  if (isObject(returned) && Array.isArray(returned.contents)) return returned as ReadResourceResult;
  throw new ToolError(
    `the body of '${name}' returned ${describeReturned(returned)}; the body of a resource returns a string, bytes or a ReadResourceResult`,
  );
}

function readAs(
  { uri, mimeType }: ReadSpec,
  content: { readonly text: string } | { readonly blob: string },
): ReadResourceResult {
  const kind = mimeType === undefined ? {} : { mimeType };
  return { contents: [{ uri: uri.href, ...kind, ...content }] };
}

/** @throws {ProtocolError} Always: a resource has no other way to fail. */
export function failResource(name: string, error: unknown, policy: ErrorPolicy): never {
  throw new ProtocolError(
    ProtocolErrorCode.InternalError,
    `Error reading resource ${name}: ${shownMessage(error, policy)}`,
  );
}
