/**
 * Tests `install(server, definitions, { request })`. A server that lives for one HTTP request gets
 * only the definition that the request names, by method and by name or uri.
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
const sure = resolver({ city: argsOf(Trip).city }, ({ city }) => confirm(`Go to ${city}?`), {
  asks: 'form',
});
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

/** Creates a factory that records the definitions on the server of each request. */
function recordingFactory() {
  const installed: string[][] = [];
  const factory = (request: McpRequestContext) => {
    const server = new McpServer({ name: 'narrow', version: '1.0.0' });
    const tools = vi.spyOn(server, 'registerTool');
    const prompts = vi.spyOn(server, 'registerPrompt');
    const resources = vi.spyOn(server, 'registerResource');
    install(server, definitions, { request });
    installed.push([
      ...tools.mock.calls.map(([name]) => `tool ${name}`),
      ...prompts.mock.calls.map(([name]) => `prompt ${name}`),
      ...resources.mock.calls.map(([name]) => `resource ${name}`),
    ]);
    return server;
  };
  return { factory, installed };
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

describe('install with a request adds only the definitions that are needed', () => {
  test.each<[string, string, Record<string, unknown>, string[]]>([
    ['a tool', 'tools/call', { name: 'go', ...LYON }, ['tool go']],
    ['a prompt with the name of a tool', 'prompts/get', { name: 'go', ...LYON }, ['prompt go']],
    ['another prompt', 'prompts/get', { name: 'other' }, ['prompt other']],
    ['a uri that matches a template', 'resources/read', { uri: 'go://Lyon' }, ['resource go']],
    [
      'a fixed uri that also matches a template',
      'resources/read',
      { uri: 'go://home' },
      ['resource go', 'resource home'],
    ],
    ['a fixed uri', 'resources/read', { uri: 'https://example.com/' }, ['resource site']],
    [
      'a fixed uri in another spelling',
      'resources/read',
      { uri: 'https://EXAMPLE.com' },
      ['resource site'],
    ],
    ['an unknown prompt', 'prompts/get', { name: 'nope' }, ALL],
    ['an unknown uri', 'resources/read', { uri: 'nope://x' }, ALL],
    ['an invalid uri', 'resources/read', { uri: 'nope' }, ALL],
    ['a listing of prompts', 'prompts/list', {}, ALL],
    ['a listing of resources', 'resources/list', {}, ALL],
    ['a listing of templates', 'resources/templates/list', {}, ALL],
    [
      'a completion',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'go' }, argument: { name: 'city', value: '' } },
      ALL,
    ],
  ])('A11: for %s', async (_, method, params, expected) => {
    const { factory, installed } = recordingFactory();
    await post(httpHandler(factory), method, params, { capabilities: { elicitation: {} } });

    expect(installed).toEqual([expected]);
  });
});

describe.each(layers)('install with a request on %s', (layer) => {
  const factory = (request: McpRequestContext): McpServer | Server => {
    const server = newServer(layer);
    install(server, definitions, { request });
    return server;
  };

  test('A11: every request works as without the option', async () => {
    const { client, text } = await connectClient('modern', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await text('go', { city: 'Lyon' })).toBe('went to Lyon');
    expect(await get({ client }, 'go', { city: 'Lyon' })).toBe('went to Lyon');
    expect(await get({ client }, 'other')).toBe('other');
    expect(await read({ client }, 'go://Lyon')).toBe('went to Lyon');
    expect(await read({ client }, 'go://home')).toBe('at home');
    expect(await read({ client }, 'https://example.com')).toBe('site');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['go', 'other']);
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual([
      'home',
      'site',
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'go' },
      argument: { name: 'city', value: '' },
    });
    expect(completion.values).toEqual(['Lyon']);
    expect(await protocolErrorOf(get({ client }, 'nope'))).toEqual({
      code: -32602,
      message: 'Prompt nope not found',
    });
    expect(await protocolErrorOf(read({ client }, 'nope://x'))).toMatchObject({ code: -32602 });
  });

  test('A11: a uri that has to be encoded in a header is read', async () => {
    const client = await connectClient('modern', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await read(client, 'go://Zürich')).toBe('went to Z%C3%BCrich');
    expect(client.asked).toEqual(['Go to Z%C3%BCrich?']);
  });

  test('A11: a legacy client gets all definitions', async () => {
    const client = await connectClient('legacy', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await get(client, 'go', { city: 'Lyon' })).toBe('went to Lyon');
    expect(await read(client, 'go://Lyon')).toBe('went to Lyon');
    expect(await get(client, 'other')).toBe('other');
    expect(await read(client, 'go://home')).toBe('at home');
  });
});

test('A11: install with a request leaves all other requests to the author’s handlers', async () => {
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
  const client = await connectClient('modern', factory, {
    elicit: () => accept({ confirm: true }),
  });

  expect(await get(client, 'theirs')).toBe('theirs by hand');
  expect(await get(client, 'go', { city: 'Lyon' })).toBe('went to Lyon');
  expect(await read(client, 'their://1')).toBe('their://1 by hand');
  expect(await read(client, 'go://Lyon')).toBe('went to Lyon');
});
