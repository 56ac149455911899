/** N. Usable capabilities: an author takes away what a client declares and does not do. */
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import {
  confirm,
  defineResource,
  defineTool,
  elicit,
  elicitUrl,
  install,
  listRoots,
  requestStateSeal,
  resolver,
  sample,
  toolHandler,
} from 'mcp-resolve';
import type { AnyDefinition, DeclaredClient, InstallOptions, Tool } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import { install as installV1 } from 'mcp-resolve/v1';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf, textOf } from '../support/results.js';
import { call, connect } from '../serve/clients.js';
import { closeAfterTest, SILENT } from '../support/servers.js';
import type { Factory } from '../support/servers.js';
import { connectV1, servers as serversV1 } from '../v1/serversV1.js';

type Usable = NonNullable<InstallOptions['usableCapabilities']>;

const INFO = { name: 'desk', version: '1.0.0' };
const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
  extensions: {
    'io.modelcontextprotocol/tasks': {},
    'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] },
  },
};

const seal = requestStateSeal.ephemeral({ logger: SILENT });

/** Records log lines. Each logger says a warning once, so each test needs its own. */
function recorder() {
  const lines: string[] = [];
  return { lines, logger: { warn: (line: string) => void lines.push(line) } };
}

/** A client that declares everything and shows nothing: any question to it fails the test. */
const showsNothing = {
  capabilities: EVERYTHING,
  elicit: () => new Error('the client was asked'),
  sample: () => new Error('the client was asked'),
  roots: () => new Error('the client was asked'),
};

/** Reports the capabilities that a call counts on. */
const probe = defineTool('probe', {}, (_, ctx) => JSON.stringify(ctx.clientCapabilities));

/** Returns the capabilities that calls of a client count on. */
async function counted(
  era: (typeof eras)[number],
  declared: ClientCapabilities,
  usableCapabilities: Usable,
): Promise<unknown> {
  const factory = onMcpServer([probe], { usableCapabilities });
  const client = await connectClient(era, factory, { capabilities: declared });
  return JSON.parse(await client.text('probe')) as unknown;
}

function onMcpServer(definitions: readonly AnyDefinition[], options: InstallOptions): Factory {
  return () => {
    const server = new McpServer(INFO);
    install(server, definitions, { seal, logger: SILENT, ...options });
    return server;
  };
}

function onServer(definitions: readonly AnyDefinition[], options: InstallOptions): Factory {
  return () => {
    const server = new Server(INFO, { capabilities: {} });
    install(server, definitions, { seal, logger: SILENT, ...options });
    return server;
  };
}

function throughHandler([tool]: readonly AnyDefinition[], options: InstallOptions): Factory {
  const handler = toolHandler(tool as Tool, {
    argumentsParsed: true,
    ...{ seal, logger: SILENT, ...options },
  });
  return () => {
    const server = new McpServer(INFO);
    server.registerTool(tool!.name, {}, (ctx) => handler({}, ctx));
    return server;
  };
}

const hosts = [
  ['an McpServer', onMcpServer],
  ['a Server', onServer],
  ['toolHandler', throughHandler],
] as const;

const asking = resolver(
  {},
  (_, ctx) => {
    if (!ctx.canAsk('form')) return 'cannot ask';
    return elicit('Name?', z.object({ name: z.string() }), { otherwise: { name: 'nobody' } });
  },
  { asks: 'form' },
);
const looking = defineTool('look', { resolve: { asking } }, ({ asking }) => JSON.stringify(asking));

const Form = z.object({ name: z.string() });
const withFallback = defineTool(
  'fall_back',
  {
    resolve: {
      name: resolver({}, () => elicit('Name?', Form, { otherwise: { name: 'nobody' } }), {
        asks: 'form',
      }),
    },
  },
  ({ name }) => name.name,
);
const without = defineTool(
  'pay',
  { resolve: { ok: resolver({}, () => confirm('Pay?'), { asks: 'form' }) } },
  () => 'paid',
);

