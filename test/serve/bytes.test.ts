/** The limits on bytes: request bodies, and the open calls and questions of legacy sessions. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, install, resolver } from 'mcp-resolve';
import { createDualEraHandler, type DualEraHandlerOptions, serveHttp } from 'mcp-resolve/node';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { deferred } from '../support/deferred.js';
import { closeAfterTest } from '../support/servers.js';
import { newHandler, serve } from './handlers.js';
import {
  at,
  ENDPOINT,
  get,
  headersWith,
  initialize,
  messagesOn,
  modernCall,
  openSession,
  post,
  refusalOf,
  remove,
  slowRequest,
  toolCall,
  withSession,
} from './rawHttp.js';

const token = { token: 'signed', clientId: 'ada', scopes: [] };

describe('authenticate', () => {
  it('refuses a request before its body has arrived', async () => {
    const { url } = await serve({ authenticate: () => undefined });
    const outgoing = request(url, {
      method: 'POST',
      headers: headersWith({ 'content-length': '4000000' }),
    });
    outgoing.on('error', () => undefined);
    outgoing.write('{');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(incoming.statusCode).toBe(401);
    outgoing.destroy();
  });

  it('does not read the body of a web-standard request that it refuses', async () => {
    const { handler } = newHandler({ authenticate: () => undefined });
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    const unread = new Request(ENDPOINT, { ...init, headers: headersWith({}) });
    expect((await handler.fetch(unread)).status).toBe(401);
    expect(pull).not.toHaveBeenCalled();
  });

  it('can read the body, which the handler then parses', async () => {
    let seen = '';
    const { handler } = newHandler({
      authenticate: async (incoming) => {
        seen = await incoming.text();
        return token;
      },
    });
    expect((await handler.fetch(post(initialize))).status).toBe(200);
    expect(JSON.parse(seen)).toEqual(initialize);
  });

  it.each([
    ['returns a token', () => token],
    ['refuses', () => undefined],
    ['fails', () => Promise.reject(new Error('bad signature'))],
  ])('leads to 413 if it reads a body that is too long, and then %s', async (_, decide) => {
    const { handler } = newHandler({
      maxRequestBodySize: 1000,
      onerror: () => undefined,
      authenticate: async (incoming) => {
        await incoming.text().catch(() => '');
        return decide();
      },
    });
    expect((await handler.fetch(post({ long: 'x'.repeat(2000) }))).status).toBe(413);
  });
});

describe('maxBufferedBytes', () => {
  const limits = { maxRequestBodySize: 1000, maxBufferedBytes: 4000 };
  const clientInfo = { name: 'x'.repeat(500), version: '1.0.0' };
  const padded = { ...initialize, params: { ...initialize.params, clientInfo } };

  it('limits the bodies that are being read', async () => {
    const { handler } = newHandler(limits);
    const { incoming, send, end } = slowRequest();
    const slow = handler.fetch(incoming);
    const text = JSON.stringify(padded);
    await send(text.slice(0, 600));

    const refused = await handler.fetch(post(padded));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refusalOf(refused)).toMatchObject({
      status: 429,
      message:
        'Too many bytes are waiting: the requests in progress of one user, or of all clients without a token, have reached their limit. Wait until some of them have finished, then try again.',
    });

    await send(text.slice(600));
    end();
    expect((await slow).status).toBe(200);
    expect((await handler.fetch(post(padded))).status).toBe(200);
  });

  it('has room again after a request that was refused or not JSON', async () => {
    const { handler } = newHandler({ ...limits, authenticate: readAndRefuse });
    for (let time = 0; time < 5; time += 1) {
      expect((await handler.fetch(post(padded))).status).toBe(401);
    }
    const open = newHandler(limits).handler;
    for (let time = 0; time < 5; time += 1) {
      expect((await open.fetch(post(`{"x":"${'x'.repeat(800)}"`))).status).toBe(400);
    }
    expect((await open.fetch(post(padded))).status).toBe(200);
  });

  async function readAndRefuse(incoming: Request): Promise<undefined> {
    await incoming.text();
    return undefined;
  }

  it('counts the bytes of a modern call until it has ended', async () => {
    const started = deferred();
    const release = deferred();
    const Input = z.object({ note: z.string() });
    const slow = defineTool('slow', { inputSchema: Input }, async () => {
      started.resolve();
      await release.promise;
      return 'done';
    });
    const handler = createDualEraHandler(
      () => {
        const server = new McpServer({ name: 'slow', version: '1.0.0' });
        install(server, [slow]);
        return server;
      },
      { maxRequestBodySize: 1500, maxBufferedBytes: 6000 },
    );
    closeAfterTest(() => handler.close({ timeoutMs: 0 }));
    const call = () => handler.fetch(modernCall('slow', { note: 'x'.repeat(800) }));
    const first = call();
    await started.promise;
    expect((await call()).status).toBe(429);
    release.resolve();
    expect(await (await first).text()).toContain('done');
    expect(await (await call()).text()).toContain('done');
  });
});

describe('the open calls of legacy sessions', () => {
  const Input = z.object({ note: z.string(), shown: z.string().default('') });
  const args = argsOf(Input);
  const approval = resolver({ shown: args.shown }, ({ shown }) => confirm(`Sure? ${shown}`), {
    asks: 'form',
  });
  const keep = defineTool(
    'keep',
    { inputSchema: Input, resolve: { approval } },
    ({ note }) => `kept ${note.length}`,
  );

  function handlerWith(options: DualEraHandlerOptions) {
    const handler = createDualEraHandler(
      () => {
        const server = new McpServer({ name: 'kept', version: '1.0.0' });
        install(server, [keep], { logger: { warn: () => undefined } });
        return server;
      },
      { maxRequestBodySize: 2000, maxTotalSessionBytes: 4 * 4500, ...options },
    );
    closeAfterTest(() => handler.close({ timeoutMs: 0 }));
    return handler;
  }

  const yes = (id: unknown) => ({
    jsonrpc: '2.0',
    id,
    result: { action: 'accept', content: { confirm: true } },
  });

  /** Sends a call and waits for its question. */
  async function ask(handler: ReturnType<typeof handlerWith>, session: string, id: number) {
    const headers = withSession(session);
    const call = toolCall('keep', id, { note: 'x'.repeat(1500) });
    const response = await handler.fetch(post(call, headers));
    if (response.status !== 200) return { refusal: await refusalOf(response) };
    const messages = messagesOn(response);
    const { id: question } = await messages.next();
    const answer = async () => {
      await handler.fetch(post(yes(question), headers));
      return (await messages.next()).result?.content[0]?.text;
    };
    return { answer, messages, refusal: undefined };
  }

  const refused = {
    status: 429,
    code: -32000,
    message:
      'Too many bytes are waiting: the open calls and questions of this session, or of all your sessions, have reached their limit. Answer or cancel some of them, or try again later.',
    id: 4,
  };

  it('are limited by maxSessionBytes, and by it alone', async () => {
    const handler = handlerWith({ maxSessionBytes: 4500, maxTotalSessionBytes: 40_000 });
    const session = await openSession(handler);
    const first = await ask(handler, session, 2);
    const second = await ask(handler, session, 3);
    expect((await ask(handler, session, 4)).refusal).toEqual(refused);

    const other = await openSession(handler);
    expect(await (await ask(handler, other, 2)).answer?.()).toBe('kept 1500');
    expect(await first.answer?.()).toBe('kept 1500');
    const third = await ask(handler, session, 4);
    expect(await second.answer?.()).toBe('kept 1500');
    expect(await third.answer?.()).toBe('kept 1500');
  });

  it('are limited by a quarter of maxTotalSessionBytes in all sessions of a user', async () => {
    const handler = handlerWith({ maxSessionBytes: 4500 });
    const [one, other] = [await openSession(handler), await openSession(handler)];
    const first = await ask(handler, one, 2);
    await ask(handler, other, 3);
    expect((await ask(handler, one, 4)).refusal).toEqual(refused);
    expect(await first.answer?.()).toBe('kept 1500');
    expect((await ask(handler, one, 4)).refusal).toBeUndefined();
  });

  it('make room when they are cancelled, and when their session ends', async () => {
    const handler = handlerWith({ maxSessionBytes: 2000, maxTotalSessionBytes: 8000 });
    const one = await openSession(handler);
    for (let time = 0; time < 3; time += 1) {
      expect((await ask(handler, one, 2)).refusal).toBeUndefined();
      const params = { requestId: 2 };
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
      await handler.fetch(post(cancelled, withSession(one)));
    }
    for (let time = 0; time < 3; time += 1) {
      const session = await openSession(handler);
      expect((await ask(handler, session, 2)).refusal).toBeUndefined();
      await handler.fetch(remove(withSession(session)));
    }
  });

  it('still count after their client has gone', async () => {
    const handler = handlerWith({ maxSessionBytes: 2000 });
    const session = await openSession(handler);
    const { messages } = await ask(handler, session, 2);
    await messages?.cancel();
    expect((await ask(handler, session, 4)).refusal).toEqual(refused);
  });

  it('count in a batch until the last of them has ended', async () => {
    const handler = handlerWith({ maxSessionBytes: 2000 });
    const id = await openSession(handler);
    const session = { ...withSession(id), 'mcp-protocol-version': '2025-03-26' };
    const batch = [
      toolCall('keep', 2, { note: 'x'.repeat(1200) }),
      { jsonrpc: '2.0', id: 3, method: 'ping' },
    ];
    const messages = messagesOn(await handler.fetch(post(batch, session)));
    const received = [await messages.next(), await messages.next()];
    expect(received.map(({ id: of, method }) => method ?? of).sort()).toEqual([
      3,
      'elicitation/create',
    ]);
    expect((await ask(handler, id, 4)).refusal).toEqual(refused);
    const question = received.find(({ method }) => method !== undefined);
    await handler.fetch(post(yes(question?.id), session));
    expect((await messages.next()).result?.content[0]?.text).toBe('kept 1200');
    expect((await ask(handler, id, 4)).refusal).toBeUndefined();
  });

  it('count as a whole if a framework has parsed them', async () => {
    const handler = handlerWith({ maxSessionBytes: 2000 });
    const session = await openSession(handler);
    const call = (id: number) => toolCall('keep', id, { note: 'x'.repeat(1500) });
    const send = (id: number) =>
      handler.fetch(post('', withSession(session)), { parsedBody: call(id) });
    expect((await send(2)).status).toBe(200);
    expect((await send(4)).status).toBe(429);
  });

  it('fail if their question does not fit, and release their bytes', async () => {
    const handler = handlerWith({ maxSessionBytes: 2000 });
    const session = await openSession(handler);
    const call = toolCall('keep', 2, { note: '', shown: 'x'.repeat(1500) });
    for (let time = 0; time < 3; time += 1) {
      const messages = messagesOn(await handler.fetch(post(call, withSession(session))));
      expect((await messages.next()).result).toMatchObject({ isError: true });
    }
    expect(await (await ask(handler, session, 4)).answer?.()).toBe('kept 1500');
  });

  /** Serves a tool that asks `First?` and `Second?`, and opens a session. */
  async function twoQuestions(options: DualEraHandlerOptions) {
    const Two = z.object({ text: z.string() });
    const first = resolver({}, () => elicit('First?', Two), { asks: 'form', name: 'first' });
    const second = resolver({ first }, () => elicit('Second?', Two), {
      asks: 'form',
      name: 'second',
    });
    const two = defineTool('two', { resolve: { first, second } }, () => 'done');
    const { url, close } = await serveHttp(() => {
      const server = new McpServer({ name: 'two', version: '1.0.0' });
      install(server, [two], { logger: { warn: () => undefined } });
      return server;
    }, options);
    closeAfterTest(() => close({ timeoutMs: 0 }));
    const handler = at(url);
    const session = withSession(await openSession(handler));
    const call = async (id: string | number = 2, args: object = {}) =>
      messagesOn(await handler.fetch(post(toolCall('two', id, args), session)));
    const send = async (id: unknown, text: string) => {
      const result = { action: 'accept', content: { text } };
      return (await handler.fetch(post({ jsonrpc: '2.0', id, result }, session))).status;
    };
    return { call, send };
  }

  it('count with the answers to their questions', async () => {
    const { call, send } = await twoQuestions({ maxRequestBodySize: 2000, maxSessionBytes: 2500 });
    const messages = await call();
    await send((await messages.next()).id, 'x'.repeat(1500));
    const { id } = await messages.next();
    expect(await send(id, 'x'.repeat(1500))).toBe(429);
    expect(await send(id, 'x')).toBe(202);
    expect((await messages.next()).result?.content[0]?.text).toBe('done');
    expect(await (await call(9, { x: 'x'.repeat(1700) })).next()).toHaveProperty('method');
  });

  // The SDK finds the question of an answer with `Number(id)`.
  const spellings: [string, (id: number) => unknown][] = [
    ['a number', (id) => id],
    ['a decimal string', (id) => `${id}`],
    ['a string with a fraction', (id) => `${id}.0`],
    ['a string with spaces', (id) => ` ${id} `],
    ['a hexadecimal string', (id) => `0x${id.toString(16)}`],
    ['a string with an exponent', (id) => `${id}e0`],
    ['an empty string for 0', (id) => (id === 0 ? '' : `${id}`)],
  ];

  it.each(spellings)('count with answers whose id is %s', async (_, spelling) => {
    const { call, send } = await twoQuestions({ maxRequestBodySize: 2000, maxSessionBytes: 2500 });
    const messages = await call();
    expect(await send(spelling((await messages.next()).id as number), 'x'.repeat(1500))).toBe(202);
    const second = spelling((await messages.next()).id as number);
    expect(await send(second, 'x'.repeat(1500))).toBe(429);
    expect(await send(second, '')).toBe(202);
    expect((await messages.next()).result?.content[0]?.text).toBe('done');
  });

  it.each(spellings)('close questions answered with %s as the id', async (_, spelling) => {
    const { call, send } = await twoQuestions({ maxOpenQuestions: 1 });
    for (let id = 2; id < 5; id += 1) {
      const messages = await call(id);
      await send(spelling((await messages.next()).id as number), 'a');
      await send(spelling((await messages.next()).id as number), 'b');
      expect((await messages.next()).result?.content[0]?.text).toBe('done');
    }
  });

  it.each([
    ['a fraction', (id: number) => id + 0.5, 400],
    ['a string with another number', (id: number) => `${id}.5`, 202],
    ['a string without a number', (id: number) => `${id}th`, 202],
  ])('still wait for an answer after one whose id is %s', async (_, other, status) => {
    const { call, send } = await twoQuestions({ maxOpenQuestions: 1 });
    const messages = await call();
    const { id } = await messages.next();
    expect(await send(other(id as number), 'a')).toBe(status);
    const refused = (await (await call(3)).next()).result;
    expect(refused).toMatchObject({ isError: true });
    await send(id, 'a');
    await send((await messages.next()).id, 'b');
    expect((await messages.next()).result?.content[0]?.text).toBe('done');
  });

  it('have ids of their own if one is a string and the other the same number', async () => {
    const { call, send } = await twoQuestions({ maxSessionBytes: 5_000_000 });
    const one = await call(2);
    const other = await call('2');
    for (const messages of [one, other]) {
      await send((await messages.next()).id, 'a');
      await send((await messages.next()).id, 'b');
    }
    expect((await one.next()).id).toBe(2);
    expect((await other.next()).id).toBe('2');
  });

  it('do not keep other requests from the session', async () => {
    const handler = handlerWith({ maxSessionBytes: 2000 });
    const session = await openSession(handler);
    const { answer } = await ask(handler, session, 2);
    const params = { _meta: { padding: 'x'.repeat(1000) } };
    const long = { jsonrpc: '2.0', method: 'notifications/initialized', params };
    expect((await handler.fetch(post(long, withSession(session)))).status).toBe(202);
    expect(await answer?.()).toBe('kept 1500');
  });
});

