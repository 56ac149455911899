/**
 * Tests the error messages for the mistakes of newcomers: each says what to do. The mistakes are
 * written without types, as in JavaScript. Many of them do not compile, which `test/compile-errors`
 * tests.
 */
import { createRequire } from 'node:module';
import { McpServer } from '@modelcontextprotocol/server';
import type * as sdk from '@modelcontextprotocol/server';
import {
  arg,
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  install,
  memoryStore,
  outcome,
  resolver,
} from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { approval as askApproval, approvalDesk } from 'mcp-resolve/approvals';
import { createDualEraHandler, serveHttp } from 'mcp-resolve/node';
import { redisStore } from 'mcp-resolve/store';
import { accept, run } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import { post } from '../support/wire.js';

/** The same functions without their types. */
type Untyped<Names extends string> = Record<Names, (...given: unknown[]) => Tool>;

const untyped = {
  ...{ arg, argsOf, confirm, definePrompt, defineResource, defineTool },
  ...{ elicit, install, outcome, resolver },
} as unknown as Untyped<
  'confirm' | 'definePrompt' | 'defineResource' | 'defineTool' | 'elicit' | 'install' | 'resolver'
>;
const Input = z.object({ order_id: z.string() });
const body = (): string => 'done';

const REFUND = defineTool('refund', {}, body);
const newServer = (): McpServer => new McpServer({ name: 's', version: '1' });
const NEEDS = [
  ['a resolver', resolver({}, () => 5), 'A resolver'],
  ['an argument', argsOf(Input).order_id, 'An argument'],
  ['an optional argument', arg.optional(argsOf(Input).order_id), 'An argument'],
  ['an outcome', outcome(resolver({}, () => 5)), 'An outcome()'],
] as const;

