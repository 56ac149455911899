/** N. Hiding: what a client could not go through with is left out of its lists, and only there. */
import { Client } from '@modelcontextprotocol/client';
import {
  InMemoryTransport,
  McpServer,
  ResourceTemplate,
  Server,
} from '@modelcontextprotocol/server';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import {
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  install,
  InvalidGraphError,
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import type { AnyDefinition, AnyResolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { closeAfterTest, type Factory, httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';

const info = { name: 'hiding', version: '1.0.0' };
const seal = requestStateSeal({ keys: ['k'.repeat(32)], audience: 'hiding' });
const Name = z.object({ name: z.string() });
const hideWhenCannotAsk = true;
const FORM: ClientCapabilities = { elicitation: {} };

const name = resolver({}, () => elicit('Name?', Name));
const resolve = { name };

const DEFINITIONS: readonly AnyDefinition[] = [
  defineTool('ask', { resolve, hideWhenCannotAsk }, ({ name: given }) => given.name),
  defineTool('plain_tool', { resolve }, () => 'ran'),
  definePrompt('greet', { resolve, hideWhenCannotAsk }, ({ name: given }) => given.name),
  definePrompt('plain_prompt', { resolve }, () => 'ran'),
  defineResource('card', 'card://me', { resolve, hideWhenCannotAsk }, () => 'read'),
  defineResource('plain_card', 'card://plain', { resolve }, () => 'read'),
  defineResource(
    'note',
    new ResourceTemplate('note://{id}', {
      list: () => ({ resources: [{ uri: 'note://1', name: 'first' }] }),
    }),
    { resolve, hideWhenCannotAsk },
    () => 'read',
  ),
  defineResource(
    'plain_note',
    new ResourceTemplate('plain-note://{id}', {
      list: () => ({ resources: [{ uri: 'plain-note://1', name: 'plain first' }] }),
    }),
    { resolve },
    () => 'read',
  ),
];

const EVERYTHING = {
  tools: ['ask', 'plain_tool'],
  prompts: ['greet', 'plain_prompt'],
  resources: ['card', 'plain_card', 'first', 'plain first'],
  templates: ['note', 'plain_note'],
};
const WHAT_IS_PLAIN = {
  tools: ['plain_tool'],
  prompts: ['plain_prompt'],
  resources: ['plain_card', 'plain first'],
  templates: ['plain_note'],
};

const named = (list: readonly { name: string }[]): string[] => list.map((entry) => entry.name);

/** The names in all four lists. */
async function listed(client: Client): Promise<typeof EVERYTHING> {
  return {
    tools: named((await client.listTools()).tools),
    prompts: named((await client.listPrompts()).prompts),
    resources: named((await client.listResources()).resources),
    templates: named((await client.listResourceTemplates()).resourceTemplates),
  };
}

/** A factory of servers of a kind with definitions. */
function having(make: () => McpServer | Server, definitions: readonly AnyDefinition[]): Factory {
  return () => {
    const server = make();
    install(server, definitions, { seal });
    return server;
  };
}

describe.each<[string, () => McpServer | Server]>([
  ['McpServer', () => new McpServer(info)],
  ['Server', () => new Server(info)],
])('on a %s', (_, make) => {
  describe.each(eras)('of the %s era', (era) => {
    test.each<[string, ClientCapabilities]>([
      ['nothing', {}],
      ['links only', { elicitation: { url: {} } }],
      ['sampling and roots only', { sampling: { tools: {} }, roots: {} }],
    ])(
      'N3: a client that declared %s does not see what asks with forms',
      async (__, capabilities) => {
        const { client } = await connectClient(era, having(make, DEFINITIONS), { capabilities });

        expect(await listed(client)).toEqual(WHAT_IS_PLAIN);
      },
    );

    test.each<[string, ClientCapabilities]>([
      ['forms', { elicitation: { form: {} } }],
      ['a bare elicitation', { elicitation: {} }],
      ['forms and links', { elicitation: { form: {}, url: {} } }],
    ])(
      'N3: a client that declared %s sees everything, in the usual order',
      async (__, capabilities) => {
        const { client } = await connectClient(era, having(make, DEFINITIONS), { capabilities });

        expect(await listed(client)).toEqual(EVERYTHING);
      },
    );

    test('H1, N3: what is hidden is there all the same, and calling it is refused as ever', async () => {
      const { client } = await connectClient(era, having(make, DEFINITIONS));
      const refused = {
        code: -32021,
        message:
          "Client did not declare the form elicitation capability required by resolver 'name'",
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      };

      expect(await protocolErrorOf(client.callTool({ name: 'ask' }))).toEqual(refused);
      expect(await protocolErrorOf(client.getPrompt({ name: 'greet' }))).toEqual(refused);
      expect(await protocolErrorOf(client.readResource({ uri: 'card://me' }))).toEqual(refused);
      expect(await protocolErrorOf(client.readResource({ uri: 'note://7' }))).toEqual(refused);
    });

    test('what is shown works', async () => {
      const chat = await connectClient(era, having(make, DEFINITIONS), {
        elicit: () => accept({ name: 'Ada' }),
      });

      expect(await chat.text('ask')).toBe('Ada');
      expect((await chat.client.getPrompt({ name: 'greet' })).messages).toHaveLength(1);
      expect((await chat.client.readResource({ uri: 'note://7' })).contents).toEqual([
        { uri: 'note://7', text: 'read' },
      ]);
    });

    test('a hidden tool with a fallback can be called by whoever knows it', async () => {
      const kind = resolver({}, () => elicit('Name?', Name, { otherwise: { name: 'nobody' } }));
      const tool = defineTool(
        'kind',
        { resolve: { kind }, hideWhenCannotAsk },
        ({ kind: given }) => given.name,
      );
      const chat = await connectClient(era, having(make, [tool]));

      expect((await chat.client.listTools()).tools).toEqual([]);
      expect(await chat.text('kind')).toBe('nobody');
    });

    describe('what is asked is read from `asks`', () => {
      const asking = (asks: 'form' | 'url' | 'sample' | 'roots' | typeof Name | undefined) =>
        resolver({}, () => elicit('Name?', Name), asks === undefined ? {} : { asks });
      const tool = (id: string, resolvers: Record<string, AnyResolver>) =>
        defineTool(id, { resolve: resolvers as {}, hideWhenCannotAsk }, () => 'ran');
      const outer = resolver({ inner: asking('sample') }, () => 1);
      const TOOLS = [
        tool('undeclared', { a: asking(undefined) }),
        tool('schema', { a: asking(Name) }),
        tool('form', { a: asking('form') }),
        tool('url', { a: asking('url') }),
        tool('sample', { a: asking('sample') }),
        tool('roots', { a: asking('roots') }),
        tool('inside', { outer }),
        tool('form_and_sample', { a: asking('form'), b: asking('sample') }),
        // Those that say nothing are taken not to ask, beside one that does.
        tool('sample_and_undeclared', { a: asking('sample'), b: asking(undefined) }),
        defineTool('guarded', { guards: [asking('roots')], hideWhenCannotAsk }, () => 'ran'),
      ];
      const forms = ['undeclared', 'schema', 'form'];
      const samples = ['sample', 'inside', 'sample_and_undeclared'];

      test.each<[ClientCapabilities, string[]]>([
        [{}, []],
        [{ elicitation: {} }, forms],
        [{ elicitation: { url: {} } }, ['url']],
        [{ sampling: {} }, samples],
        [{ sampling: { tools: {} } }, samples],
        [{ roots: {} }, ['roots', 'guarded']],
        [{ elicitation: {}, sampling: {} }, [...forms, ...samples, 'form_and_sample']],
      ])('%j', async (capabilities, expected) => {
        const { client } = await connectClient(era, having(make, TOOLS), { capabilities });

        expect(named((await client.listTools()).tools).toSorted()).toEqual(expected.toSorted());
      });
    });

    test('definitions of several installations are hidden alike', async () => {
      const factory = () => {
        const server = make();
        for (const definition of DEFINITIONS) definition.register(server);
        return server;
      };

      expect(await listed((await connectClient(era, factory)).client)).toEqual(WHAT_IS_PLAIN);
      expect(await listed((await connectClient(era, factory, { elicit: [] })).client)).toEqual(
        EVERYTHING,
      );
    });

    test('a name is hidden in the list of its own kind only', async () => {
      const shown = definePrompt('ask', {}, () => 'ran');
      const page = defineResource('ask', 'card://ask', {}, () => 'read');
      const hidden = DEFINITIONS.filter((definition) => definition.name === 'ask');
      const { client } = await connectClient(era, having(make, [...hidden, shown, page]));

      expect((await client.listTools()).tools).toEqual([]);
      expect(named((await client.listPrompts()).prompts)).toEqual(['ask']);
      expect(named((await client.listResources()).resources)).toEqual(['ask']);
    });

    test('false hides nothing', async () => {
      const open = defineTool('open', { resolve, hideWhenCannotAsk: false }, () => 'ran');
      const { client } = await connectClient(era, having(make, [open]));

      expect(named((await client.listTools()).tools)).toEqual(['open']);
    });
  });

  test('on modern each request is looked at for itself', async () => {
    const handler = httpHandler(having(make, DEFINITIONS));
    const tools = async (capabilities: ClientCapabilities) => {
      const { body } = await post(handler, 'tools/list', {}, { capabilities });
      return named(body.result?.tools as { name: string }[]);
    };

    expect(await tools({})).toEqual(['plain_tool']);
    expect(await tools(FORM)).toEqual(['ask', 'plain_tool']);
    expect(await tools({ sampling: {} })).toEqual(['plain_tool']);
    expect(await tools(FORM)).toEqual(['ask', 'plain_tool']);
  });

  test('with the context of an HTTP request, lists are the same and calls find what is hidden', async () => {
    const handler = httpHandler((request) => {
      const server = make();
      install(server, DEFINITIONS, { request, seal });
      return server;
    });
    const { body } = await post(handler, 'tools/list', {});
    const call = { name: 'ask', arguments: {} };

    expect(named(body.result?.tools as { name: string }[])).toEqual(['plain_tool']);
    expect((await post(handler, 'tools/call', call)).body.error?.code).toBe(-32021);
    const asked = await post(handler, 'tools/call', call, { capabilities: FORM });
    expect(asked.body.result?.resultType).toBe('input_required');
  });

  test('on legacy what counts is what the session declared, whatever a request says', async () => {
    const { client } = await connectClient('legacy', having(make, DEFINITIONS));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': info,
      'io.modelcontextprotocol/clientCapabilities': FORM,
    };

    expect(named((await client.listTools({ _meta })).tools)).toEqual(['plain_tool']);
  });

  test('a legacy client that is served without a session cannot be asked, so it is hidden there too', async () => {
    const handler = httpHandler(having(make, DEFINITIONS));
    const response = await handler.fetch(
      new Request('http://server.test/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      }),
    );
    const body = await response.text();

    expect(body).toContain('"plain_tool"');
    expect(body).not.toContain('"ask"');
  });
});

describe.each(eras)('beside what the author has on an McpServer (%s)', (era) => {
  const factory = (when: string) => () => {
    const server = new McpServer(info);
    const author = (): void => {
      const answer = () => ({ content: [{ type: 'text' as const, text: 'by hand' }] });
      server.registerTool('author_tool', {}, answer);
      server.registerTool('disabled_tool', {}, answer).disable();
      server.registerPrompt('author_prompt', {}, () => ({ messages: [] }));
      server.registerResource('author_page', 'page://one', {}, () => ({ contents: [] }));
    };
    if (when === 'before') author();
    install(server, DEFINITIONS);
    if (when === 'after') author();
    return server;
  };

  test.each(['before', 'after'])('what was registered %s stays, and works', async (when) => {
    const bare = await connectClient(era, factory(when));
    const able = await connectClient(era, factory(when), { elicit: [] });
    const sorted = (lists: typeof EVERYTHING) =>
      Object.values(lists).map((names) => names.toSorted());
    const withAuthors = (lists: typeof EVERYTHING) => ({
      tools: [...lists.tools, 'author_tool'],
      prompts: [...lists.prompts, 'author_prompt'],
      resources: [...lists.resources, 'author_page'],
      templates: lists.templates,
    });

    expect(sorted(await listed(bare.client))).toEqual(sorted(withAuthors(WHAT_IS_PLAIN)));
    expect(sorted(await listed(able.client))).toEqual(sorted(withAuthors(EVERYTHING)));
    expect(await bare.text('author_tool')).toBe('by hand');
  });
});

describe.each(eras)('beside handlers that are written by hand (%s)', (era) => {
  const schema = { type: 'object' as const };
  const setHandlers = (server: Server): void => {
    server.setRequestHandler('tools/list', ({ params }) =>
      params?.cursor === 'page-2'
        ? { tools: [{ name: 'on_page_2', inputSchema: schema }] }
        : { tools: [{ name: 'by_hand', inputSchema: schema }], nextCursor: 'page-2' },
    );
    server.setRequestHandler('tools/call', ({ params }) => ({
      content: [{ type: 'text', text: `${params.name} by hand` }],
    }));
    server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'prompt_by_hand' }] }));
    server.setRequestHandler('resources/list', () => ({
      resources: [{ uri: 'hand://one', name: 'resource_by_hand' }],
    }));
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: 'hand://{id}', name: 'template_by_hand' }],
    }));
  };

  test.each(['before', 'after', 'both before and after'])(
    'those set %s install keep their entries, their order and their pages',
    async (when) => {
      const { client } = await connectClient(era, () => {
        const server = new Server(info, {
          capabilities: { tools: {}, prompts: {}, resources: {} },
        });
        if (when.includes('before')) setHandlers(server);
        install(server, DEFINITIONS);
        if (when.includes('after')) setHandlers(server);
        return server;
      });
      const page = (cursor?: string) =>
        client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } });

      expect(named((await page()).tools)).toEqual(['by_hand', 'plain_tool']);
      expect((await page()).nextCursor).toBe('page-2');
      expect(named((await page('page-2')).tools)).toEqual(['on_page_2']);
      const { prompts, resources, templates } = await listed(client);
      expect({ prompts, resources, templates }).toEqual({
        prompts: ['prompt_by_hand', 'plain_prompt'],
        resources: ['resource_by_hand', 'plain_card', 'plain first'],
        templates: ['template_by_hand', 'plain_note'],
      });
      expect((await client.callTool({ name: 'by_hand' })).content).toEqual([
        { type: 'text', text: 'by_hand by hand' },
      ]);
    },
  );
});