describe.each(hosts)('on %s', (name, host) => {
  describe.each(eras)('with a client of the %s era that declares everything', (era) => {
    const none: Usable = () => ({});

    test('N4 `otherwise` and `canAsk` follow the usable capabilities', async () => {
      const fallen = await connectClient(
        era,
        host([withFallback], { usableCapabilities: none }),
        showsNothing,
      );
      expect(await fallen.text('fall_back')).toBe('nobody');
      const looked = await connectClient(
        era,
        host([looking], { usableCapabilities: none }),
        showsNothing,
      );
      expect(await looked.text('look')).toBe('"cannot ask"');
      expect([...fallen.asked, ...looked.asked]).toEqual([]);
    });

    test('N4 a question without a fallback ends with -32021 and is not sent', async () => {
      const factory = host([without], { usableCapabilities: none });
      const client = await connectClient(era, factory, showsNothing);
      // McpServer turns what a registered handler throws into a tool error.
      if (name === 'toolHandler')
        expect(await client.errorText('pay')).toContain('form elicitation');
      else expect(await protocolErrorOf(client.call('pay'))).toMatchObject({ code: -32_021 });
      expect(client.asked).toEqual([]);
    });

    test('N4 the function sees the client, and a client that it leaves alone is asked', async () => {
      const seen: DeclaredClient[] = [];
      const usableCapabilities: Usable = (client) => {
        seen.push(client);
        return client.capabilities;
      };
      const { lines, logger } = recorder();
      const factory = host([without], { usableCapabilities, logger });
      const elicit = () => ({ action: 'accept', content: { confirm: true } }) as const;
      const client = await connectClient(era, factory, { ...showsNothing, elicit });
      expect(await client.text('pay')).toBe('paid');
      expect(client.asked).toEqual(['Pay?']);
      const identity = { name: 'plain client', version: '1.0.0' };
      // A handler learns nothing of the `initialize` of a legacy client.
      const known = name === 'toolHandler' && era === 'legacy';
      expect(seen.at(-1)).toMatchObject(known ? { era, name: undefined } : { era, ...identity });
      expect(lines).toEqual([]);
    });
  });
});

describe.each(eras)('a client of the %s era', (era) => {
  test('N4 sees no definitions with `hideWhenCannotAsk` that it cannot use', async () => {
    const name = resolver({}, () => elicit('Name?', Form), { asks: 'form' });
    const hidden = { resolve: { name }, hideWhenCannotAsk: true };
    const template = new ResourceTemplate('note://{id}', {
      list: () => ({ resources: [{ uri: 'note://1', name: 'first' }] }),
    });
    const definitions = [
      defineTool('ask', hidden, () => 'ran'),
      defineResource('note', template, hidden, () => 'read'),
      probe,
    ];
    const usableCapabilities: Usable = ({ capabilities: { elicitation: _, ...rest } }) => rest;
    for (const host of [onMcpServer, onServer]) {
      const factory = host(definitions, { usableCapabilities });
      const { client } = await connectClient(era, factory, showsNothing);
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toEqual(['probe']);
      expect(await client.listResources()).toMatchObject({ resources: [] });
      expect(await client.listResourceTemplates()).toMatchObject({ resourceTemplates: [] });
    }
  });

  test.each<[string, ClientCapabilities, ClientCapabilities, ClientCapabilities]>([
    ['everything', EVERYTHING, EVERYTHING, EVERYTHING],
    ['nothing', EVERYTHING, {}, {}],
    ['forms', EVERYTHING, { elicitation: { form: {} } }, { elicitation: { form: {} } }],
    ['links', EVERYTHING, { elicitation: { url: {} } }, { elicitation: { url: {} } }],
    ['forms, in short', EVERYTHING, { elicitation: {} }, { elicitation: { form: {} } }],
    ['links of a client of forms', { elicitation: {} }, { elicitation: { url: {} } }, {}],
    ['forms of a client of links', { elicitation: { url: {} } }, { elicitation: {} }, {}],
    ['sampling without tools', EVERYTHING, { sampling: {} }, { sampling: {} }],
    ['what was not declared', { roots: {} }, EVERYTHING, { roots: {} }],
    [
      'one extension',
      EVERYTHING,
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } },
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } },
    ],
    [
      'other settings of an extension',
      EVERYTHING,
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/plain'] } } },
      { extensions: { 'io.modelcontextprotocol/ui': {} } },
    ],
  ])('N5 counts on %s', async (_, declared, usable, expected) => {
    expect(await counted(era, declared, () => usable)).toEqual(expected);
  });

  test('N5 gains nothing if the function changes the object that it receives', async () => {
    const usableCapabilities: Usable = ({ capabilities }) => {
      Object.assign(capabilities, EVERYTHING);
      return capabilities;
    };
    const factory = onMcpServer([probe], { usableCapabilities });
    const client = await connectClient(era, factory, { capabilities: { roots: {} } });
    await client.text('probe');
    expect(JSON.parse(await client.text('probe'))).toEqual({ roots: {} });
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new TypeError('no list of clients');
      },
      /threw TypeError: no list of clients/,
    ],
    ['returns a promise', async () => EVERYTHING, /returned a promise/],
    ['returns nothing', () => undefined, /returned undefined/],
    ['returns a boolean', () => true, /returned a boolean/],
    ['returns an array', () => [], /returned an array/],
  ])('N6 counts as able to nothing if the function %s', async (_, usable, line) => {
    const { lines, logger } = recorder();
    const usableCapabilities = usable as Usable;
    const factory = onMcpServer([without, probe], { usableCapabilities, logger });
    const client = await connectClient(era, factory, showsNothing);
    expect(JSON.parse(await client.text('probe'))).toEqual({});
    expect(await protocolErrorOf(client.call('pay'))).toMatchObject({ code: -32_021 });
    expect(client.asked).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(lines[0]).toMatch(/counts as able to nothing\. \S/);
  });

  test('N6 a promise that rejects does not end the process', async () => {
    const usableCapabilities = (() => Promise.reject(new Error('no'))) as unknown as Usable;
    expect(await counted(era, EVERYTHING, usableCapabilities)).toEqual({});
  });

  test('N5 has what every function of its server leaves to it', async () => {
    const factory: Factory = () => {
      const server = new McpServer(INFO);
      const usable =
        (names: readonly string[]): Usable =>
        ({ capabilities }) =>
          Object.fromEntries(Object.entries(capabilities).filter(([name]) => names.includes(name)));
      install(server, [probe], { seal, usableCapabilities: usable(['roots', 'sampling']) });
      install(server, [without], { seal, usableCapabilities: usable(['roots', 'elicitation']) });
      return server;
    };
    const client = await connectClient(era, factory, showsNothing);
    expect(JSON.parse(await client.text('probe'))).toEqual({ roots: { listChanged: true } });
    expect(await protocolErrorOf(client.call('pay'))).toMatchObject({ code: -32_021 });
  });

  test('N4 is not sent links, sampling or roots that it cannot answer', async () => {
    const link = resolver({}, () => elicitUrl('Pay here', 'https://bank.example/pay'), {
      asks: 'url',
    });
    const text = resolver(
      {},
      () =>
        sample({
          messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
          maxTokens: 9,
        }),
      { asks: 'sample' },
    );
    const folders = resolver({}, () => listRoots(), { asks: 'roots' });
    const tools = Object.entries({ link, text, folders }).map(([key, one]) =>
      defineTool(key, { resolve: { one } }, () => 'ran'),
    );
    const usableCapabilities: Usable = () => ({ elicitation: { form: {} } });
    const factory = onMcpServer(tools, { usableCapabilities });
    const client = await connectClient(era, factory, showsNothing);
    for (const { name } of tools)
      expect(await protocolErrorOf(client.call(name))).toMatchObject({ code: -32_021 });
    expect(client.asked).toEqual([]);
  });
});

