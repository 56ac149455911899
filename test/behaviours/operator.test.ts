/** Z3, Z6: the operator reads every unexpected error, in `onerror` or in a line of the log. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver, ToolError } from 'mcp-resolve';
import type { InstallOptions, Logger, Tool } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';
import { accept, run } from 'mcp-resolve/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient, connectStateless } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf } from '../support/results.js';
import { httpHandler, onError, serving } from '../support/servers.js';
import { post } from '../support/wire.js';

const fail = (message: string) => (): never => {
  throw new TypeError(message);
};

/** Collects the lines of a logger. */
function collect(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = [];
  return { lines, logger: { warn: (line) => void lines.push(line) } };
}

const servers = {
  McpServer: () => new McpServer({ name: 'desk', version: '1.0.0' }),
  Server: () => new Server({ name: 'desk', version: '1.0.0' }),
};

describe.each(Object.entries(servers))('on %s', (_, create) => {
  const installed =
    (tool: Tool, options: InstallOptions, onerror?: (error: Error) => void) => () => {
      const server = create();
      if (onerror !== undefined) {
        (server instanceof McpServer ? server.server : server).onerror = onerror;
      }
      install(server, [tool], options);
      return server;
    };

  test.each(eras)(
    'Z3: logs one line with the id of the call if no onerror is set (%s)',
    async (era) => {
      const { lines, logger } = collect();
      const tool = defineTool('refund', {}, fail('no connection'));
      const client = await connectClient(era, installed(tool, { logger }));
      const { _meta } = await client.call('refund');
      const id = String(_meta?.['mcp-resolve/callId']);

      expect(lines).toEqual([`'refund' failed in call ${id}: TypeError: no connection`]);
    },
  );

  test.each(eras)('Z3: passes the error to onerror, and logs nothing (%s)', async (era) => {
    const { lines, logger } = collect();
    const errors: Error[] = [];
    const tool = defineTool('refund', {}, fail('no connection'));
    const client = await connectClient(
      era,
      installed(tool, { logger }, (error) => errors.push(error)),
    );
    await client.call('refund');

    expect(errors).toEqual([new TypeError('no connection')]);
    expect(lines).toEqual([]);
  });

  test('Z3: logs the error if onerror throws', async () => {
    const { lines, logger } = collect();
    const tool = defineTool('refund', {}, fail('no connection'));
    const client = await connectClient('modern', installed(tool, { logger }, fail('onerror')));
    await client.call('refund');

    expect(lines).toEqual([expect.stringMatching(/: TypeError: no connection$/) as string]);
  });
});

test('logs nothing for a ToolError or a refusal', async () => {
  const { lines, logger } = collect();
  const tools = [
    defineTool('unknown', {}, () => {
      throw new ToolError('unknown order');
    }),
    defineTool('guarded', { guards: [resolver({}, () => false)] }, () => ''),
  ];
  const client = await connectClient('modern', serving(tools, { logger }));
  await client.call('unknown');
  await client.call('guarded');

  expect(lines).toEqual([]);
});

test('Z6: escapes the control characters of an error, so that it cannot write lines of its own', async () => {
  const { lines, logger } = collect();
  const tool = defineTool('refund', {}, fail('a\nmcp-resolve: forged\r\u001B[31m\u202E'));
  await (await connectClient('modern', serving([tool], { logger }))).call('refund');

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/TypeError: a\\nmcp-resolve: forged\\r\\u\{001B\}\[31m\\u\{202E\}$/);
});

describe('a schema that throws', () => {
  const thrown = new TypeError('the password is hunter2');
  const throwing = (): never => {
    throw thrown;
  };
  const Input = z.object({ id: z.string().transform((): string => throwing()) });
  const tool = defineTool('refund', { inputSchema: Input }, ({ id }) => id);
  const LINE =
    "'refund': the schema threw TypeError while it validated arguments. A schema must return issues instead.";

  test.each(Object.entries(servers))(
    'reaches onerror of an %s as thrown, and a line names its class but not its message',
    async (_, create) => {
      const { lines, logger } = collect();
      const caught: unknown[] = [];
      const client = await connectClient('modern', () => {
        const server = create();
        onError(server, (error) => caught.push(error));
        install(server, [tool], { logger });
        return server;
      });

      expect(await client.errorText('refund', { id: 'x' })).not.toContain('hunter2');
      expect(caught).toHaveLength(1);
      expect(caught[0]).toBe(thrown);
      expect(lines).toEqual([LINE]);
    },
  );

  test('reaches onerror of the server of the request, also if it was built before others', async () => {
    const { logger } = collect();
    const caught: string[] = [];
    const connect = (name: string) =>
      connectClient('legacy', (ctx) => {
        const server = serving([tool], { logger })(ctx);
        onError(server, () => caught.push(name));
        return server;
      });
    const first = await connect('first');
    await connect('second');
    await first.call('refund', { id: 'x' });

    expect(caught).toEqual(['first']);
  });
});