describe.each(eras)('what a hidden template matches and does not own (%s)', (era) => {
  const note = defineResource(
    'note',
    new ResourceTemplate('note://{id}', {
      list: () => ({ resources: [{ uri: 'note://1', name: 'first' }] }),
    }),
    { resolve, hideWhenCannotAsk },
    () => 'read',
  );
  const help = defineResource('help', 'note://help', {}, () => 'help');

  test.each<[string, Factory]>([
    [
      'the author’s',
      () => {
        const server = new McpServer(info);
        server.registerResource('help', 'note://help', {}, () => ({
          contents: [{ uri: 'note://help', text: 'help' }],
        }));
        install(server, [note]);
        return server;
      },
    ],
    ['another definition', having(() => new McpServer(info), [note, help])],
    ['another definition, on a Server', having(() => new Server(info), [note, help])],
    [
      'written by hand, on a Server',
      () => {
        const server = new Server(info, { capabilities: { resources: {} } });
        install(server, [note]);
        server.setRequestHandler('resources/list', () => ({
          resources: [{ uri: 'note://help', name: 'help' }],
        }));
        return server;
      },
    ],
  ])('a resource at such a uri stays in the list: %s', async (_, factory) => {
    const bare = await connectClient(era, factory);
    const able = await connectClient(era, factory, { elicit: [] });

    expect(named((await bare.client.listResources()).resources)).toEqual(['help']);
    expect(named((await able.client.listResources()).resources)).toEqual(['help', 'first']);
  });
});

