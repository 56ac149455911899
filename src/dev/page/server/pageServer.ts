/**
 * Serves the page on a loopback port. The address has a random token, because other users and
 * programs of the machine reach the port as well. Host and Origin are checked, because the pages of
 * other sites reach it through the browser.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../../errors.js';
import { readAction } from '../protocol.js';
import type { Action } from '../protocol.js';
import { FILES, HEADERS } from './pageFiles.js';

/** The functions that requests reach. */
export interface PageHandlers {
  readonly onAction: (action: Action) => void;
  readonly openStream: (response: ServerResponse) => void;
}

/** A server that listens. */
export interface PageServer {
  /** The address of the page, with its token. */
  readonly address: string;
  /**
   * Returns an address that leads to the page once. Other users of the machine can read the
   * arguments of a browser.
   */
  readonly addressForOnce: () => string;
  readonly close: () => void;
}

/** The longest body of a request. */
const LONGEST_BODY = 4 * 1024 * 1024;

/** A request that the server refuses. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Starts the server. Port 0 chooses a free port. */
export async function startPageServer(port: number, handlers: PageHandlers): Promise<PageServer> {
  const token = randomToken();
  const tickets = new Set<string>();
  const server = createServer();
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;
  const hosts = [`127.0.0.1:${bound}`, `localhost:${bound}`];
  server.on('request', (request, response) => {
    respond({ request, response, token, tickets, hosts }, handlers).catch((error: unknown) => {
      refuse(response, error);
    });
  });
  return {
    address: `http://127.0.0.1:${bound}/${token}/`,
    addressForOnce: () => {
      const ticket = randomToken();
      tickets.add(ticket);
      return `http://127.0.0.1:${bound}/${ticket}/`;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function randomToken(): string {
  return randomBytes(18).toString('base64url');
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly token: string;
  readonly tickets: Set<string>;
  readonly hosts: readonly string[];
}

async function respond(exchange: Exchange, handlers: PageHandlers): Promise<void> {
  const { request, response, token, tickets } = exchange;
  assertOwn(exchange);
  const [path = ''] = (request.url ?? '').split('?');
  const [, given = '', ...rest] = path.split('/');
  if (tickets.delete(given)) {
    response.writeHead(302, { ...HEADERS, location: `/${token}/` }).end();
    return;
  }
  assertToken(given, token);
  const name = `${request.method ?? ''} ${rest.join('/')}`;
  if (name === 'POST action') return takeAction(exchange, handlers.onAction);
  if (name === 'GET news') {
    handlers.openStream(response);
    return;
  }
  const file = FILES.get(name);
  if (file === undefined) throw new Refusal(404, 'There is nothing at this address.');
  const body = await file.read();
  response.writeHead(200, { ...HEADERS, 'content-type': file.type }).end(body);
}

/** @throws {Refusal} If another site sent the request. */
function assertOwn({ request, hosts }: Exchange): void {
  const { host = '', origin } = request.headers;
  if (!hosts.includes(host)) {
    throw new Refusal(403, 'This Host is not the address of the page.');
  }
  const isOwn = origin === undefined ? request.method === 'GET' : origin === `http://${host}`;
  if (!isOwn) throw new Refusal(403, 'Only the page itself may send this request.');
}

/** @throws {Refusal} If a request has another token than the page. */
function assertToken(given: string, token: string): void {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  if (one.length === other.length && timingSafeEqual(one, other)) return;
  throw new Refusal(404, 'Open the address that the command printed.');
}

async function takeAction(
  { request, response }: Exchange,
  onAction: PageHandlers['onAction'],
): Promise<void> {
  if (request.headers['content-type'] !== 'application/json') {
    throw new Refusal(415, 'The body must be JSON.');
  }
  const text = await readBody(request);
  if (text === undefined) throw new Refusal(413, 'The body is too long.');
  try {
    onAction(readAction(JSON.parse(text)));
  } catch (error) {
    throw new Refusal(400, messageOf(error));
  }
  response.writeHead(204, HEADERS).end();
}

/** Reads a body, or returns `undefined` if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LONGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  const status = error instanceof Refusal ? error.status : 500;
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain;charset=utf-8' });
  response.end(`${messageOf(error)}\n`);
}
