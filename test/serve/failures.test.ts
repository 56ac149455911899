/** Requests that end with HTTP 500, and the line that each leaves in the log. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  createMcpHandler,
  McpServer,
  type McpServerFactory,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Hono } from 'hono';
import { install } from 'mcp-resolve';
import { createDualEraHandler, type DualEraHandlerOptions } from 'mcp-resolve/node';
import { install as installV1 } from 'mcp-resolve/v1';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { eras } from '../support/eras.js';
import { closeAfterTest } from '../support/servers.js';
import { askingFactory } from './askingServer.js';
import { initialize, modernCall, post, refusalOf } from './rawHttp.js';

let lines: string[];
let now = Date.now();

beforeEach(() => {
  lines = [];
  // A minute later, the rate limit has forgotten the lines of the test before.
  now += 60_000;
  vi.useFakeTimers({ toFake: ['Date'], now });
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const requests = {
  modern: () => modernCall('whoami', {}),
  legacy: () => post(initialize),
};

/** Creates a handler. The first factory call of the test fails in the given way. */
function handlerOf(factory: McpServerFactory, options?: DualEraHandlerOptions) {
  const handler = createDualEraHandler(factory, options);
  closeAfterTest(() => handler.close({ timeoutMs: 0 }));
  return handler;
}

const reports: [string, DualEraHandlerOptions][] = [
  ['without onerror', {}],
  ['with onerror', { onerror: () => undefined }],
  [
    'with an onerror that throws',
    {
      onerror: () => {
        throw new Error('no disk');
      },
    },
  ],
];

describe.each(eras)('a factory that throws (%s)', (era) => {
  it.each(reports)('leaves one line for each request, %s', async (_, options) => {
    const handler = handlerOf(() => {
      throw new Error('no database');
    }, options);
    for (const count of [1, 2]) {
      const response = await handler.fetch(requests[era]());
      const refusal = await refusalOf(response);
      expect(refusal).toMatchObject({ status: 500, message: 'Internal server error' });
      expect(lines).toHaveLength(count);
    }
    expect(lines[0]).toBe('mcp-resolve: The server factory failed: Error: no database');
  });

  it('leaves one line for each request, even if it always throws the same', async () => {
    const down = new Error('no database');
    const handler = handlerOf(() => Promise.reject(down));
    for (const count of [1, 2]) {
      expect((await handler.fetch(requests[era]())).status).toBe(500);
      expect(lines).toHaveLength(count);
    }
  });

  it('leaves one line if it throws a text', async () => {
    const handler = handlerOf(() => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- as plain JavaScript can
      throw 'no database';
    });
    expect((await handler.fetch(requests[era]())).status).toBe(500);
    expect(lines).toEqual(['mcp-resolve: The server factory failed: Error: no database']);
  });

  it('leaves one line if install throws in it', async () => {
    const handler = handlerOf(() => {
      const server = new McpServer({ name: 'one', version: '1.0.0' });
      install(server, ['pay' as never]);
      return server;
    });
    expect((await handler.fetch(requests[era]())).status).toBe(500);
    expect(lines).toEqual([
      expect.stringMatching(/^mcp-resolve: install\(\) failed: TypeError: install\(\): /),
    ]);
  });

  it('leaves one line if the server cannot be connected', async () => {
    const handler = handlerOf(() => {
      const server = new McpServer({ name: 'one', version: '1.0.0' });
      server.connect = () => Promise.reject(new Error('no transport'));
      return server;
    });
    expect((await handler.fetch(requests[era]())).status).toBe(500);
    expect(lines).toEqual(['mcp-resolve: A request failed: Error: no transport']);
  });
});