describe('a list that depends on the client', () => {
  const hints = { ttlMs: 60_000, cacheScope: 'public' as const };
  const cacheHints = { 'tools/list': hints, 'prompts/list': hints };
  const handler = () =>
    httpHandler(() => {
      const server = new McpServer(info, { cacheHints });
      install(server, [
        ...DEFINITIONS.filter(({ name: id }) => id === 'ask'),
        definePrompt('open', {}, () => 'ran'),
      ]);
      return server;
    });

  test.each<ClientCapabilities>([{}, FORM])('is not for a public cache: %j', async (declared) => {
    const { body } = await post(handler(), 'tools/list', {}, { capabilities: declared });

    expect(body.result).toMatchObject({ cacheScope: 'private', ttlMs: 60_000 });
  });

  test('a list without anything to hide is left as it is', async () => {
    const { body } = await post(handler(), 'prompts/list', {});

    expect(body.result).toMatchObject({ cacheScope: 'public', ttlMs: 60_000 });
  });

  test('on legacy there is no such thing', async () => {
    const { client } = await connectClient('legacy', () => {
      const server = new McpServer(info, { cacheHints });
      install(server, DEFINITIONS);
      return server;
    });

    expect(await client.listTools()).not.toHaveProperty('cacheScope');
  });
});

