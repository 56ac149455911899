/**
 * The checks of the SDK that run before a tool: headers that repeat arguments, and the limit of
 * elements. They apply to a definition as to a tool that the author registered.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { defineTool, install } from 'mcp-resolve';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { sdkHas } from '../support/sdk.js';
import { httpHandler, SILENT } from '../support/servers.js';
import { post } from '../support/wire.js';

const INFO = { name: 'shop', version: '1.0.0' };
const NAMES = ['definition', 'registered'] as const;

/** The names of the tools that ran. */
const ran: string[] = [];
afterEach(() => void ran.splice(0));

/** Creates servers with one tool: a definition, or one that the author registered. */
function factoryFor(name: (typeof NAMES)[number], inputSchema: z.ZodObject, options: object = {}) {
  const body = (): string => {
    ran.push(name);
    return 'done';
  };
  const definition = defineTool(name, { inputSchema }, body);
  return () => {
    const server = new McpServer(INFO, options);
    if (name === 'definition') install(server, [definition], { logger: SILENT });
    else
      server.registerTool(name, { inputSchema }, () => ({
        content: [{ type: 'text', text: body() }],
      }));
    return server;
  };
}

describe('an argument that a header repeats', () => {
  const Region = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
  const send = (name: (typeof NAMES)[number], headers: Record<string, string>) => {
    const params = { name, arguments: { region: 'eu' } };
    return post(httpHandler(factoryFor(name, Region)), 'tools/call', params, { headers });
  };

  test.each(NAMES)('reaches the tool if both are the same: %s', async (name) => {
    const { status, body } = await send(name, { 'mcp-param-region': 'eu' });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ content: [{ text: 'done' }] });
    expect(ran).toEqual([name]);
  });

  const mistakes: readonly (readonly [what: string, headers: Record<string, string>])[] = [
    ['differs', { 'mcp-param-region': 'us' }],
    ['is missing', {}],
    ['cannot be decoded', { 'mcp-param-region': '=?base64?!?=' }],
  ];
  describe.each(mistakes)('if the header %s', (_, headers) => {
    test.each(NAMES)('is refused with status 400: %s', async (name) => {
      const { status, body } = await send(name, headers);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({
        code: -32_020,
        data: { mismatch: { header: 'Mcp-Param-Region' } },
      });
      expect(ran).toEqual([]);
    });
  });

  test.each(NAMES)('the name in the header has to be that of the call: %s', async (name) => {
    const other = NAMES.find((one) => one !== name)!;
    const { status, body } = await send(name, { 'mcp-name': other, 'mcp-param-region': 'eu' });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: -32_020 });
    expect(ran).toEqual([]);
  });
});

describe.each(eras)('maxToolInputElements on the %s era', (era) => {
  const Items = z.object({ items: z.array(z.number()) });
  const call = async (name: (typeof NAMES)[number], items: number[]) => {
    const { call } = await connectClient(era, factoryFor(name, Items, { maxToolInputElements: 3 }));
    return call(name, { items });
  };

  test.each(NAMES)('lets fewer arguments through: %s', async (name) => {
    expect(await call(name, [1, 2])).toMatchObject({ content: [{ text: 'done' }] });
    expect(ran).toEqual([name]);
  });

  test.each(NAMES)('refuses more arguments before the body: %s', async (name) => {
    const result = await call(name, [1, 2, 3]);
    if (!sdkHas('maxToolInputElements')) {
      expect(result).toMatchObject({ content: [{ text: 'done' }] });
      return;
    }
    const text = `Invalid arguments for tool ${name}: arguments contain more than the maximum of 3 elements`;
    expect(result).toMatchObject({ isError: true, content: [{ text }] });
    expect(ran).toEqual([]);
  });
});