describe('a refused request whose client still sends', () => {
  it.each([
    ['401', { authenticate: () => undefined }],
    ['413', { maxRequestBodySize: 1000 }],
    ['403', { allowedHosts: ['mcp.example.com'] }],
  ])('gets %s, even if it asked to close the connection', async (status, options) => {
    const { url } = await serve(options);
    for (let time = 0; time < 10; time += 1) {
      const headers = headersWith({ connection: 'close', 'content-length': '3000000' });
      const outgoing = request(url, { method: 'POST', headers, agent: false });
      const closed = once(outgoing, 'close');
      outgoing.end('x'.repeat(3_000_000));
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect(String(incoming.statusCode)).toBe(status);
      incoming.resume();
      await closed;
    }
  });
});

it.each(['close', 'keep-alive'])(
  'a chunked body that is too long can be sent to its end, with Connection: %s',
  async (connection) => {
    const { url } = await serve({ maxRequestBodySize: 1000 });
    const headers = headersWith({ connection, 'transfer-encoding': 'chunked' });
    const outgoing = request(url, { method: 'POST', headers, agent: false });
    const [sent, answered] = [once(outgoing, 'finish'), once(outgoing, 'response')];
    for (let time = 0; time < 200; time += 1) outgoing.write('x'.repeat(50_000));
    outgoing.end();
    const [incoming] = (await answered) as [IncomingMessage];
    expect(incoming.statusCode).toBe(413);
    incoming.resume();
    await sent;
    outgoing.destroy();
  },
);