describe('when the lists of a connection change', () => {
  /** A legacy connection to an McpServer, and how often it was told that its tools changed. */
  const connect = async (capabilities: ClientCapabilities = {}) => {
    const server = new McpServer(info, { capabilities: { tools: { listChanged: true } } });
    const author = server.registerTool('author_tool', {}, () => ({ content: [] }));
    const changed = vi.fn();
    const client = new Client(info, {
      capabilities,
      versionNegotiation: { mode: 'legacy' },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    closeAfterTest(() => client.close());
    closeAfterTest(() => server.close());
    await server.connect(far);
    await client.connect(near);
    const tools = async () => named((await client.listTools()).tools);
    const told = (times: number) =>
      vi.waitFor(() => {
        expect(changed).toHaveBeenCalledTimes(times);
      });
    return { server, author, tools, told };
  };
  const hidden = defineTool('ask', { resolve, hideWhenCannotAsk }, () => 'ran');

  test('a tool that is installed later is announced, and hidden at once', async () => {
    const bare = await connect();
    install(bare.server, [hidden]);
    await bare.told(1);
    expect(await bare.tools()).toEqual(['author_tool']);

    const able = await connect(FORM);
    install(able.server, [hidden]);
    await able.told(1);
    expect(await able.tools()).toEqual(['author_tool', 'ask']);
  });

  test('the author’s tools are disabled, enabled, renamed and removed as ever', async () => {
    const { server, author, tools, told } = await connect();
    install(server, [hidden]);
    await told(1);

    author.disable();
    await told(2);
    expect(await tools()).toEqual([]);
    author.enable();
    await told(3);
    expect(await tools()).toEqual(['author_tool']);
    author.update({ name: 'renamed' });
    await told(4);
    expect(await tools()).toEqual(['renamed']);
    author.remove();
    await told(5);
    expect(await tools()).toEqual([]);
  });
});

describe('what cannot be meant is refused when it is defined', () => {
  const definers: [string, (config: object) => unknown][] = [
    ['defineTool', (config) => defineTool('shy', config, () => 'ran')],
    ['definePrompt', (config) => definePrompt('shy', config, () => 'ran')],
    ['defineResource', (config) => defineResource('shy', 'shy://one', config, () => 'ran')],
  ];
  const thrownBy = (define: () => unknown): unknown => {
    try {
      define();
    } catch (error) {
      return error;
    }
    return undefined;
  };

  describe.each(definers)('%s', (_, define) => {
    test.each<[string, object]>([
      ['nothing to ask with', {}],
      ['no resolvers', { resolve: {} }],
      ['no guards', { guards: [] }],
    ])('hideWhenCannotAsk with %s', (__, config) => {
      const error = thrownBy(() => define({ ...config, hideWhenCannotAsk }));

      expect(error).toBeInstanceOf(InvalidGraphError);
      expect(error).toMatchObject({
        code: 'ERR_DEFINITION',
        path: ['shy'],
        message: "'shy': hideWhenCannotAsk makes no sense without resolvers that ask.",
      });
    });

    test.each([['yes'], [1], [null], [{}], ['false']])('hideWhenCannotAsk: %j', (given) => {
      expect(thrownBy(() => define({ resolve, hideWhenCannotAsk: given }))).toMatchObject({
        code: 'ERR_DEFINITION',
        message: "'shy': hideWhenCannotAsk is true or false.",
      });
    });

    test.each(['hideWhenCanNotAsk', 'hideWhenCantAsk', 'hidewhencannotask'])(
      'the slip %s',
      (slip) => {
        expect(thrownBy(() => define({ resolve, [slip]: true }))).toMatchObject({
          code: 'ERR_DEFINITION',
          message: expect.stringContaining(
            `has no field '${slip}': did you mean 'hideWhenCannotAsk'?`,
          ) as string,
        });
      },
    );

    test('hideWhenCannotAsk: false and undefined are like none at all', () => {
      expect(thrownBy(() => define({ hideWhenCannotAsk: false }))).toBeUndefined();
      expect(thrownBy(() => define({ hideWhenCannotAsk: undefined }))).toBeUndefined();
    });
  });
});
