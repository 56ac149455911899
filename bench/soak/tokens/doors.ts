/**
 * The two transports to the server: HTTP, where each request gets its own server, and a pair of
 * streams as over stdio. Both accept handwritten 2026-07-28 requests with malformed params, and any
 * number at a time.
 */
import { PassThrough } from 'node:stream';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { serveStdio } from 'mcp-resolve/node';

import { type Call, messageOf, postOf, type Reply, replyOf } from '../jsonRpc.js';

/** A transport. */
export interface Door {
  readonly send: (call: Call) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

/** Opens HTTP without a socket. */
export function openHttp(factory: () => McpServer): Door {
  const handler = createMcpHandler(factory);
  let id = 0;
  return {
    send: async (call) => {
      id += 1;
      const response = await handler.fetch(new Request('http://localhost/mcp', postOf(id, call)));
      return replyOf(await response.text());
    },
    close: () => handler.close(),
  };
}

/** Opens a pair of streams. */
export function openStdio(factory: () => McpServer): Door {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(factory, { transport: new StdioServerTransport(input, output) });
  const waiting = new Map<number, (reply: Reply) => void>();
  onLines(output, (line) => {
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  let id = 0;
  return {
    send: (call) => {
      id += 1;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        input.write(`${messageOf(id, call)}\n`);
      });
    },
    close: () => served.close(),
  };
}

function onLines(output: PassThrough, take: (line: string) => void): void {
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}