/** Mistakes that throw when something is defined, with a part of the message. */
const DEFINITIONS: readonly (readonly [mistake: string, make: () => unknown, message: string])[] = [
  [
    'a plain function as a need',
    () => untyped.defineTool('t', { resolve: { x: () => 1 } }, body),
    'got a function. Wrap it as resolver({ … }, fn).',
  ],
  [
    'a plain function as a need of a resolver',
    () =>
      untyped.defineTool('t', { resolve: { x: untyped.resolver({ y: () => 1 }, () => 1) } }, body),
    'got a function. Wrap it as resolver({ … }, fn).',
  ],
  [
    'resolver(fn) without needs',
    () => untyped.resolver(() => 1),
    '`needs` must be an object, such as { id: args.order_id }, or {} if there are none',
  ],
  [
    'JSON Schema as inputSchema',
    () => untyped.defineTool('t', { inputSchema: { type: 'object', properties: {} } }, body),
    'Wrap the JSON Schema in fromJsonSchema()',
  ],
  [
    'a raw shape as inputSchema',
    () => untyped.defineTool('t', { inputSchema: { id: z.string() } }, body),
    'Wrap the raw shape in z.object({ … })',
  ],
  [
    'a string schema as inputSchema',
    () => untyped.defineTool('t', { inputSchema: z.string() }, body),
    'Wrap it in z.object({ … })',
  ],
  ['no body', () => untyped.defineTool('t', {}), '`body` must be a function'],
  [
    'options after the body of a tool',
    () => untyped.defineTool('t', { inputSchema: Input }, body, { once: true }),
    "Tool 't': `body` must be the last argument. Move options such as `inputSchema` into `config`. Write defineTool('refund_order', { … }, body).",
  ],
  [
    'options after the body of a resource',
    () => untyped.defineResource('t', 'trips://next', {}, body, {}),
    "Resource 't': `body` must be the last argument.",
  ],
  ['no configuration', () => untyped.defineTool('t', body), '`config` must be an object'],
  [
    'a misspelt option',
    () => untyped.defineTool('t', { resolves: {} }, body),
    "Did you mean 'resolve'?",
  ],
  [
    'an option name of another library',
    () => untyped.defineTool('t', { parameters: Input }, body),
    "Did you mean 'inputSchema'?",
  ],
  [
    'inputSchema of a prompt',
    () => untyped.definePrompt('p', { inputSchema: Input }, body),
    "Did you mean 'argsSchema'?",
  ],
  [
    'an option that only tools have',
    () => untyped.definePrompt('p', { once: {} }, body),
    "has no option 'once'. It belongs to another kind of definition.",
  ],
  [
    'a template as a plain URI',
    () => untyped.defineResource('r', 'orders://{id}', {}, body),
    "Write new ResourceTemplate('orders://{id}', { list: undefined }).",
  ],
  [
    'an argument that the tool does not have',
    () =>
      untyped.defineTool(
        't',
        { inputSchema: Input, resolve: { x: untyped.resolver({ i: arg('id') }, () => 1) } },
        body,
      ),
    "Add 'id' to `inputSchema`, or name another argument with arg('name').",
  ],
  [
    'a name for both an argument and a resolved parameter',
    () =>
      untyped.defineTool(
        't',
        { inputSchema: Input, resolve: { order_id: untyped.resolver({}, () => 1) } },
        body,
      ),
    'Rename one of them',
  ],
  [
    'a question as a need',
    () => untyped.defineTool('t', { resolve: { sure: confirm('Sure?') } }, body),
    'got a question. Return it from a resolver.',
  ],
  [
    'a schema as a need',
    () =>
      untyped.defineTool(
        't',
        { resolve: { x: untyped.resolver({ id: z.string() }, () => 1) } },
        body,
      ),
    'got a schema. Use arg() for an argument',
  ],
  [
    'a resolver that is defined further down',
    () => untyped.defineTool('t', { resolve: { x: undefined } }, body),
    'Check for a misspelt name, a definition further down in the file',
  ],
  [
    'an outcome as a guard',
    () => untyped.defineTool('t', { guards: [outcome(resolver({}, () => 1))] }, body),
    'a guard cannot be an outcome(), because a refusal would not end the call',
  ],
  [
    'a nested schema in a declared form',
    () => {
      const asks = z.object({ address: z.object({ street: z.string() }) });
      return untyped.defineTool(
        't',
        { resolve: { x: untyped.resolver({}, () => 1, { asks }) } },
        body,
      );
    },
    'asks with a schema that a form cannot show',
  ],
  [
    'pin and dispose together',
    () => untyped.resolver({}, () => 1, { pin: z.number(), dispose: () => undefined }),
    '`pin` and `dispose` cannot be combined',
  ],
  [
    'elicit without a schema',
    () => untyped.elicit('Name?'),
    '`schema` must be a schema that provides JSON Schema, such as z.object({ … })',
  ],
  [
    'install without an array',
    () => untyped.install(new McpServer({ name: 's', version: '1' }), defineTool('t', {}, body)),
    '`definitions` must be an array. Write install(server, [refundOrder])',
  ],
  [
    'install on an HTTP server',
    () => untyped.install({ listen: body }, []),
    '`server` must be an McpServer or a Server',
  ],
  [
    'install on a server of the first SDK package',
    () => untyped.install({ registerTool: body, server: { setRequestHandler: body } }, []),
    "For a server from '@modelcontextprotocol/sdk', use install() of 'mcp-resolve/v1'",
  ],
  [
    'several definitions without an array',
    () => untyped.install(newServer(), untyped.defineTool('a', {}, body), REFUND),
    'the definitions must be one array. Write install(server, [first, second]).',
  ],
  [
    'a second definition after the array',
    () => untyped.install(newServer(), [REFUND], REFUND),
    'the definitions must be one array. Write install(server, [first, second]).',
  ],
  [
    'install with its arguments swapped',
    () => untyped.install([REFUND], newServer()),
    '`server` must be an McpServer or a Server. The server comes first.',
  ],
  [
    'a definition that is installed twice',
    () => {
      const server = newServer();
      untyped.install(server, [REFUND]);
      return untyped.install(server, [REFUND]);
    },
    'Tool refund is already registered',
  ],
  [
    'keys among the options of install',
    () => untyped.install(newServer(), [], { keys: ['…'] }),
    "install() has no option 'keys'. Add it to the options of the seal: requestStateSeal({ keys, audience }).",
  ],
  [
    'once among the options of install',
    () => untyped.install(newServer(), [], { once: memoryStore() }),
    "install() has no option 'once'. Add it to the options of the tool: defineTool(name, { once: … }, body).",
  ],
  [
    'otherwise among the options of a resolver',
    () => untyped.resolver({}, () => confirm('Sure?'), { asks: 'form', otherwise: false }),
    "resolver() has no option 'otherwise'. Add it to the options of the question: confirm(message, { otherwise: … }).",
  ],
  [
    'once among the options of a resolver',
    () => untyped.resolver({}, () => confirm('Sure?'), { asks: 'form', once: memoryStore() }),
    'Add it to the options of the tool: defineTool(name, { once: … }, body).',
  ],
  [
    'asks among the options of a question',
    () => untyped.confirm('Sure?', { asks: 'form' }),
    "confirm() has no option 'asks'. Add it to the options of the resolver: resolver(needs, fn, { asks: … }).",
  ],
  [
    'an object in place of a message',
    () => untyped.confirm({ message: 'Sure?' }),
    "confirm(): `message` must be a non-empty string. Write confirm('Refund 48 euros?').",
  ],
  [
    'an empty message',
    () => untyped.confirm(''),
    "`message` must be a non-empty string. Write confirm('Refund 48 euros?').",
  ],
  [
    'a form with its arguments swapped',
    () => untyped.elicit(Input, 'Which order?'),
    "elicit(): `message` must be a non-empty string. Write elicit('Which size?', z.object({ … })).",
  ],
  [
    'a schema for confirm',
    () => untyped.confirm('Sure?', Input),
    'Known options: otherwise, declined, label. To ask with a schema, write elicit(message, schema).',
  ],
  [
    'a second text for confirm',
    () => untyped.confirm('Sure?', 'Really?'),
    'confirm(): `options` must be an object. Known options: otherwise, declined, label.',
  ],
  [
    'a resource with its name and its uri swapped',
    () => untyped.defineResource('trips://next', 'next', {}, body),
    "the uri must be absolute, got 'next'. The name comes first. Write defineResource(name, uri, config, body).",
  ],
  [
    'a number in place of the options of a store',
    () => memoryStore(1000 as never),
    '`options` must be an object. Known options: maxEntries, maxBytes, share, singleProcess.',
  ],
  [
    'the url of Redis in place of a client',
    () => redisStore('redis://127.0.0.1:6379' as never),
    'Write redisStore(createClient({ url })) with a client that connects.',
  ],
  [
    'a store in place of the options of a desk',
    () => approvalDesk(memoryStore() as never),
    'approvalDesk(): the store is an option. Write approvalDesk({ store }).',
  ],
  [
    'an approval without its requester',
    () => askApproval('Refund', { by: 'acme/desk' } as never),
    '`requester` is required. Write requester: user.id, with the id that the user signs in with.',
  ],
  [
    'an approval with a group in place of its options',
    () => askApproval('Refund', 'acme/desk' as never),
    "Write approval(message, { by: 'acme/treasury', requester: user.id }).",
  ],
  ...NEEDS.map(
    ([kind, need, subject]) =>
      [
        `${kind} inside a text`,
        () => `Refund ${need as unknown as string}?`,
        `${subject} was used as a string or a number. Add it to the needs, or to \`resolve\` of the tool, and use the value that the function receives.`,
      ] as const,
  ),
  [
    'a resolver as a number',
    () => (resolver({}, () => 5) as never as number) * 2,
    'A resolver was used as a string or a number.',
  ],
  [
    'a function among the definitions',
    () => untyped.install(new McpServer({ name: 's', version: '1' }), [body]),
    'Create one with defineTool(name, config, body)',
  ],
];