test.each(eras)('N4 holds over HTTP for a client of the %s era', async (era) => {
  const usableCapabilities: Usable = ({ name, capabilities }) =>
    name === 'client of Ada' ? {} : capabilities;
  const handle = await serveHttp(onMcpServer([withFallback], { usableCapabilities }));
  closeAfterTest(() => handle.close());
  expect(await call(await connect(handle.url, era, 'Ada'), 'fall_back')).toBe('nobody');
  expect(await call(await connect(handle.url, era, 'Bob'), 'fall_back')).toBe('Bob');
});

test.each(serversV1)('N4 holds on %s of SDK 1.x', async (_, create) => {
  const seen: DeclaredClient[] = [];
  const server = create();
  const options = {
    logger: SILENT,
    usableCapabilities: (client: DeclaredClient) => {
      seen.push(client);
      return {};
    },
  };
  installV1(server, [withFallback, without], options);
  const client = await connectV1(server, {
    capabilities: EVERYTHING,
    answer: () => new Error('the client was asked'),
  });
  expect(textOf(await client.call('fall_back'))).toBe('nobody');
  await expect(client.call('pay')).rejects.toMatchObject({ code: -32_021 });
  expect(client.asked).toEqual([]);
  expect(seen[0]).toMatchObject({ name: 'client', version: '1.0.0', era: 'legacy' });
});

test('N6 an option that is not a function is refused', () => {
  const usableCapabilities = {} as unknown as Usable;
  const server = new McpServer(INFO);
  expect(() => {
    install(server, [probe], { usableCapabilities, logger: SILENT });
  }).toThrow(
    'install(): `usableCapabilities` must be a function that takes a client and returns its usable capabilities.',
  );
});

test('N4 a failed installation leaves no function behind', async () => {
  const factory: Factory = () => {
    const server = new McpServer(INFO);
    const wrong = [probe, probe] as const;
    expect(() => {
      install(server, wrong, { usableCapabilities: () => ({}), logger: SILENT });
    }).toThrow();
    install(server, [probe], { logger: SILENT });
    return server;
  };
  const client = await connectClient('legacy', factory, { capabilities: { roots: {} } });
  expect(JSON.parse(await client.text('probe'))).toEqual({ roots: {} });
});
