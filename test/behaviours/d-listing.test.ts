/**
 * Lists of tools with `install(server, tools, { request })`: a client sees what it sees without the
 * request, whatever the author does to the server.
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

const own = (server: McpServer, name: string) =>
  server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content: [] }));

type Arrange = (server: McpServer, options: InstallOptions) => void;

/** What a client that cannot be asked is told, with and without the request. */
async function lists(arrange: Arrange): Promise<unknown[]> {
  const told = [true, false].map(async (narrows) => {
    const handler = httpHandler((request) => {
      const server = new McpServer(info, { capabilities: { tools: {} } });
      arrange(server, narrows ? { request } : {});
      return server;
    });
    const { status, body } = await post(handler, 'tools/list', {});
    return { status, tools: body.result?.tools, error: body.error };
  });
  return Promise.all(told);
}

describe('the list is the same with and without the request', () => {
  test.each<[string, Arrange, string[]]>([
    [
      'among tools of the author',
      (server, options) => {
        own(server, 'before');
        install(server, [a, b], options);
        own(server, 'after');
      },
      ['before', 'a', 'b', 'after'],
    ],
    [
      'where two lists hide some',
      (server, options) => {
        install(server, [a, h1], options);
        install(server, [h2, b], options);
      },
      ['a', 'b'],
    ],
    [
      'after a list that hides a prompt',
      (server, options) => {
        install(server, [hiddenPrompt], options);
        install(server, [a, h1], options);
      },
      ['a'],
    ],
    [
      'with a name that is a number',
      (server, options) => install(server, [a, one], options),
      ['1', 'a'],
    ],
    [
      'where the author’s own handler was there before',
      (server, options) => {
        server.server.setRequestHandler('tools/list', () => ({
          tools: [{ name: 'a', inputSchema: { type: 'object' } }],
        }));
        install(server, [a, b], options);
      },
      ['a'],
    ],
    [
      'where the author’s own handler comes later',
      (server, options) => {
        install(server, [a, b], options);
        server.server.setRequestHandler('tools/list', () => ({
          tools: [{ name: 'b', inputSchema: { type: 'object' } }],
        }));
      },
      ['b'],
    ],
    [
      'where registering is wrapped',
      (server, options) => {
        const register = server.registerTool.bind(server) as (...args: unknown[]) => RegisteredTool;
        server.registerTool = (name: string, ...rest: unknown[]) =>
          register(`shop_${name}`, ...rest);
        install(server, [a, b], options);
      },
      ['shop_a', 'shop_b'],
    ],
  ])('%s', async (_, arrange, names) => {
    const [narrowed, all] = await lists(arrange);
    expect(narrowed).toEqual(all);
    expect((all as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(names);
  });

  test.each<[string, Arrange]>([
    [
      'the author’s',
      (server, options) => {
        own(server, 'b').disable();
        install(server, [a, b], options);
      },
    ],
    ['another of the list', (server, options) => install(server, [a, b, b], options)],
  ])('a name that is %s is refused', async (_, arrange) => {
    const [narrowed, all] = await lists(arrange);
    expect(narrowed).toEqual(all);
    expect(all).toMatchObject({ status: 500 });
  });
});
