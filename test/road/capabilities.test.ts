/**
 * The capabilities that a server declares for its definitions, in `server/discover` and in
 * `initialize`, and the notifications of changed lists.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import type { AnyDefinition } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { httpHandler, SILENT } from '../support/servers.js';
import { post } from '../support/wire.js';
import { createDefinitions, listings, others, reach, ways } from './ways.js';

const INFO = { name: 'host', version: '1.0.0' };
const { all, book, plan, map, ticket } = createDefinitions();

/** The capabilities of a server with one definition. */
const declared = [
  { one: book, onMcpServer: { tools: { listChanged: true } }, onServer: { tools: {} } },
  {
    one: plan,
    onMcpServer: { prompts: { listChanged: true }, completions: {} },
    onServer: { prompts: {}, completions: {} },
  },
  { one: map, onMcpServer: { resources: { listChanged: true } }, onServer: { resources: {} } },
  {
    one: ticket,
    onMcpServer: { resources: { listChanged: true }, completions: {} },
    onServer: { resources: {}, completions: {} },
  },
] as const;

describe.each(eras)('on the %s era', (era) => {
  describe.each([
    ['without the request', false],
    ['with the request', true],
  ])('%s in the options of install', (_, narrowed) => {
    const capabilitiesOf = async (
      make: () => McpServer | Server,
      some: readonly AnyDefinition[],
    ) => {
      const { client } = await connectClient(era, (request) => {
        const server = make();
        install(server, some, { logger: SILENT, ...(narrowed && { request }) });
        return server;
      });
      return client.getServerCapabilities();
    };

    test.each(declared)(
      '$one.name declares its capabilities',
      async ({ one, onMcpServer, onServer }) => {
        expect(await capabilitiesOf(() => new McpServer(INFO), [one])).toEqual(onMcpServer);
        expect(await capabilitiesOf(() => new Server(INFO), [one])).toEqual(onServer);
      },
    );

    test('the capabilities that the author declared stay as they are', async () => {
      const capabilities = { tools: { listChanged: false }, logging: {} };
      const mcp = () => new McpServer(INFO, { capabilities });
      const low = () => new Server(INFO, { capabilities });
      expect(await capabilitiesOf(mcp, all)).toMatchObject(capabilities);
      expect(await capabilitiesOf(low, all)).toMatchObject(capabilities);
    });
  });
});

test.each(ways)('$way declares the capabilities of several installs', async (way) => {
  const { client } = await reach(way, (host) => {
    for (const one of all) host.install([one]);
  });
  const expected = { tools: {}, prompts: {}, resources: {}, completions: {} };
  expect(client.getServerCapabilities()).toMatchObject(expected);
});

describe('server/discover with the request in the options of install', () => {
  const factories = {
    McpServer: () => new McpServer(INFO),
    Server: () => new Server(INFO),
  };

  test.each(Object.entries(factories))('answers as without it on a %s', async (_, make) => {
    const discover = async (narrowed: boolean) => {
      const handler = httpHandler((request: McpRequestContext) => {
        const server = make();
        install(server, all, { logger: SILENT, ...(narrowed && { request }) });
        install(server, others, { logger: SILENT, ...(narrowed && { request }) });
        return server;
      });
      return (await post(handler, 'server/discover', {})).body.result;
    };
    const result = await discover(true);
    expect(result).toEqual(await discover(false));
    expect(Object.keys(result?.capabilities ?? {}).sort()).toEqual([
      'completions',
      'prompts',
      'resources',
      'tools',
    ]);
  });
});

describe('a connected McpServer', () => {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
    completions: {},
  };
  const kinds = [
    { one: book, notification: 'notifications/tools/list_changed', listing: listings[0] },
    { one: plan, notification: 'notifications/prompts/list_changed', listing: listings[1] },
    { one: map, notification: 'notifications/resources/list_changed', listing: listings[2] },
    { one: ticket, notification: 'notifications/resources/list_changed', listing: listings[3] },
  ] as const;

  test.each(kinds)(
    'tells its client that $one.name was installed',
    async ({ one, notification, listing }) => {
      const server = new McpServer(INFO, { capabilities });
      server.registerPrompt('own', {}, () => ({ messages: [] }));
      install(server, others, { logger: SILENT });
      const { client } = await connectClient('legacy', () => server);
      const told: string[] = [];
      client.setNotificationHandler(notification, ({ method }) => void told.push(method));
      install(server, [one], { logger: SILENT });
      const result: Record<string, unknown> = await client.request({ method: listing.method });
      const entries = result[listing.member] as { name: string }[];
      expect(entries.map(({ name }) => name)).toContain(one.name);
      expect(told).toEqual([notification]);
    },
  );
});

test('a connected Server that declared the capabilities serves what is installed later', async () => {
  const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
  const server = new Server(INFO, { capabilities });
  const { client, text } = await connectClient('legacy', () => server, {
    elicit: () => ({ action: 'accept', content: { confirm: true } }),
  });
  install(server, all, { logger: SILENT });
  expect(await text('book', { city: 'Lyon' })).toBe('book Lyon');
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'plan' }]);
  expect((await client.readResource({ uri: 'map://all' })).contents).toHaveLength(1);
});
