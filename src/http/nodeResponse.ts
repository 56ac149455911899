/**
 * A response of Node as the adapter writes it, sent in as few pieces as its kind allows.
 *
 * JSON goes out in one piece, with its length. The headers of an event stream go out with its first
 * event if there is one by the end of this turn of the event loop, and by themselves otherwise:
 * Node keeps them back until the first byte of the body, and a quiet stream would look like a
 * server that does not answer.
 */
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';
import type { ServerResponse } from 'node:http';

type Headers = Record<string, string>;

/** Creates the face of a response that the adapter writes to. */
export function promptResponse(response: ServerResponse): NodeServerResponseLike {
  let held: { status: number; headers: Headers; chunks: Uint8Array[] } | undefined;
  let flush: NodeJS.Immediate | undefined;
  return {
    writeHead: (status, headers = {}) => {
      if (isOfType(headers, 'application/json')) {
        held = { status, headers, chunks: [] };
        return;
      }
      response.writeHead(status, headers);
      if (isOfType(headers, 'text/event-stream')) {
        flush = setImmediate(() => {
          response.flushHeaders();
        });
      }
    },
    write: (chunk) => {
      clearImmediate(flush);
      if (held === undefined) return response.write(chunk);
      held.chunks.push(Buffer.from(chunk));
      return true;
    },
    end: (chunk) => {
      clearImmediate(flush);
      if (held === undefined) return response.end(chunk);
      if (chunk !== undefined) held.chunks.push(Buffer.from(chunk));
      const body = Buffer.concat(held.chunks);
      const length = { 'content-length': String(body.length) };
      return response.writeHead(held.status, Object.assign({}, held.headers, length)).end(body);
    },
    on: (event, listener) => response.on(event, listener),
    destroyed: response.destroyed,
  };
}

function isOfType(headers: Headers, type: string): boolean {
  return headers['content-type']?.startsWith(type) ?? false;
}
