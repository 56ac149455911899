/**
 * A connection that stays open and sends one request at a time. It costs a fraction of an HTTP
 * client of Node, so that the client leaves the machine to the server that is measured.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class Connection {
  readonly #socket: Socket;
  readonly #head: string;
  #received = '';
  #done: (body: string) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  private constructor(socket: Socket, head: string) {
    this.#socket = socket;
    this.#head = head;
    socket.setNoDelay();
    // All texts of the benchmark are ASCII.
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#read(text);
    });
    socket.on('error', (error) => {
      this.#failed(error);
    });
    socket.on('close', () => {
      this.#failed(new Error('the server closed a connection'));
    });
    // The benchmark may end while connections are open.
    socket.unref();
  }

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<Connection> {
    const { hostname, port, host, pathname } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    return new Connection(socket, [`POST ${pathname} HTTP/1.1`, ...lines].join('\r\n'));
  }

  /** Sends a request, and returns the body of the response. */
  post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      // The socket keeps the process alive while it waits.
      this.#socket.ref();
      this.#socket.write(`${this.#head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  }

  #read(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const body = bodyOf(this.#received.slice(0, end), this.#received.slice(end + 4));
    if (body === undefined) return;
    const status = this.#received.slice(9, 12);
    this.#received = '';
    this.#socket.unref();
    if (status === '200') this.#done(body);
    else this.#failed(new Error(`the server answered ${status}: ${body}`));
  }
}

/** Returns the body of a response if all of it has arrived. */
function bodyOf(head: string, rest: string): string | undefined {
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) return rest.length < Number(length) ? undefined : rest;
  if (!/^transfer-encoding: *chunked/im.test(head)) return '';
  return rest.endsWith('0\r\n\r\n') ? unchunked(rest) : undefined;
}

function unchunked(rest: string): string {
  let body = '';
  for (let at = 0; ;) {
    const line = rest.indexOf('\r\n', at);
    const size = parseInt(rest.slice(at, line), 16);
    if (size === 0) return body;
    body += rest.slice(line + 2, line + 2 + size);
    at = line + 4 + size;
  }
}