describe('a seal that fails', () => {
  const asking = defineTool(
    'pay',
    { resolve: { ok: resolver({}, () => confirm('Pay?'), { asks: 'form' }) } },
    () => '',
  );
  const KEY = '0123456789abcdef0123456789abcdef';
  const options = { capabilities: { elicitation: {} } };

  test('Z6: tells the operator why a principal could not be determined', async () => {
    const { lines, logger } = collect();
    const errors: Error[] = [];
    const seal = requestStateSeal({ keys: [KEY], audience: 'desk', principal: fail('no tenant') });
    const handler = httpHandler(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      server.server.onerror = (error) => errors.push(error);
      install(server, [asking], { seal, logger });
      return server;
    });
    const { body } = await post(handler, 'tools/call', { name: 'pay', arguments: {} }, options);

    expect(body.error).toEqual({ code: -32603, message: 'Internal error' });
    expect(lines).toEqual(['requestState could not be sealed on tools/call: TypeError: no tenant']);
    expect(errors.map(({ cause }) => cause)).toEqual([new TypeError('no tenant')]);
  });

  test('Z6: leaves out the parts of a token that the error of a codec quotes', async () => {
    const { lines, logger } = collect();
    const codec = {
      seal: (bytes: Uint8Array) => `token.${Buffer.from(bytes).toString('base64')}`,
      unseal: (token: string) => JSON.parse(token) as Uint8Array,
    };
    const seal = requestStateSeal({ codec, audience: 'desk', principal: () => 'ada' });
    const handler = httpHandler(serving([asking], { seal, logger }));
    const params = { name: 'pay', arguments: {} };
    const asked = await post(handler, 'tools/call', params, options);
    const { requestState } = questionsOf(asked.body.result as never);
    await post(handler, 'tools/call', { ...params, requestState }, options);

    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^requestState rejected on tools\/call: codec error \(SyntaxError: /);
    expect(lines[0]).not.toContain(requestState.slice(0, 12));
  });

  test('names the remedy for an unknown key if the default key is in use', async () => {
    const { lines, logger } = collect();
    const handler = httpHandler(serving([asking], { logger }));
    const foreign = httpHandler(
      serving([asking], { seal: requestStateSeal({ keys: [KEY], audience: 'desk' }) }),
    );
    const params = { name: 'pay', arguments: {} };
    const asked = await post(foreign, 'tools/call', params, options);
    const { requestState } = questionsOf(asked.body.result as never);
    await post(handler, 'tools/call', { ...params, requestState }, options);

    expect(lines).toEqual([
      'requestState rejected on tools/call: unknown key. Each process has a default key of its own. To share keys, set the environment variable MCP_RESOLVE_KEYS, or pass { seal: requestStateSeal({ keys, audience }) } to install() or toolHandler(). A tool with `once` then needs a store that all processes share.',
    ]);
  });
});

describe('advice that is logged once', () => {
  const printed: string[] = [];

  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation((line: string) => void printed.push(line));
  });

  afterEach(() => {
    vi.restoreAllMocks();
    printed.length = 0;
  });

  test('says how to ask a legacy client whose host keeps no session', async () => {
    const { lines, logger } = collect();
    const asking = defineTool(
      'pay',
      { resolve: { ok: resolver({}, () => confirm('Pay?'), { asks: 'form' }) } },
      () => '',
    );
    const client = await connectStateless(httpHandler(serving([asking], { logger })), {
      elicitation: {},
    });
    const call = () => protocolErrorOf(client.callTool({ name: 'pay', arguments: {} }));

    expect((await call()).message).toContain('no back-channel');
    await call();
    expect(lines).toEqual([expect.stringContaining('createDualEraHandler()') as string]);
  });

  test.each([
    ['Host', { host: 'evil.example' }, 'allowedHosts'],
    ['Origin', { host: 'localhost', origin: 'https://evil.example' }, 'allowedOrigins'],
  ])('says which option refuses a request because of its %s', async (_, headers, option) => {
    const handler = createDualEraHandler(serving([defineTool('t', {}, () => '')]));
    const send = () =>
      handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' }));

    expect((await send()).status).toBe(403);
    expect((await send()).status).toBe(403);
    expect(printed.filter((line) => line.includes(`\`${option}\``))).toHaveLength(1);
    expect(printed.join()).not.toContain('evil.example');
    await handler.close();
  });

  test('logs the error of authenticate if the handler has no onerror', async () => {
    const handler = createDualEraHandler(serving([]), { authenticate: fail('no keys') });
    await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', body: '{}' }));

    expect(printed).toContain('mcp-resolve: `authenticate` failed: TypeError: no keys');
    await handler.close();
  });
});

test('the kit keeps warnings out of the output of a test', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const ok = resolver({}, () => confirm(`Pay? ${Math.random()}`), { asks: 'form' });
  const tool = defineTool('pay', { resolve: { ok } }, () => 'paid');
  await run(tool, {}, { answers: { ok: accept({ confirm: true }) }, maxRounds: 3 }).catch(
    () => undefined,
  );

  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
