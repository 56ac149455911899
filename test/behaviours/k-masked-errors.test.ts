/** What `errors: 'toolErrorsOnly'` keeps from the model, whatever goes wrong and wherever. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { defineTool, install, resolver, sample } from 'mcp-resolve';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf } from '../support/results.js';

const SECRET = 'the password is hunter2';

const failing = defineTool('fail', {}, () => {
  throw new Error(SECRET);
});
const badSchema = z.object({
  id: z.string().transform((): string => {
    throw new Error(SECRET);
  }),
});
const unchecked = defineTool('check', { inputSchema: badSchema }, ({ id }) => id);

const layers = {
  McpServer: () => new McpServer({ name: 'masked', version: '1.0.0' }),
  Server: () => new Server({ name: 'masked', version: '1.0.0' }),
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(layers))('K3 on %s', (_, make) => {
  const masked = (onerror: (error: Error) => void) => () => {
    const server = make();
    (server instanceof McpServer ? server.server : server).onerror = onerror;
    install(server, [failing, unchecked], { errors: 'toolErrorsOnly' });
    return server;
  };

  test.each(eras)('an onerror that throws does not let the message out (%s)', async (era) => {
    const chat = await connectClient(
      era,
      masked((error) => {
        throw error;
      }),
    );
    expect(errorTextOf(await chat.client.callTool({ name: 'fail', arguments: {} }))).toBe(
      'Error executing tool fail: an unexpected error occurred',
    );
  });

  test.each(eras)('a schema that throws finds the arguments invalid (%s)', async (era) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const chat = await connectClient(
      era,
      masked(() => undefined),
    );
    expect(errorTextOf(await chat.client.callTool({ name: 'check', arguments: { id: 'x' } }))).toBe(
      'Input validation error: Invalid arguments for tool check: could not be checked',
    );
    expect(warn.mock.calls.flat().join()).toContain(SECRET);
  });
});

test('F14: a sample that cannot be sent says so, and not of a form', async () => {
  const params = {
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }],
    maxTokens: 1,
    metadata: { big: 1n as never },
  };
  const tool = defineTool(
    'ask',
    { resolve: { answer: resolver({}, () => sample(params)) } },
    () => '',
  );
  const { content } = await tool.call(undefined);
  expect(content).toEqual([
    expect.objectContaining({
      text: expect.stringContaining("Resolver 'answer' asks with what cannot be sent: ") as string,
    }),
  ]);
});
