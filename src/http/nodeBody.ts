/**
 * The body of a request of Node, read and parsed once.
 *
 * The adapter would make a web-standard request with that body, only for its stream to be read and
 * parsed again. In: Node's request. Out: the parsed value, and the request as the adapter is to see
 * it, without a body. What is too long or not JSON it sees as it came: it has the answers to that.
 */
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { IncomingMessage } from 'node:http';

/** A request whose body was read; no value stands for a body that is left to the adapter. */
export interface ReadRequest {
  message: NodeIncomingMessageLike;
  parsedBody?: unknown;
}

/** Whether a request has a body that can be read here: declared as JSON, and still in bytes. */
export function hasJsonBody({ method, headers, readableEncoding }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    isJsonContentType(headers['content-type'] ?? null) &&
    readableEncoding === null
  );
}

/** Reads the body of a request as JSON, in at most `maxBytes` bytes. */
export async function readNodeBody(
  message: IncomingMessage,
  maxBytes: number,
): Promise<ReadRequest> {
  if (Number(message.headers['content-length']) > maxBytes) return { message: forAdapter(message) };
  // One that was cut off is complete to HTTP/2, but no longer readable: waiting for it says so.
  const isThere = message.complete && message.readable;
  const chunks = isThere ? buffered(message) : await received(message, maxBytes);
  const bytes = Buffer.concat(chunks);
  const parsedBody = bytes.length > maxBytes ? undefined : parsed(bytes);
  return parsedBody === undefined
    ? { message: forAdapter(message, chunks) }
    : { message: forAdapter(message, []), parsedBody };
}

/** All of a body that has arrived with its head, as short ones do: nothing has to be awaited. */
function buffered(message: IncomingMessage): Buffer[] {
  const chunks: Buffer[] = [];
  const read = (): Buffer | null => message.read() as Buffer | null;
  // Where somebody else listens too, each reading gives one chunk.
  for (let chunk = read(); chunk !== null; chunk = read()) chunks.push(chunk);
  return chunks;
}

/** What is received, or more than `maxBytes` of it. */
async function received(message: IncomingMessage, maxBytes: number): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return chunks;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** The request as the adapter takes it, with these chunks as its body if it was read. */
export function forAdapter(
  message: IncomingMessage,
  chunks?: readonly Buffer[],
): NodeIncomingMessageLike {
  // The package types absent headers as missing, Node as undefined: the same at run time.
  const original = message as NodeIncomingMessageLike;
  if (chunks === undefined) return original;
  const { method = 'POST', url = '/', headers, auth } = original;
  const body = { [Symbol.asyncIterator]: () => iterated(chunks) };
  return auth === undefined
    ? { method, url, headers, ...body }
    : { method, url, headers, auth, ...body };
}

function iterated(chunks: readonly Buffer[]): AsyncIterator<Buffer> {
  const left = chunks.values();
  return { next: () => Promise.resolve(left.next()) };
}