describe('the error says what to do about', () => {
  test.each(DEFINITIONS)('%s', (_, make, message) => {
    expect(make).toThrow(message);
  });
});

class Desk {
  private readonly orders = new Map([['ORD-1', 48]]);

  load(): number | undefined {
    return this.orders.get('ORD-1');
  }
}

const desk = new Desk();
const NESTED = z.object({ address: z.object({ street: z.string() }) });

const approval = resolver({}, () => confirm('Sure?'), { asks: 'form' });

async function awaiting(): Promise<boolean> {
  // eslint-disable-next-line @typescript-eslint/await-thenable -- the mistake itself
  return Boolean(await confirm('Sure?'));
}

function throwing(): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- the mistake itself
  throw confirm('Sure?');
}

/** Mistakes that fail the call, with a part of the message. The model does not read it. */
const CALLS: readonly (readonly [mistake: string, tool: Tool, message: string])[] = [
  [
    'a body that returns a question',
    untyped.defineTool('t', {}, () => confirm('Sure?')),
    'Return the question from a resolver instead.',
  ],
  [
    'a question that is awaited',
    untyped.defineTool('t', { resolve: { x: resolver({}, awaiting) } }, body),
    "Resolver 'x' created a question but did not return it, so it was never asked. Return the question itself.",
  ],
  [
    'a question that is used as a condition',
    untyped.defineTool(
      't',
      { resolve: { x: resolver({}, () => Boolean(confirm('Sure?'))) } },
      body,
    ),
    "Resolver 'x' created a question but did not return it, so it was never asked. Return the question itself.",
  ],
  [
    'a question that is awaited in a body',
    untyped.defineTool('t', {}, async () => ((await awaiting()) ? 'wiped' : 'kept')),
    "The body of 't' asked a question",
  ],
  [
    'a question that is thrown',
    untyped.defineTool('t', { resolve: { x: untyped.resolver({}, throwing) } }, body),
    'A question was thrown. Return it from the resolver instead.',
  ],
  [
    'a resolver that returns a resolver',
    untyped.defineTool('t', { resolve: { x: untyped.resolver({}, () => approval) } }, body),
    "Resolver 'x' returned a resolver, where it has no effect. Add it to the needs, or to `resolve` of the tool, and use its value.",
  ],
  [
    'a resolver that returns an outcome()',
    untyped.defineTool('t', { guards: [untyped.resolver({}, () => outcome(approval))] }, body),
    "Resolver 'guard' returned outcome(), where it has no effect",
  ],
  [
    'a method as a body',
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the mistake itself
    untyped.defineTool('t', {}, desk.load),
    'Pass a method as (values, ctx) => desk.load(values, ctx)',
  ],
  [
    'a body that returns nothing',
    untyped.defineTool('t', {}, () => undefined),
    'returned nothing. A tool body must return a string or a CallToolResult.',
  ],
  [
    'a body that returns a value without outputSchema',
    untyped.defineTool('t', {}, () => 48),
    'To return another value, declare `outputSchema`.',
  ],
  [
    'a method without its object',
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the mistake itself
    untyped.defineTool('t', { resolve: { x: resolver({}, desk.load) } }, body),
    'Pass a method as (values, ctx) => desk.load(values, ctx)',
  ],
  [
    'a nested schema in a form',
    untyped.defineTool(
      't',
      { resolve: { x: resolver({}, () => elicit('Where?', NESTED), { asks: 'form' }) } },
      body,
    ),
    'properties.address. Write z.object() with fields such as z.string(), z.number(), z.boolean(), z.enum([…]) and z.array(z.enum([…])).',
  ],
  [
    'a question that shows a resolver',
    untyped.defineTool(
      't',
      {
        resolve: {
          x: resolver({}, () => confirm(`Refund ${NEEDS[0][1] as unknown as string}?`), {
            asks: 'form',
          }),
        },
      },
      body,
    ),
    'A resolver was used as a string or a number.',
  ],
  [
    'a body that returns nothing, with outputSchema',
    untyped.defineTool('t', { outputSchema: Input }, () => undefined),
    'The body returned nothing. Return the value that the schema describes.',
  ],
  [
    'a body that returns a CallToolResult, with outputSchema',
    untyped.defineTool('t', { outputSchema: Input }, () => ({ content: [] })),
    'The body returned a CallToolResult. With `outputSchema`, return the value itself.',
  ],
  [
    'a question inside another value',
    untyped.defineTool(
      't',
      { resolve: { x: resolver({}, () => ({ sure: confirm('Sure?') })) } },
      body,
    ),
    "Resolver 'x' returned a question inside another value, where it has no effect. Return the question itself",
  ],
  [
    'a pinned value that is not JSON',
    untyped.defineTool(
      't',
      { resolve: { x: untyped.resolver({}, () => new Map(), { pin: z.any() }) } },
      body,
    ),
    "Resolver 'x' is pinned, but its value is not JSON: it is an instance of Map",
  ],
];

