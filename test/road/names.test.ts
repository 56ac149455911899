/** A later definition, tool, prompt or resource with a name that is taken is refused. */
import { ResourceTemplate as TemplateV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';

import { classes, createDefinitions, createHost, listings, ours, reach, ways } from './ways.js';

const { book, plan, map, ticket } = createDefinitions();

/** The four kinds: a definition, and the function of an `McpServer` that takes the same name. */
const kinds = [
  {
    kind: 'tool',
    definition: book,
    taken: 'Tool book is already registered',
    args: ['registerTool', 'book', {}],
  },
  {
    kind: 'prompt',
    definition: plan,
    taken: 'Prompt plan is already registered',
    args: ['registerPrompt', 'plan', {}],
  },
  {
    kind: 'resource',
    definition: map,
    taken: 'Resource map://all is already registered',
    args: ['registerResource', 'other name', 'map://all', {}],
  },
  {
    kind: 'template',
    definition: ticket,
    taken: 'Resource template ticket is already registered',
    args: ['registerResource', 'ticket', 'a template', {}],
  },
] as const;

/** Registers something on an `McpServer` of any SDK. */
function register(server: object, [name, ...args]: (typeof kinds)[number]['args']): void {
  const Template = server instanceof McpServer ? ResourceTemplate : TemplateV1;
  const given = args.map((arg) =>
    arg === 'a template' ? new Template('their://{id}', { list: undefined }) : arg,
  );
  const registering = Reflect.get(server, name) as (...all: unknown[]) => void;
  registering.call(server, ...given, () => undefined);
}

const mcpServers = classes.filter(({ layer }) => layer === 'McpServer');

/** Every kind on each McpServer. One of SDK 1.x does not learn the names of templates. */
const registrations = mcpServers.flatMap((way) =>
  kinds.filter(({ kind }) => way.sdk === 2 || kind !== 'template').map((one) => ({ way, ...one })),
);

describe.each(kinds)('a $kind with the name of another', ({ definition, taken }) => {
  test.each(classes)('is refused by the second install on $way', (way) => {
    const host = createHost(way);
    host.install([definition]);
    expect(() => {
      host.install([definition]);
    }).toThrow(taken);
  });

  test.each(classes)('is refused by one install of both on $way', (way) => {
    const host = createHost(way);
    expect(() => {
      host.install([definition, definition]);
    }).toThrow(taken);
  });
});

describe.each(registrations)('on $way.way, a $kind', ({ way, definition, taken, args }) => {
  test('that the author registered takes the name from later definitions', () => {
    const host = createHost(way);
    register(host.server, args);
    expect(() => {
      host.install([definition]);
    }).toThrow(taken);
  });

  test('cannot be registered if a definition has the name', () => {
    const host = createHost(way);
    host.install([definition]);
    expect(() => {
      register(host.server, args);
    }).toThrow(taken);
  });
});

test.each(ways)('after a refusal, $way serves what it had', async (way) => {
  const { send, names } = await reach(way, (host) => {
    host.install([book, plan, map, ticket]);
    for (const { definition } of kinds)
      expect(() => {
        host.install([definition]);
      }).toThrow('already registered');
  });
  for (const request of ours) expect(await send(request), request.what).toBe(request.text);
  for (const { method, name } of listings) expect(await names(method)).toEqual([name]);
});
