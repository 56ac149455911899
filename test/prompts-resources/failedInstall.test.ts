/** An `install` that fails leaves nothing behind, on servers of both SDKs. */
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { confirm, definePrompt, defineResource, defineTool, install } from 'mcp-resolve';
import { memoryStore, requestStateSeal, resolver } from 'mcp-resolve';
import type { AnyDefinition } from 'mcp-resolve';
import { approvalDesk } from 'mcp-resolve/approvals';
import { install as installV1 } from 'mcp-resolve/v1';
import { describe, expect, test } from 'vitest';

import { KEY, overHttp } from '../sealing/desk.js';
import { connectV1 } from '../v1/serversV1.js';
import { connectClient } from '../support/plainClient.js';
import { SILENT } from '../support/servers.js';

const approved = resolver({}, () => confirm('Go?'), { asks: 'form' });
const resolve = { approved };
const tool = defineTool('go', { resolve, once: memoryStore() }, () => 'gone');
const prompt = definePrompt('plan', { resolve }, () => 'planned');
const resource = defineResource('next', 'trips://next', { resolve }, () => 'next');
const template = defineResource(
  'trip',
  new ResourceTemplate('trips://{id}', { list: undefined }),
  { resolve },
  () => 'trip',
);
const store = memoryStore();
const desk = approvalDesk({ store, tasks: true });
const polled = defineTool('polled', { approvals: desk, once: store }, () => 'done');
const all: readonly AnyDefinition[] = [tool, prompt, resource, template];
const rest = [definePrompt('later', {}, () => 'later'), defineTool('last', {}, () => 'last')];
const seal = () => requestStateSeal({ keys: [KEY], audience: 'trips', logger: SILENT });