describe('an initialize of a legacy client', () => {
  it('is refused if it has more than 64 KiB, because the session keeps it', async () => {
    const { handler } = newHandler();
    const clientInfo = { name: 'x'.repeat(66_000), version: '1.0.0' };
    const long = { ...initialize, params: { ...initialize.params, clientInfo } };
    expect(await refusalOf(await handler.fetch(post(long)))).toMatchObject({
      status: 413,
      message: 'Payload Too Large: An initialize request must not exceed 65536 bytes',
    });
    expect(handler.sessionCount).toBe(0);
  });
});

describe('a legacy call with an id that is in use', () => {
  it.each([
    ['in another request', (call: object) => [call, call]],
    ['in the same batch', (call: object) => [[call, call]]],
  ])('is refused: %s', async (_, requests) => {
    const { handler, observed } = newHandler();
    const session = withSession(await openSession(handler));
    const batches = { ...session, 'mcp-protocol-version': '2025-03-26' };
    const call = toolCall('greet', 2, { greeting: 'Hello' });
    const responses = [];
    for (const body of requests(call)) responses.push(await handler.fetch(post(body, batches)));
    expect(await refusalOf(responses.at(-1)!)).toMatchObject({
      status: 400,
      code: -32600,
      message: 'Invalid Request: the request id is already in use in this session. Use a new id.',
    });
    expect(observed.entered.length).toBe(responses.length - 1);
  });
});

