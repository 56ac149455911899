/** The server of the page: it answers only the page itself, at an address that others do not know. */
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { startPageServer } from '../../src/dev/page/server/pageServer.js';
import type { PageServer } from '../../src/dev/page/server/pageServer.js';
import type { Action } from '../../src/dev/page/protocol.js';

let server: PageServer;
let actions: Action[];

beforeEach(async () => {
  actions = [];
  server = await startPageServer(0, {
    onAction: (action) => actions.push(action),
    openStream: (response) => response.end('news'),
  });
});

afterEach(() => {
  server.close();
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request with headers that `fetch` would not let us set. */
function get(url: string | URL, { method = 'GET', headers = {}, body }: Sent = {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(url, { method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const statusOf = async (...sent: Parameters<typeof get>) => (await get(...sent)).statusCode;

test('the printed address has the page, and another token has none', async () => {
  const { origin } = new URL(server.address);
  expect(await statusOf(server.address)).toBe(200);
  expect(await statusOf(server.address)).toBe(200);
  expect(await statusOf(`${origin}/`)).toBe(404);
  expect(await statusOf(`${origin}/${'A'.repeat(24)}/`)).toBe(404);
});

test('the address for a browser leads to the page once', async () => {
  const address = server.addressForOnce();
  const token = new URL(server.address).pathname;
  expect(address).not.toContain(token);
  const response = await get(address);
  expect([response.statusCode, response.headers.location]).toEqual([302, token]);
  expect(await statusOf(address)).toBe(404);
});

test('another site cannot use up the address for a browser', async () => {
  const address = server.addressForOnce();
  expect(await statusOf(address, { headers: { host: 'evil.example' } })).toBe(403);
  expect(await statusOf(address)).toBe(302);
});

describe('an action', () => {
  const post = (headers: Sent['headers']) =>
    statusOf(new URL('action', server.address), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"type":"reload"}',
    });

  test('is taken from the page', async () => {
    expect(await post({ origin: new URL(server.address).origin })).toBe(204);
    expect(actions).toEqual([{ type: 'reload' }]);
  });

  test.each([
    ['without an origin', {}],
    ['of a page without an origin', { origin: 'null' }],
    ['of another site', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://127.0.0.1:1' }],
  ])('is refused %s', async (_, headers) => {
    expect(await post(headers)).toBe(403);
    expect(actions).toEqual([]);
  });

  test('is refused with another Host or type', async () => {
    const { origin, port } = new URL(server.address);
    const host = `evil.example:${port}`;
    expect(await post({ origin: `http://${host}`, host })).toBe(403);
    expect(await post({ origin, 'content-type': 'text/plain' })).toBe(415);
    expect(actions).toEqual([]);
  });
});
