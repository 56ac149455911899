/**
 * `tools/list` with `install(server, tools, { request })`. The client sees the same tools as
 * without the request, whatever the author does to the server.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { RegisteredTool } from '@modelcontextprotocol/server';
import { confirm, definePrompt, defineTool, install, resolver } from 'mcp-resolve';
import type { InstallOptions } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';

const info = { name: 'listing', version: '1.0.0' };
const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
const hidden = { resolve: { sure }, hideWhenCannotAsk: true } as const;
const tool = (name: string) => defineTool(name, { title: name.toUpperCase() }, () => 'ok');
const hiddenTool = (name: string) => defineTool(name, hidden, () => 'ok');

const [a, b, one] = [tool('a'), tool('b'), tool('1')];
const [h1, h2] = [hiddenTool('h1'), hiddenTool('h2')];
const hiddenPrompt = definePrompt('p', hidden, () => 'ok');

const registerOwn = (server: McpServer, name: string) =>
  server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content: [] }));

type Arrange = (server: McpServer, options: InstallOptions) => void;

/** Lists the tools for a client without capabilities, with and without the request. */
async function listBoth(arrange: Arrange): Promise<unknown[]> {
  const lists = [true, false].map(async (withRequest) => {
    const handler = httpHandler((request) => {
      const server = new McpServer(info, { capabilities: { tools: {} } });
      arrange(server, withRequest ? { request } : {});
      return server;
    });
    const { status, body } = await post(handler, 'tools/list', {});
    return { status, tools: body.result?.tools, error: body.error };
  });
  return Promise.all(lists);
}

describe('tools/list is the same with and without the request', () => {
  test.each<[string, Arrange, string[]]>([
    [
      'if the author registers tools before and after',
      (server, options) => {
        registerOwn(server, 'before');
        install(server, [a, b], options);
        registerOwn(server, 'after');
      },
      ['before', 'a', 'b', 'after'],
    ],
    [
      'if two arrays contain hidden tools',
      (server, options) => {
        install(server, [a, h1], options);
        install(server, [h2, b], options);
      },
      ['a', 'b'],
    ],
    [
      'if an array with a hidden prompt comes first',
      (server, options) => {
        install(server, [hiddenPrompt], options);
        install(server, [a, h1], options);
      },
      ['a'],
    ],
    [
      'if the name of a tool is a number',
      (server, options) => install(server, [a, one], options),
      ['1', 'a'],
    ],
    [
      'if the author sets a handler before',
      (server, options) => {
        server.server.setRequestHandler('tools/list', () => ({
          tools: [{ name: 'a', inputSchema: { type: 'object' } }],
        }));
        install(server, [a, b], options);
      },
      ['a'],
    ],
    [
      'if the author sets a handler after',
      (server, options) => {
        install(server, [a, b], options);
        server.server.setRequestHandler('tools/list', () => ({
          tools: [
            { name: 'own', inputSchema: { type: 'object' } },
            { name: 'b', inputSchema: { type: 'object' } },
          ],
        }));
      },
      ['own', 'a', 'b'],
    ],
    [
      'if the author wraps registerTool',
      (server, options) => {
        const register = server.registerTool.bind(server) as (...args: unknown[]) => RegisteredTool;
        server.registerTool = (name: string, ...rest: unknown[]) =>
          register(`shop_${name}`, ...rest);
        install(server, [a, b], options);
      },
      ['shop_a', 'shop_b'],
    ],
  ])('%s', async (_, arrange, names) => {
    const [withRequest, without] = await listBoth(arrange);
    expect(withRequest).toEqual(without);
    expect((without as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(names);
  });

  test.each<[string, Arrange]>([
    [
      'of the author',
      (server, options) => {
        registerOwn(server, 'b').disable();
        install(server, [a, b], options);
      },
    ],
    ['of the same array', (server, options) => install(server, [a, b, b], options)],
  ])('fails in the same way if a tool %s has the same name', async (_, arrange) => {
    const [withRequest, without] = await listBoth(arrange);
    expect(withRequest).toEqual(without);
    expect(without).toMatchObject({ status: 500 });
  });
});
