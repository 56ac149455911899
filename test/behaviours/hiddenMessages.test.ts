/** K3: messages that stay hidden from the model, whatever fails beside the call. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { defineTool, install } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { onError, SILENT } from '../support/servers.js';

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

describe.each(Object.entries(servers))('with %s', (_, make) => {
  const masked = () => {
    const server = make();
    onError(server, (error) => {
      throw error;
    });
    install(server, [failing, unchecked], { logger: SILENT });
    return server;
  };

  test.each(eras)('K3: hides the message even if onerror throws (%s)', async (era) => {
    const { errorText } = await connectClient(era, masked);

    expect(await errorText('fail')).toBe('Error executing tool fail');
  });

  test.each(eras)('K3: hides the message of a schema that throws (%s)', async (era) => {
    const { errorText } = await connectClient(era, masked);

    expect(await errorText('check', { id: 'x' })).toBe(
      'Input validation error: Invalid arguments for tool check: could not be validated',
    );
  });
});