it('runs one of several simultaneous legacy calls with one id, and leaks no bytes', async () => {
  const { handler, observed } = newHandler({
    maxRequestBodySize: 1000,
    maxSessionBytes: 2000,
    maxTotalSessionBytes: 8000,
  });
  for (let time = 0; time < 3; time += 1) {
    observed.entered.length = 0;
    const session = withSession(await openSession(handler));
    const call = toolCall('greet', 2, { greeting: 'x'.repeat(400) });
    const calls = Array.from({ length: 3 }, () => handler.fetch(post(call, session)));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400, 400]);
    expect(observed.entered).toHaveLength(1);
    await handler.fetch(remove(session));
  }
});

it('authenticates a GET although a body parser has set an empty body', async () => {
  const { handler } = newHandler({ authenticate: () => token });
  const session = withSession(await openSession(handler));
  const stream = await handler.fetch(get(session), { parsedBody: {} });
  expect(stream.status).toBe(200);
  await stream.body?.cancel();
});

describe('the body of a request', () => {
  it('no longer counts if authenticate returns before it has read it', async () => {
    const { handler } = newHandler({
      maxRequestBodySize: 1000,
      maxBufferedBytes: 4000,
      authenticate: (incoming) => {
        void incoming.text().catch(() => undefined);
        return undefined;
      },
    });
    for (let time = 0; time < 5; time += 1) {
      expect((await handler.fetch(post({ long: 'x'.repeat(800) }))).status).toBe(401);
    }
  });

  it('can be read by authenticate, although a framework has parsed it', async () => {
    const seen: string[] = [];
    const { handler } = newHandler({
      authenticate: async (incoming) => {
        seen.push(await incoming.text());
        return token;
      },
    });
    expect((await handler.fetch(post(''), { parsedBody: initialize })).status).toBe(200);
    expect(JSON.parse(seen[0]!)).toEqual(initialize);
  });
});

