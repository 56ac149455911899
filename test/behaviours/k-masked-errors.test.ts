/** K3: the messages that `errors: 'toolErrorsOnly'` hides from the model. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { defineTool, install } from 'mcp-resolve';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { onError } from '../support/servers.js';

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

const info = { name: 'masked', version: '1.0.0' };
const servers = {
  McpServer: () => new McpServer(info),
  Server: () => new Server(info),
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(servers))("K3: errors: 'toolErrorsOnly' with %s", (_, make) => {
  const masked = (listener: (error: Error) => void) => () => {
    const server = make();
    onError(server, listener);
    install(server, [failing, unchecked], { errors: 'toolErrorsOnly' });
    return server;
  };

  test.each(eras)('hides the message even if onerror throws, on the %s era', async (era) => {
    const { errorText } = await connectClient(
      era,
      masked((error) => {
        throw error;
      }),
    );
    expect(await errorText('fail')).toBe('Error executing tool fail: an unexpected error occurred');
  });

  test.each(eras)('hides the message of a schema that throws, on the %s era', async (era) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { errorText } = await connectClient(
      era,
      masked(() => undefined),
    );
    expect(await errorText('check', { id: 'x' })).toBe(
      'Input validation error: Invalid arguments for tool check: could not be validated',
    );
    expect(warn.mock.calls.flat().join()).toContain(SECRET);
  });
});
