/** N. Hiding: lists leave out definitions with questions that the client cannot answer. */
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
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import type { AnyDefinition, AnyResolver, Askable } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { closeAfterTest, type Factory, httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';

const info = { name: 'hiding', version: '1.0.0' };
const seal = requestStateSeal({
  keys: ['a key of the tests, 32 bytes or more'],
  audience: 'hiding',
});
const Name = z.object({ name: z.string() });
const hideWhenCannotAsk = true;
const FORM: ClientCapabilities = { elicitation: {} };

const name = resolver({}, () => elicit('Name?', Name), { asks: 'form' });
const resolve = { name };

const note = defineResource(
  'note',
  new ResourceTemplate('note://{id}', {
    list: () => ({ resources: [{ uri: 'note://1', name: 'first' }] }),
  }),
  { resolve, hideWhenCannotAsk },
  () => 'read',
);

const DEFINITIONS: readonly AnyDefinition[] = [
  defineTool('ask', { resolve, hideWhenCannotAsk }, ({ name: given }) => given.name),
  defineTool('plain_tool', { resolve }, () => 'ran'),
  definePrompt('greet', { resolve, hideWhenCannotAsk }, ({ name: given }) => given.name),
  definePrompt('plain_prompt', { resolve }, () => 'ran'),
  defineResource('card', 'card://me', { resolve, hideWhenCannotAsk }, () => 'read'),
  defineResource('plain_card', 'card://plain', { resolve }, () => 'read'),
  note,
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
const NOT_HIDDEN = {
  tools: ['plain_tool'],
  prompts: ['plain_prompt'],
  resources: ['plain_card', 'plain first'],
  templates: ['plain_note'],
};

const named = (list: readonly { name: string }[]): string[] => list.map((entry) => entry.name);

/** Returns the names in all four lists. */
async function listed(client: Client): Promise<typeof EVERYTHING> {
  return {
    tools: named((await client.listTools()).tools),
    prompts: named((await client.listPrompts()).prompts),
    resources: named((await client.listResources()).resources),
    templates: named((await client.listResourceTemplates()).resourceTemplates),
  };
}

/** Creates servers with definitions. `make` decides the kind of server. */
function serverWith(
  make: () => McpServer | Server,
  definitions: readonly AnyDefinition[],
): Factory {
  return () => {
    const server = make();
    install(server, definitions, { seal });
    return server;
  };
}

describe.each<[string, () => McpServer | Server]>([
  ['McpServer', () => new McpServer(info)],
  ['Server', () => new Server(info)],
])('with %s', (_, make) => {
  describe.each(eras)('on the %s era', (era) => {
    test.each<[string, ClientCapabilities]>([
      ['nothing', {}],
      ['only links', { elicitation: { url: {} } }],
      ['only sampling and roots', { sampling: { tools: {} }, roots: {} }],
    ])(
      'N3: hides definitions that ask with forms from a client that declared %s',
      async (__, capabilities) => {
        const { client } = await connectClient(era, serverWith(make, DEFINITIONS), {
          capabilities,
        });

        expect(await listed(client)).toEqual(NOT_HIDDEN);
      },
    );

    test.each<[string, ClientCapabilities]>([
      ['forms', { elicitation: { form: {} } }],
      ['elicitation without modes', { elicitation: {} }],
      ['forms and links', { elicitation: { form: {}, url: {} } }],
    ])(
      'N3: lists all definitions in order for a client that declared %s',
      async (__, capabilities) => {
        const { client } = await connectClient(era, serverWith(make, DEFINITIONS), {
          capabilities,
        });

        expect(await listed(client)).toEqual(EVERYTHING);
      },
    );

    test('H1, N3: refuses a call to a hidden definition with the usual error', async () => {
      const { client } = await connectClient(era, serverWith(make, DEFINITIONS));
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

    test('completes calls to definitions that it lists', async () => {
      const { client, text } = await connectClient(era, serverWith(make, DEFINITIONS), {
        elicit: () => accept({ name: 'Ada' }),
      });

      expect(await text('ask')).toBe('Ada');
      expect((await client.getPrompt({ name: 'greet' })).messages).toHaveLength(1);
      expect((await client.readResource({ uri: 'note://7' })).contents).toEqual([
        { uri: 'note://7', text: 'read' },
      ]);
    });

    test('completes a call to a hidden tool with a fallback', async () => {
      const kind = resolver({}, () => elicit('Name?', Name, { otherwise: { name: 'anonymous' } }), {
        asks: 'form',
      });
      const tool = defineTool(
        'kind',
        { resolve: { kind }, hideWhenCannotAsk },
        ({ kind: given }) => given.name,
      );
      const { client, text } = await connectClient(era, serverWith(make, [tool]));

      expect((await client.listTools()).tools).toEqual([]);
      expect(await text('kind')).toBe('anonymous');
    });

    describe('the questions in `asks`', () => {
      const asking = (asks?: Askable | typeof Name) =>
        resolver({}, (): unknown => elicit('Name?', Name), asks && { asks });
      const tool = (id: string, resolvers: Record<string, AnyResolver>) =>
        defineTool(id, { resolve: resolvers as {}, hideWhenCannotAsk }, () => 'ran');
      const outer = resolver({ inner: asking('sample') }, () => 1);
      const guard = resolver({ inner: asking('roots') }, () => true);
      const TOOLS = [
        tool('schema', { a: asking(Name) }),
        tool('form', { a: asking('form') }),
        tool('url', { a: asking('url') }),
        tool('sample', { a: asking('sample') }),
        tool('roots', { a: asking('roots') }),
        tool('inside', { outer }),
        tool('form_and_sample', { a: asking('form'), b: asking('sample') }),
        // Beside a resolver that declares a question, one that declares none does not ask.
        tool('sample_and_undeclared', { a: asking('sample'), b: asking() }),
        defineTool('guarded', { guards: [guard], hideWhenCannotAsk }, () => 'ran'),
      ];
      const forms = ['schema', 'form'];
      const samples = ['sample', 'inside', 'sample_and_undeclared'];

      test.each<[ClientCapabilities, string[]]>([
        [{}, []],
        [{ elicitation: {} }, forms],
        [{ elicitation: { url: {} } }, ['url']],
        [{ sampling: {} }, samples],
        [{ sampling: { tools: {} } }, samples],
        [{ roots: {} }, ['roots', 'guarded']],
        [{ elicitation: {}, sampling: {} }, [...forms, ...samples, 'form_and_sample']],
      ])('decide which tools a client with %j sees', async (capabilities, expected) => {
        const { client } = await connectClient(era, serverWith(make, TOOLS), { capabilities });

        expect(named((await client.listTools()).tools).toSorted()).toEqual(expected.toSorted());
      });
    });

    test('hides definitions that are installed one by one', async () => {
      const factory = () => {
        const server = make();
        for (const definition of DEFINITIONS) install(server, [definition]);
        return server;
      };

      expect(await listed((await connectClient(era, factory)).client)).toEqual(NOT_HIDDEN);
      expect(await listed((await connectClient(era, factory, { elicit: [] })).client)).toEqual(
        EVERYTHING,
      );
    });

    test('hides a name only in the list of its own kind', async () => {
      const shown = definePrompt('ask', {}, () => 'ran');
      const page = defineResource('ask', 'card://ask', {}, () => 'read');
      const hidden = DEFINITIONS.filter((definition) => definition.name === 'ask');
      const { client } = await connectClient(era, serverWith(make, [...hidden, shown, page]));

      expect((await client.listTools()).tools).toEqual([]);
      expect(named((await client.listPrompts()).prompts)).toEqual(['ask']);
      expect(named((await client.listResources()).resources)).toEqual(['ask']);
    });

    test('hides nothing if hideWhenCannotAsk is false', async () => {
      const open = defineTool('open', { resolve, hideWhenCannotAsk: false }, () => 'ran');
      const { client } = await connectClient(era, serverWith(make, [open]));

      expect(named((await client.listTools()).tools)).toEqual(['open']);
    });
  });

  test('decides for each modern request', async () => {
    const handler = httpHandler(serverWith(make, DEFINITIONS));
    const tools = async (capabilities: ClientCapabilities) => {
      const { body } = await post(handler, 'tools/list', {}, { capabilities });
      return named(body.result?.tools as { name: string }[]);
    };

    expect(await tools({})).toEqual(['plain_tool']);
    expect(await tools(FORM)).toEqual(['ask', 'plain_tool']);
    expect(await tools({ sampling: {} })).toEqual(['plain_tool']);
    expect(await tools(FORM)).toEqual(['ask', 'plain_tool']);
  });

  test('hides tools with the context of an HTTP request, and still finds them in a call', async () => {
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

  test('decides by the capabilities of a legacy session and ignores those of a request', async () => {
    const { client } = await connectClient('legacy', serverWith(make, DEFINITIONS));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': info,
      'io.modelcontextprotocol/clientCapabilities': FORM,
    };

    expect(named((await client.listTools({ _meta })).tools)).toEqual(['plain_tool']);
  });

  test('hides tools from a legacy client without a session', async () => {
    const handler = httpHandler(serverWith(make, DEFINITIONS));
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

describe.each(eras)("beside the author's own registrations, on the %s era", (era) => {
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

  test.each(['before', 'after'])('keeps those that come %s install', async (when) => {
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

    expect(sorted(await listed(bare.client))).toEqual(sorted(withAuthors(NOT_HIDDEN)));
    expect(sorted(await listed(able.client))).toEqual(sorted(withAuthors(EVERYTHING)));
    expect(await bare.text('author_tool')).toBe('by hand');
  });
});

describe.each(eras)("beside the author's own handlers, on the %s era", (era) => {
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
    'keeps the entries, order and pages of those set %s install',
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

describe.each(eras)('a hidden template, on the %s era', (era) => {
  const help = defineResource('help', 'note://help', {}, () => 'help');

  test.each<[string, Factory]>([
    [
      'that the author registered',
      () => {
        const server = new McpServer(info);
        server.registerResource('help', 'note://help', {}, () => ({
          contents: [{ uri: 'note://help', text: 'help' }],
        }));
        install(server, [note]);
        return server;
      },
    ],
    ['of another definition', serverWith(() => new McpServer(info), [note, help])],
    ['of another definition on a Server', serverWith(() => new Server(info), [note, help])],
    [
      "of the author's handler on a Server",
      () => {
        const server = new Server(info, { capabilities: { resources: {} } });
        install(server, [note]);
        server.setRequestHandler('resources/list', () => ({
          resources: [{ uri: 'note://help', name: 'help' }],
        }));
        return server;
      },
    ],
  ])('does not hide a resource %s whose uri it matches', async (_, factory) => {
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

  test.each<ClientCapabilities>([{}, FORM])('is private to a client with %j', async (declared) => {
    const { body } = await post(handler(), 'tools/list', {}, { capabilities: declared });

    expect(body.result).toMatchObject({ cacheScope: 'private', ttlMs: 60_000 });
  });

  test('stays public if it hides nothing', async () => {
    const { body } = await post(handler(), 'prompts/list', {});

    expect(body.result).toMatchObject({ cacheScope: 'public', ttlMs: 60_000 });
  });

  test('has no cache scope on the legacy era', async () => {
    const { client } = await connectClient('legacy', () => {
      const server = new McpServer(info, { cacheHints });
      install(server, DEFINITIONS);
      return server;
    });

    expect(await client.listTools()).not.toHaveProperty('cacheScope');
  });
});

describe('a legacy connection', () => {
  /** Connects a legacy client and counts the notifications that its tools changed. */
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
    const waitForChanges = (times: number) =>
      vi.waitFor(() => {
        expect(changed).toHaveBeenCalledTimes(times);
      });
    return { server, author, tools, waitForChanges };
  };
  const hidden = defineTool('ask', { resolve, hideWhenCannotAsk }, () => 'ran');

  test('announces a tool that is installed later, and hides it', async () => {
    const bare = await connect();
    install(bare.server, [hidden]);
    await bare.waitForChanges(1);
    expect(await bare.tools()).toEqual(['author_tool']);

    const able = await connect(FORM);
    install(able.server, [hidden]);
    await able.waitForChanges(1);
    expect(await able.tools()).toEqual(['author_tool', 'ask']);
  });

  test("follows the author's tools when they are disabled, enabled, renamed and removed", async () => {
    const { server, author, tools, waitForChanges } = await connect();
    install(server, [hidden]);
    await waitForChanges(1);

    author.disable();
    await waitForChanges(2);
    expect(await tools()).toEqual([]);
    author.enable();
    await waitForChanges(3);
    expect(await tools()).toEqual(['author_tool']);
    author.update({ name: 'renamed' });
    await waitForChanges(4);
    expect(await tools()).toEqual(['renamed']);
    author.remove();
    await waitForChanges(5);
    expect(await tools()).toEqual([]);
  });
});

describe('the option hideWhenCannotAsk', () => {
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

  describe.each(definers)('of %s', (definer, define) => {
    const what = definer.replace('define', '');

    test.each<[string, object]>([
      ['resolve and guards', {}],
      ['resolvers', { resolve: {} }],
      ['guards', { guards: [] }],
      ['a declared question', { resolve: { computed: resolver({}, () => 1) } }],
    ])('is refused without %s', (__, config) => {
      const error = thrownBy(() => define({ ...config, hideWhenCannotAsk }));

      expect(error).toEqual(
        new TypeError(
          `${what} 'shy': \`hideWhenCannotAsk\` has no effect, because no resolver declares a question. Add \`asks\` to the resolver that asks, or remove \`hideWhenCannotAsk\`.`,
        ),
      );
    });

    test.each([['yes'], [1], [null], [{}], ['false']])('is refused if it is %j', (given) => {
      expect(thrownBy(() => define({ resolve, hideWhenCannotAsk: given }))).toEqual(
        new TypeError(`${what} 'shy': \`hideWhenCannotAsk\` must be true or false.`),
      );
    });

    test.each(['hideWhenCanNotAsk', 'hideWhenCantAsk', 'hidewhencannotask'])(
      'is suggested for the misspelling %s',
      (slip) => {
        expect(thrownBy(() => define({ resolve, [slip]: true }))).toEqual(
          new TypeError(`${what} 'shy' has no option '${slip}'. Did you mean 'hideWhenCannotAsk'?`),
        );
      },
    );

    test('may be false or undefined without resolvers', () => {
      expect(thrownBy(() => define({ hideWhenCannotAsk: false }))).toBeUndefined();
      expect(thrownBy(() => define({ hideWhenCannotAsk: undefined }))).toBeUndefined();
    });
  });
});