describe('a limit on bytes', () => {
  it('follows a larger maxRequestBodySize by default', async () => {
    const { handler } = newHandler({ maxRequestBodySize: 100 * 1024 * 1024 });
    expect((await handler.fetch(post(initialize))).status).toBe(200);
  });

  const served = (options: DualEraHandlerOptions) =>
    serveHttp(() => new McpServer({ name: 'x', version: '1' }), options);

  it('must let the longest request pass: maxSessionBytes', async () => {
    const sentence =
      'serveHttp(): `maxSessionBytes` must be at least `maxRequestBodySize`, which is 4194304 bytes, got 1000.';
    await expect(served({ maxSessionBytes: 1000 })).rejects.toThrow(new TypeError(sentence));
  });

  it.each(['maxBufferedBytes', 'maxTotalSessionBytes'])(
    'must let the longest request of one user pass: %s',
    async (name) => {
      const sentence = `serveHttp(): \`${name}\` must be at least 16777216, which is 4 times \`maxRequestBodySize\`, got 16777215. One user may hold a quarter of it. Raise it, or lower \`maxRequestBodySize\`.`;
      await expect(served({ [name]: 16_777_215 })).rejects.toThrow(new TypeError(sentence));
      await (await served({ [name]: 16_777_216 })).close();
    },
  );
});
