/**
 * The two ways into the server: over HTTP, where each request gets a server of its own, and over a
 * pair of streams, as a program would be spoken to over stdio. Both take requests of the 2026 era
 * by hand, however malformed their params, and any number at a time.
 */
import { PassThrough } from 'node:stream';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { serveStdio } from 'mcp-resolve/node';

/** A JSON-RPC response, as it came. */
export interface Reply {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A request without its envelope. */
export interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A way in. */
export interface Door {
  readonly send: (call: Call) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

function message(id: number, { method, params }: Call): string {
  const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
  return text.replace(NESTED, (_, levels: string) => nested(Number(levels)));
}

/** Stands for a list in a list in a list, deeper than `JSON.stringify` could write it. */
export const nestedText = (levels: number): string => `nested ${levels} levels`;

const NESTED = /"nested (\d+) levels"/;

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** Opens the way over HTTP, without a socket. */
export function openHttp(factory: () => McpServer): Door {
  const handler = createMcpHandler(factory);
  let id = 0;
  return {
    send: async (call) => {
      id += 1;
      const response = await handler.fetch(requestOf(id, call));
      return replyOf(await response.text());
    },
    close: () => handler.close(),
  };
}

function requestOf(id: number, call: Call): Request {
  const target = call.method === 'resources/read' ? call.params.uri : call.params.name;
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': call.method,
      ...(typeof target === 'string' && { 'mcp-name': target }),
    },
    body: message(id, call),
  });
}

/** Reads the one message of a response, which came as JSON or as an event stream. */
function replyOf(text: string): Reply {
  const event = text.split('\n').findLast((line) => line.startsWith('data: {'));
  return JSON.parse(event?.slice('data: '.length) ?? text) as Reply;
}

/** Opens the way over streams. */
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
        input.write(`${message(id, call)}\n`);
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