/** The part of the clients of both SDKs that lists names. */
interface Lister {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  listResources(): Promise<{ resources: { name: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { name: string }[] }>;
}

/** Returns the names in all listings. A method that the server does not know has none. */
async function namesFrom(client: Lister): Promise<string[]> {
  const [one, two, three, four] = await Promise.all([
    client.listTools().catch(() => ({ tools: [] })),
    client.listPrompts().catch(() => ({ prompts: [] })),
    client.listResources().catch(() => ({ resources: [] })),
    client.listResourceTemplates().catch(() => ({ resourceTemplates: [] })),
  ]);
  const entries = [one.tools, two.prompts, three.resources, four.resourceTemplates];
  return entries.flat().map(({ name }) => name);
}

const NAMES = ['go', 'plan', 'next', 'trip'];
const ALREADY = 'is already registered';

const servers = {
  McpServer: () => new McpServer({ name: 'trips', version: '1.0.0' }),
  Server: () => new Server({ name: 'trips', version: '1.0.0' }, { capabilities: {} }),
};

/** Installs definitions on a server, which must fail. */
function failing(
  server: McpServer | Server,
  definitions: readonly AnyDefinition[],
  options: object = {},
): void {
  expect(() => {
    install(server, definitions, { logger: SILENT, ...options });
  }).toThrow(ALREADY);
}

describe.each(Object.entries(servers))('on a %s', (_, create) => {
  test.each(all.map((one) => [one.name, one] as const))(
    'a second definition with the name of %s removes the others',
    async (name, taken) => {
      const { client } = await connectClient('modern', () => {
        const server = create();
        install(server, [taken], { logger: SILENT });
        failing(server, [...rest, ...all.filter((one) => one !== taken), taken]);
        return server;
      });
      expect(await namesFrom(client)).toEqual([name]);
    },
  );

  test('the same definitions can be installed after the mistake is corrected', async () => {
    const { client } = await connectClient('modern', () => {
      const server = create();
      failing(server, [...all, tool]);
      install(server, all, { logger: SILENT });
      return server;
    });
    expect(await namesFrom(client)).toEqual(NAMES);
  });

  test('the server declares no capability for it', () => {
    const server = create();
    failing(server, [...all, tool]);
    const low = server instanceof McpServer ? server.server : server;
    expect(low.getCapabilities()).toEqual({});
  });

  test('another seal can be used after it', () => {
    const server = create();
    failing(server, [...rest, ...rest], { seal: seal() });
    install(server, rest, { seal: seal(), logger: SILENT });
  });

  test('a store that failed to install does not forbid shared keys', () => {
    const server = create();
    failing(server, [tool, tool]);
    install(server, [prompt], { seal: seal(), logger: SILENT });
  });

  test('its listener hears of no rejected state', async () => {
    const heard: unknown[] = [];
    const send = overHttp(() => {
      const server = create();
      failing(server, [...rest, ...rest], { onEvent: (event: unknown) => heard.push(event) });
      install(server, [prompt], { logger: SILENT });
      return server;
    });
    await send('prompts/get', { name: 'plan', requestState: 'v1.forged' });
    expect(heard).toEqual([]);
  });
});

test.each(['tool', 'prompt', 'resource', 'template'])(
  'a connected Server, which cannot declare capabilities, keeps no %s',
  async (kind) => {
    const server = servers.Server();
    const { client } = await connectClient('legacy', () => server);
    const one = all[['tool', 'prompt', 'resource', 'template'].indexOf(kind)]!;
    expect(() => {
      install(server, [one], { logger: SILENT });
    }).toThrow('capabilities');
    await client.close();
    install(server, [one], { logger: SILENT });
    expect(await namesFrom((await connectClient('legacy', () => server)).client)).toEqual([
      one.name,
    ]);
  },
);

describe('a name that the author registered on an McpServer', () => {
  const own = {
    go: (server: McpServer) => server.registerTool('go', {}, () => ({ content: [] })),
    plan: (server: McpServer) => server.registerPrompt('plan', {}, () => ({ messages: [] })),
    next: (server: McpServer) =>
      server.registerResource('own', 'trips://next', {}, () => ({ contents: [] })),
    trip: (server: McpServer) =>
      server.registerResource(
        'trip',
        new ResourceTemplate('own://{id}', { list: undefined }),
        {},
        () => ({ contents: [] }),
      ),
  };

  test.each(all.map((one) => [one.name, one] as const))(
    'leaves no capability of the definitions in front of %s',
    (name, taken) => {
      const server = servers.McpServer();
      own[name as keyof typeof own](server);
      const before = server.server.getCapabilities();
      failing(server, [...rest, ...all.filter((one) => one !== taken), taken]);
      expect(server.server.getCapabilities()).toEqual(before);
    },
  );

  test('leaves no capability on SDK 1.x', () => {
    const server = new McpServerV1({ name: 'trips', version: '1.0.0' });
    server.registerTool('go', {}, () => ({ content: [] }));
    const before = { ...(Reflect.get(server.server, '_capabilities') as object) };
    expect(() => {
      installV1(server, [prompt, resource, tool], { logger: SILENT });
    }).toThrow(ALREADY);
    expect(Reflect.get(server.server, '_capabilities')).toEqual(before);
  });
});

describe.each([
  ['McpServer', () => new McpServerV1({ name: 'trips', version: '1.0.0' })],
  ['Server', () => new ServerV1({ name: 'trips', version: '1.0.0' }, { capabilities: {} })],
])('on a %s of SDK 1.x', (_, create) => {
  test('a second definition with a name removes the others', async () => {
    const server = create();
    installV1(server, [tool], { logger: SILENT });
    expect(() => {
      installV1(server, [...rest, prompt, resource, template, tool], { logger: SILENT });
    }).toThrow(ALREADY);
    expect(await namesFrom((await connectV1(server)).client)).toEqual(['go']);
  });

  test('the same definitions can be installed after the mistake is corrected', async () => {
    const server = create();
    expect(() => {
      installV1(server, [...all, tool], { logger: SILENT });
    }).toThrow(ALREADY);
    installV1(server, all, { logger: SILENT });
    expect(await namesFrom((await connectV1(server)).client)).toEqual(NAMES);
  });
});

test('a name that the McpServer of SDK 1.x has already removes the others', async () => {
  const server = new McpServerV1({ name: 'trips', version: '1.0.0' });
  server.registerTool('go', {}, () => ({ content: [{ type: 'text', text: 'own' }] }));
  expect(() => {
    installV1(server, [...rest, prompt, tool], { logger: SILENT });
  }).toThrow(ALREADY);
  const { client, call } = await connectV1(server);
  expect(await namesFrom(client)).toEqual(['go']);
  expect(await call('go')).toEqual({ content: [{ type: 'text', text: 'own' }] });
});

/** Returns the capabilities and the handlers of a server. */
function traitsOf(server: object) {
  const low = (Reflect.get(server, 'server') ?? server) as {
    readonly _capabilities: object;
    readonly _requestHandlers: Map<string, unknown>;
    readonly _customSchemaRequestMethods?: Set<string>;
  };
  return {
    capabilities: structuredClone(low._capabilities),
    handlers: [...low._requestHandlers.keys()],
    withSchemas: [...(low._customSchemaRequestMethods ?? [])],
    properties: [server, low].map((one) => Reflect.ownKeys(one)),
  };
}

type Fails = [reason: string, create: () => object, run: (server: never) => void];

const INFO = { name: 'trips', version: '1.0.0' };
const shared = requestStateSeal({ keys: [KEY], audience: 'other', logger: SILENT });

/** A server whose functions of a name throw at their nth call. */
function throwingAt<S extends object>(server: S, name: string, nth: number): S {
  const original = Reflect.get(server, name) as (...args: unknown[]) => unknown;
  let calls = 0;
  const value = (...args: unknown[]): unknown => {
    calls += 1;
    if (calls === nth) throw new Error('the host refuses');
    return Reflect.apply(original, server, args);
  };
  return Object.assign(server, { [name]: value });
}

const sealed = <S extends McpServer | Server>(server: S): S => {
  seal().protect(server);
  return server;
};
const REGISTER = ['registerTool', 'registerPrompt', 'registerResource'];
const installAll = (server: never) => {
  install(server, all, { logger: SILENT });
};
const verify = { requestState: { verify: (state: string) => Promise.resolve(state) } };

const failures: Fails[] = [
  ...Object.entries(servers).map(([name, create]): Fails => [
    `another seal on a ${name}`,
    () => sealed(create()),
    (server) => {
      install(server, all, { logger: SILENT, seal: shared });
    },
  ]),
  ['the check of the SDK on an McpServer', () => new McpServer(INFO, verify), installAll],
  ['the check of the SDK on a Server', () => new Server(INFO, verify), installAll],
  ...REGISTER.map((name): Fails => [
    `${name} of an McpServer that throws`,
    () => throwingAt(servers.McpServer(), name, 1),
    installAll,
  ]),
  ...[1, 2, 3, 4].map((nth): Fails => [
    `setRequestHandler of a Server that throws at call ${nth}`,
    () => throwingAt(servers.Server(), 'setRequestHandler', nth),
    installAll,
  ]),
  ...[3, 4, 5].map((nth): Fails => [
    `setRequestHandler of a Server with tasks that throws at call ${nth}`,
    () => throwingAt(servers.Server(), 'setRequestHandler', nth),
    (server) => {
      install(server, [polled], { logger: SILENT });
    },
  ]),
  ...REGISTER.map((name): Fails => [
    `${name} of an McpServer of SDK 1.x that throws`,
    () => throwingAt(new McpServerV1(INFO), name, 1),
    (server) => {
      installV1(server, all, { logger: SILENT });
    },
  ]),
  [
    'an unknown option on SDK 1.x',
    () => new McpServerV1(INFO),
    (server) => {
      installV1(server, all, { logger: SILENT, erors: 'all' } as never);
    },
  ],
];

describe.each(failures)('an install that fails because of %s', (_, create, run) => {
  test('leaves no capability, no handler and no property', () => {
    const server = create();
    const before = traitsOf(server);
    expect(() => {
      run(server as never);
    }).toThrow();
    expect(traitsOf(server)).toEqual(before);
  });
});

test.each(REGISTER)('an install works after %s has thrown once', async (name) => {
  const { client } = await connectClient('modern', () => {
    const server = throwingAt(servers.McpServer(), name, 1);
    expect(() => {
      install(server, all, { logger: SILENT });
    }).toThrow('the host refuses');
    install(server, all, { logger: SILENT });
    return server;
  });
  expect(await namesFrom(client)).toEqual(NAMES);
});

test('a second install that fails on a Server leaves no tool', async () => {
  const { client } = await connectClient('modern', () => {
    const server = servers.Server();
    install(server, [tool], { logger: SILENT });
    throwingAt(server, 'setRequestHandler', 1);
    expect(() => {
      install(server, [...rest, prompt], { logger: SILENT });
    }).toThrow('the host refuses');
    return server;
  });
  expect(await namesFrom(client)).toEqual(['go']);
});