describe('install', () => {
  const fail = (logger?: { warn: (line: string) => void }): void => {
    const server = new McpServer({ name: 'one', version: '1.0.0' });
    install(server, [undefined as never], logger && { logger });
  };

  it('leaves a line if it throws in a handler that keeps errors to itself', async () => {
    const handler = createMcpHandler(() => {
      fail();
      return new McpServer({ name: 'one', version: '1.0.0' });
    });
    expect((await handler.fetch(modernCall('whoami', {}))).status).toBe(500);
    expect(lines).toEqual([expect.stringContaining('install() failed: TypeError: install(): ')]);
  });

  it('leaves it in the logger that it has', () => {
    const own: string[] = [];
    expect(() => fail({ warn: (line) => own.push(line) })).toThrow(TypeError);
    expect(own).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it.each([
    ['what only SDK 1.x needs', 'server', []],
    ['what both SDKs need', new McpServerV1({ name: 'one', version: '1.0.0' }), [undefined]],
  ])('leaves one line on SDK 1.x if it refuses %s', (_, server, definitions) => {
    expect(() => installV1(server as never, definitions as never)).toThrow(TypeError);
    expect(lines).toEqual([expect.stringContaining('install() failed: TypeError: install(): ')]);
  });
});

describe('authenticate', () => {
  it.each(reports)('leaves one line if it throws, %s', async (_, options) => {
    const authenticate = (): never => {
      throw new Error('the key server is down');
    };
    const handler = handlerOf(askingFactory().factory, { ...options, authenticate });
    expect((await handler.fetch(requests.modern())).status).toBe(500);
    expect(lines).toEqual(['mcp-resolve: `authenticate` failed: Error: the key server is down']);
  });

  it('leaves one line if it throws the OAuthError of a failed server', async () => {
    const authenticate = (): never => {
      throw new OAuthError(OAuthErrorCode.ServerError, 'the key server is down');
    };
    const handler = handlerOf(askingFactory().factory, { authenticate });
    expect((await handler.fetch(requests.modern())).status).toBe(500);
    expect(lines).toHaveLength(1);
  });

  it('leaves one line if requireBearerAuth hides the error of a verifier', async () => {
    const verifyAccessToken = (): never => {
      throw new Error('the key server is down');
    };
    const authenticate = requireBearerAuth({ verifier: { verifyAccessToken } });
    const handler = handlerOf(askingFactory().factory, { authenticate });
    const request = modernCall('whoami', {}, { authorization: 'Bearer ann' });
    expect((await handler.fetch(request)).status).toBe(500);
    expect(lines).toEqual([expect.stringContaining('its verifier threw an error')]);
  });
});

describe('a body that the app has read', () => {
  const sentence =
    'The app has read the body of this request before the handler. Pass on what it has read: handler.fetch(request, { parsedBody }), or handler.node(request, response, parsedBody).';

  it.each(eras)('is refused with the remedy, in the response and in the log (%s)', async (era) => {
    const handler = handlerOf(askingFactory().factory);
    const app = new Hono();
    app.all('/mcp', async (c) => {
      await c.req.json();
      return handler.fetch(c.req.raw);
    });
    const refusal = await refusalOf(await app.request(requests[era]()));
    expect(refusal).toMatchObject({ status: 500, code: -32603, message: sentence });
    expect(lines).toEqual([`mcp-resolve: A request failed: Error: ${sentence}`]);
  });

  it.each(eras)('is refused if the app holds a reader (%s)', async (era) => {
    const handler = handlerOf(askingFactory().factory);
    const request = requests[era]();
    request.body!.getReader();
    expect(await refusalOf(await handler.fetch(request))).toMatchObject({ message: sentence });
    expect(lines).toHaveLength(1);
  });

  it('is refused if authenticate reads it, too', async () => {
    const authenticate = async (request: Request) => {
      await request.text();
      return { token: 'ann', clientId: 'app', scopes: [] };
    };
    const handler = handlerOf(askingFactory().factory, { authenticate });
    const request = requests.modern();
    await request.text();
    expect(await refusalOf(await handler.fetch(request))).toMatchObject({ message: sentence });
    expect(lines).toEqual([expect.stringContaining(sentence)]);
  });

  it.each(eras)('can be passed on, parsed or as it came (%s)', async (era) => {
    const handler = handlerOf(askingFactory().factory);
    const bytesOf = async (request: Request) => new Uint8Array(await request.arrayBuffer());
    for (const read of ['json', 'text', 'arrayBuffer', bytesOf] as const) {
      const request = requests[era]();
      const parsedBody: unknown = await (typeof read === 'string'
        ? request[read]()
        : read(request));
      expect((await handler.fetch(request, { parsedBody })).status).toBe(200);
    }
    expect(lines).toEqual([]);
  });

  it('is refused over Node, unless the app passes it on', async () => {
    const handler = handlerOf(askingFactory().factory);
    const server = createServer((request, response) => {
      void text(request).then((read) => {
        handler.node(request, response, request.url === '/passed' ? read : undefined);
      });
    }).listen(0, '127.0.0.1');
    closeAfterTest(async () => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const send = (path: string) => fetch(post(initialize, {}, `http://127.0.0.1:${port}${path}`));

    expect(await refusalOf(await send('/'))).toMatchObject({ status: 500, message: sentence });
    expect(lines).toHaveLength(1);
    expect((await send('/passed')).status).toBe(200);
  });
});
