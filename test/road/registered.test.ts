/** What an `McpServer` can do with a registered definition: disable, enable, update and remove it. */
import { McpServer } from '@modelcontextprotocol/server';
import type { RegisteredTool } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { SILENT } from '../support/servers.js';
import { createDefinitions, listings, ours } from './ways.js';
import type { Req } from './ways.js';

const { all } = createDefinitions();
const FUNCTIONS = ['registerTool', 'registerPrompt', 'registerResource'];

/** The part that a registered tool, prompt, resource and template have in common. */
type Registered = Pick<RegisteredTool, 'enable' | 'disable' | 'remove'> & {
  update(updates: { title?: string; enabled?: boolean }): void;
};

/** Installs the definitions on a server that hands out what it registers, as a host could. */
function collecting(change: (registered: Registered[]) => void): McpServer {
  const registered: Registered[] = [];
  const server = new McpServer({ name: 'host', version: '1.0.0' });
  for (const name of FUNCTIONS) {
    const register = (Reflect.get(server, name) as (...args: unknown[]) => Registered).bind(server);
    Reflect.set(server, name, (...args: unknown[]) => {
      const one = register(...args);
      registered.push(one);
      return one;
    });
  }
  install(server, all, { logger: SILENT });
  change(registered);
  return server;
}

const changes: readonly (readonly [what: string, change: (one: Registered) => void])[] = [
  [
    'disables',
    (one) => {
      one.disable();
    },
  ],
  [
    'removes',
    (one) => {
      one.remove();
    },
  ],
  [
    'disables by an update of',
    (one) => {
      one.update({ enabled: false });
    },
  ],
];

/** The SDK also lists templates that are disabled, so this leaves them out. */
const [tool, prompt, resource, template] = ours;
const requests = [tool, prompt, resource] as readonly Req[];
const shown = listings.slice(0, requests.length);

describe.each(eras)('on the %s era', (era) => {
  const connect = (change: (registered: Registered[]) => void) =>
    connectClient(era, () => collecting(change), {
      elicit: () => ({ action: 'accept', content: { confirm: true } }),
    });

  test.each(changes)(
    'a host that %s a definition hides it and refuses its requests',
    async (_, change) => {
      const { client, asked } = await connect((registered) => {
        for (const one of registered.slice(0, requests.length)) change(one);
      });
      for (const { method, member } of shown)
        expect(await client.request({ method, params: {} }), method).toMatchObject({
          [member]: [],
        });
      for (const { what, method, params } of requests) {
        const call = client.request({ method: method as 'tools/call', params });
        expect(await protocolErrorOf(call), what).toMatchObject({ code: -32_602 });
      }
      expect(asked).toEqual([]);
    },
  );

  test('a host that removes a template hides it and refuses its requests', async () => {
    const { client } = await connect((registered) => registered.at(-1)?.remove());
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    const uri = String(template?.params.uri);
    expect(await protocolErrorOf(client.readResource({ uri }))).toMatchObject({ code: -32_602 });
  });

  test('a host that enables a definition again serves it', async () => {
    const { client, text } = await connect((registered) => {
      for (const one of registered) {
        one.disable();
        one.enable();
      }
    });
    for (const { method, member, name } of shown)
      expect(await client.request({ method, params: {} }), method).toMatchObject({
        [member]: [{ name }],
      });
    expect(await text('book', { city: 'Lyon' })).toBe('book Lyon');
  });

  test('a host that updates the title of a definition lists the new one', async () => {
    const { client, text } = await connect((registered) => {
      registered[0]?.update({ title: 'New' });
      registered[1]?.update({ title: 'New' });
    });
    expect((await client.listTools()).tools).toMatchObject([{ name: 'book', title: 'New' }]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'plan', title: 'New' }]);
    expect(await text('book', { city: 'Lyon' })).toBe('book Lyon');
  });
});
