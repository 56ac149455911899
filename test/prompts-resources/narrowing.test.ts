/**
 * `install(server, definitions, { request })`: of all definitions, a server that lives for one HTTP
 * request gets the one that the request names, by method and by name or uri.
 */
import { completable, McpServer, Server } from '@modelcontextprotocol/server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  install,
  resolver,
} from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';
import { get, layers, newServer, read, template } from './library.js';

const Trip = z.object({ city: completable(z.string(), () => ['Lyon']) });
const sure = resolver({ city: argsOf(Trip).city }, ({ city }) => confirm(`Go to ${city}?`));
const config = { resolve: { sure } };
const body = ({ city }: { city: string }): string => `went to ${city}`;

const definitions = [
  defineTool('go', { inputSchema: Trip, ...config }, body),
  definePrompt('go', { argsSchema: Trip, ...config }, body),
  definePrompt('other', {}, () => 'other'),
  defineResource('go', template('go://{city}'), { variables: Trip, ...config }, body),
  defineResource('home', 'go://home', {}, () => 'at home'),
  defineResource('site', 'https://example.com', {}, () => 'site'),
];

/** What the server of each request was given. */
function watched() {
  const attached: string[][] = [];
  const factory = (request: McpRequestContext) => {
    const server = new McpServer({ name: 'narrow', version: '1.0.0' });
    const tools = vi.spyOn(server, 'registerTool');
    const prompts = vi.spyOn(server, 'registerPrompt');
    const resources = vi.spyOn(server, 'registerResource');
    install(server, definitions, { request });
    attached.push([
      ...tools.mock.calls.map(([name]) => `tool ${name}`),
      ...prompts.mock.calls.map(([name]) => `prompt ${name}`),
      ...resources.mock.calls.map(([name]) => `resource ${name}`),
    ]);
    return server;
  };
  return { factory, attached };
}

const ALL = [
  'tool go',
  'prompt go',
  'prompt other',
  'resource go',
  'resource home',
  'resource site',
];
const LYON = { arguments: { city: 'Lyon' } };

describe('what is attached', () => {
  test.each<[string, string, Record<string, unknown>, string[]]>([
    ['a tool', 'tools/call', { name: 'go', ...LYON }, ['tool go']],
    ['a prompt of the same name', 'prompts/get', { name: 'go', ...LYON }, ['prompt go']],
    ['another prompt', 'prompts/get', { name: 'other' }, ['prompt other']],
    ['a uri of a template', 'resources/read', { uri: 'go://Lyon' }, ['resource go']],
    [
      'a fixed uri that a template matches',
      'resources/read',
      { uri: 'go://home' },
      ['resource go', 'resource home'],
    ],
    ['a fixed uri', 'resources/read', { uri: 'https://example.com/' }, ['resource site']],
    [
      'a fixed uri in another form',
      'resources/read',
      { uri: 'https://EXAMPLE.com' },
      ['resource site'],
    ],
    ['a prompt that is not there', 'prompts/get', { name: 'nope' }, ALL],
    ['a uri that is nowhere', 'resources/read', { uri: 'nope://x' }, ALL],
    ['a uri that is none', 'resources/read', { uri: 'nope' }, ALL],
    ['the list of prompts', 'prompts/list', {}, ALL],
    ['the list of resources', 'resources/list', {}, ALL],
    ['the list of templates', 'resources/templates/list', {}, ALL],
    [
      'a completion',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'go' }, argument: { name: 'city', value: '' } },
      ALL,
    ],
  ])('A11: for %s', async (_, method, params, expected) => {
    const { factory, attached } = watched();
    await post(httpHandler(factory), method, params, { capabilities: { elicitation: {} } });

    expect(attached).toEqual([expected]);
  });
});

describe.each(layers)('on %s', (layer) => {
  const factory = (request: McpRequestContext): McpServer | Server => {
    const server = newServer(layer);
    install(server, definitions, { request });
    return server;
  };

  test('A11: everything works as without it', async () => {
    const chat = await connectClient('modern', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await chat.text('go', { city: 'Lyon' })).toBe('went to Lyon');
    expect(await get(chat, 'go', { city: 'Lyon' })).toBe('went to Lyon');
    expect(await get(chat, 'other')).toBe('other');
    expect(await read(chat, 'go://Lyon')).toBe('went to Lyon');
    expect(await read(chat, 'go://home')).toBe('at home');
    expect(await read(chat, 'https://example.com')).toBe('site');
    expect((await chat.client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'go',
      'other',
    ]);
    expect((await chat.client.listResources()).resources.map(({ name }) => name)).toEqual([
      'home',
      'site',
    ]);
    expect((await chat.client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    const { completion } = await chat.client.complete({
      ref: { type: 'ref/prompt', name: 'go' },
      argument: { name: 'city', value: '' },
    });
    expect(completion.values).toEqual(['Lyon']);
    expect(await protocolErrorOf(get(chat, 'nope'))).toEqual({
      code: -32602,
      message: 'Prompt nope not found',
    });
    expect(await protocolErrorOf(read(chat, 'nope://x'))).toMatchObject({ code: -32602 });
  });

  test('A11: a uri that a header can only hold encoded is read all the same', async () => {
    const chat = await connectClient('modern', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await read(chat, 'go://Zürich')).toBe('went to Z%C3%BCrich');
    expect(chat.asked).toEqual(['Go to Z%C3%BCrich?']);
  });

  test('A11: a 2025 client of the same factory gets everything', async () => {
    const chat = await connectClient('legacy', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await get(chat, 'go', { city: 'Lyon' })).toBe('went to Lyon');
    expect(await read(chat, 'go://Lyon')).toBe('went to Lyon');
    expect(await get(chat, 'other')).toBe('other');
    expect(await read(chat, 'go://home')).toBe('at home');
  });
});

test('A11: on a low-level Server the author’s own answer what the request names of theirs', async () => {
  const factory = (request: McpRequestContext) => {
    const server = new Server(
      { name: 'narrow', version: '1.0.0' },
      { capabilities: { prompts: {}, resources: {} } },
    );
    server.setRequestHandler('prompts/get', ({ params }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${params.name} by hand` } }],
    }));
    install(server, definitions, { request });
    server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
      contents: [{ uri, text: `${uri} by hand` }],
    }));
    return server;
  };
  const chat = await connectClient('modern', factory, { elicit: () => accept({ confirm: true }) });

  expect(await get(chat, 'theirs')).toBe('theirs by hand');
  expect(await get(chat, 'go', { city: 'Lyon' })).toBe('went to Lyon');
  expect(await read(chat, 'their://1')).toBe('their://1 by hand');
  expect(await read(chat, 'go://Lyon')).toBe('went to Lyon');
});