describe('the error of a call says what to do about', () => {
  test.each(CALLS)('%s', async (_, tool, message) => {
    const { text, cause } = await run(tool as Tool<undefined>, undefined, {
      answers: () => accept({ confirm: true }),
      unused: 'allow',
    });
    expect(text).toBe('Error executing tool t');
    expect(cause?.message).toContain(message);
  });
});

test('a port in place of the options of serveHttp is refused with the right call', async () => {
  const served = serveHttp(newServer, 3000 as never);
  await expect(served).rejects.toThrow(
    '`options` must be an object, got 3000. Write { port: 3000 }.',
  );
});

describe('two copies of the SDK', () => {
  /** The CommonJS copy, whose classes differ from those that this file imports. */
  const copy = createRequire(import.meta.url)('@modelcontextprotocol/server') as typeof sdk;
  const ask = defineTool('ask', { resolve: { approval } }, () => 'done');
  const factory = (): McpServer => {
    const server = new copy.McpServer({ name: 'copy', version: '1.0.0' });
    install(server, [ask]);
    return server;
  };

  test('work if definitions are only installed on a server of the other copy', async () => {
    expect(copy.McpServer).not.toBe(McpServer);
    const { text, asked } = await connectClient('legacy', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await text('ask')).toBe('done');
    expect(asked).toEqual(['Sure?']);
  });

  test('fail with a warning if a server of the other copy is served', async () => {
    const said: unknown[] = [];
    const log = vi.spyOn(console, 'warn').mockImplementation((text: unknown) => said.push(text));
    const handler = createDualEraHandler(factory);
    const headers = { host: '127.0.0.1' };
    const { status } = await post(handler, 'tools/call', { name: 'ask' }, { headers });
    log.mockRestore();
    await handler.close();

    expect(status).toBe(500);
    expect(said.join()).toContain(
      "a server from a different copy of '@modelcontextprotocol/server' than the one that mcp-resolve uses. Make both use the same copy.",
    );
  });
});

describe('a warning says what to do about', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const warnings = (): string[] => {
    const said: string[] = [];
    vi.spyOn(console, 'warn').mockImplementation((text: string) => said.push(text));
    return said;
  };

  test('definitions that are created for every request', () => {
    const said = warnings();
    for (let request = 0; request < 100; request += 1) {
      const server = new McpServer({ name: 's', version: '1' });
      install(server, [defineTool('made_per_request', {}, body)]);
    }
    expect(said.join()).toContain("'made_per_request' was defined 100 times. Define it once");
  });

  test.each([
    ['a literal', true],
    ['a function', () => true],
  ])('a confirmation that nobody gave: %s', async (name, otherwise) => {
    const said = warnings();
    const options = { otherwise };
    const sure = resolver({}, () => confirm('Sure?', options), { asks: 'form' });
    const pay = untyped.defineTool(
      name,
      { resolve: { sure }, once: memoryStore() },
      body,
    ) as Tool<undefined>;
    const { text } = await run(pay, undefined, { capabilities: {} });

    expect(text).toBe('done');
    expect(said.join()).toContain(
      `'${name}': the resolver 'sure' approved without asking, because the client does not declare forms and \`otherwise\` is true. Write \`otherwise: false\`, or remove it, so that such a client receives an error.`,
    );
  });

  test('a guard that returns neither true nor false', async () => {
    const said = warnings();
    const maybe = untyped.resolver({}, () => 1);
    const pay = untyped.defineTool('pay', { guards: [maybe] }, body) as Tool<undefined>;
    const { text } = await run(pay, undefined);

    expect(text).toBe('Error executing tool pay: Guard 1 refused');
    expect(said.join()).toContain(
      "'pay': the guard 'guard' returned a value of type number, so it refused the call. A guard must return true to let the call go on, or throw a ToolError.",
    );
  });

  test('definitions that were never installed', async () => {
    const said = warnings();
    vi.resetModules();
    const fresh = await import('mcp-resolve');
    const node = await import('mcp-resolve/node');
    fresh.defineTool('forgotten', {}, body);
    const handler = node.createDualEraHandler(() => new McpServer({ name: 's', version: '1' }));
    await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
          },
        }),
      }),
    );
    await handler.close();
    expect(said.join()).toContain('Call install(server, [definition]) where the server is built.');
  });
});
