/**
 * The mistakes that a newcomer makes, each tried, each with what it gets: a message that says what
 * to do. They are written as JavaScript would have them, past the compiler; many do not compile,
 * which is tested in `test/compile-errors`.
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
  outcome,
  resolver,
} from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';
import { accept, run } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import { post } from '../support/wire.js';

/** The same functions, as JavaScript sees them. */
type Untyped<Names extends string> = Record<Names, (...given: unknown[]) => Tool>;

const untyped = {
  ...{ arg, argsOf, confirm, definePrompt, defineResource, defineTool },
  ...{ elicit, install, outcome, resolver },
} as unknown as Untyped<
  'definePrompt' | 'defineResource' | 'defineTool' | 'elicit' | 'install' | 'resolver'
>;
const Input = z.object({ order_id: z.string() });
const body = (): string => 'done';

/** Made at once; each must throw, with a message that has the remedy in it. */
const DEFINITIONS: readonly (readonly [mistake: string, make: () => unknown, message: string])[] = [
  [
    'a plain function as a need',
    () => untyped.defineTool('t', { resolve: { x: () => 1 } }, body),
    'it is a function: wrap it as resolver({ … }, fn)',
  ],
  [
    'a plain function as a need of a resolver',
    () =>
      untyped.defineTool('t', { resolve: { x: untyped.resolver({ y: () => 1 }, () => 1) } }, body),
    'it is a function: wrap it as resolver({ … }, fn)',
  ],
  [
    'resolver(fn) without needs',
    () => untyped.resolver(() => 1),
    'takes its needs first: resolver({}, fn) where there are none',
  ],
  [
    'JSON Schema as inputSchema',
    () => untyped.defineTool('t', { inputSchema: { type: 'object', properties: {} } }, body),
    'wrap the JSON Schema with fromJsonSchema()',
  ],
  [
    'a raw shape as inputSchema',
    () => untyped.defineTool('t', { inputSchema: { id: z.string() } }, body),
    'wrap the raw shape in z.object({ … })',
  ],
  [
    'a text schema as inputSchema',
    () => untyped.defineTool('t', { inputSchema: z.string() }, body),
    'wrap it in z.object({ … })',
  ],
  ['no body', () => untyped.defineTool('t', {}), 'its function comes last'],
  [
    'no configuration',
    () => untyped.defineTool('t', body),
    'its configuration, an object, is missing',
  ],
  [
    'a misspelt field',
    () => untyped.defineTool('t', { resolves: {} }, body),
    "did you mean 'resolve'?",
  ],
  [
    "another library's word for it",
    () => untyped.defineTool('t', { parameters: Input }, body),
    "did you mean 'inputSchema'?",
  ],
  [
    'inputSchema of a prompt',
    () => untyped.definePrompt('p', { inputSchema: Input }, body),
    "did you mean 'argsSchema'?",
  ],
  [
    'a field that only tools have',
    () => untyped.definePrompt('p', { once: {} }, body),
    "has no field 'once', which only other kinds of definition have",
  ],
  [
    'a template as a plain uri',
    () => untyped.defineResource('r', 'orders://{id}', {}, body),
    "new ResourceTemplate('orders://{id}', { list })",
  ],
  [
    'an argument that the tool does not have',
    () =>
      untyped.defineTool(
        't',
        { inputSchema: Input, resolve: { x: untyped.resolver({ i: arg('id') }, () => 1) } },
        body,
      ),
    "Add 'id' to inputSchema, or name the argument that is meant",
  ],
  [
    'a name that is an argument and resolved',
    () =>
      untyped.defineTool(
        't',
        { inputSchema: Input, resolve: { order_id: untyped.resolver({}, () => 1) } },
        body,
      ),
    'rename one of them',
  ],
  [
    'a question as a need',
    () => untyped.defineTool('t', { resolve: { sure: confirm('Sure?') } }, body),
    'it is a question: return it from a resolver',
  ],
  [
    'a schema as a need',
    () =>
      untyped.defineTool(
        't',
        { resolve: { x: untyped.resolver({ id: z.string() }, () => 1) } },
        body,
      ),
    'it is a schema: use arg() for an argument',
  ],
  [
    'a resolver that is defined further down',
    () => untyped.defineTool('t', { resolve: { x: undefined } }, body),
    'is its name misspelt, is it defined further down',
  ],
  [
    'an outcome as a guard',
    () => untyped.defineTool('t', { guards: [outcome(resolver({}, () => 1))] }, body),
    'outcome() would let a refusal pass',
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
    'asks with a schema that no form can show',
  ],
  [
    'pin and dispose together',
    () => untyped.resolver({}, () => 1, { pin: z.number(), dispose: () => undefined }),
    'either pin or dispose',
  ],
  [
    'elicit without a schema',
    () => untyped.elicit('Name?'),
    'takes a schema, such as z.object({ … })',
  ],
  [
    'install without a list',
    () => untyped.install(new McpServer({ name: 's', version: '1' }), defineTool('t', {}, body)),
    'a list of definitions: install(server, [refundOrder])',
  ],
  [
    'install on an http server',
    () => untyped.install({ listen: body }, []),
    'the first argument is an McpServer or a Server',
  ],
  [
    "install on a server of the SDK's first line",
    () => untyped.install({ registerTool: body, server: { setRequestHandler: body } }, []),
    "servers of '@modelcontextprotocol/sdk' have another shape",
  ],
  [
    'a handler of the SDK among the definitions',
    () => untyped.install(new McpServer({ name: 's', version: '1' }), [body]),
    'make one with defineTool(name, config, body)',
  ],
];

describe('a mistake in a definition says what to do', () => {
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

const approval = resolver({}, () => confirm('Sure?'));

async function awaiting(): Promise<boolean> {
  // eslint-disable-next-line @typescript-eslint/await-thenable -- the mistake itself
  return Boolean(await confirm('Sure?'));
}

function throwing(): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- the mistake itself
  throw confirm('Sure?');
}

/** Seen when the tool is called: the tool error has to say what to do. */
const CALLS: readonly (readonly [mistake: string, tool: Tool, message: string])[] = [
  [
    'a body that returns a question',
    untyped.defineTool('t', {}, () => confirm('Sure?')),
    'return the question from a resolver',
  ],
  [
    'a question that is awaited',
    untyped.defineTool('t', { resolve: { x: resolver({}, awaiting) } }, body),
    "Resolver 'x' made a question and did not return it, so nobody was asked: return the question itself",
  ],
  [
    'a question that is only looked at',
    untyped.defineTool(
      't',
      { resolve: { x: resolver({}, () => Boolean(confirm('Sure?'))) } },
      body,
    ),
    "Resolver 'x' made a question and did not return it, so nobody was asked: return the question itself",
  ],
  [
    'a question that is awaited in a body',
    untyped.defineTool('t', {}, async () => ((await awaiting()) ? 'wiped' : 'kept')),
    "the body of 't' asked a question",
  ],
  [
    'a question that is thrown',
    untyped.defineTool('t', { resolve: { x: untyped.resolver({}, throwing) } }, body),
    'a question was thrown, so nobody was asked: a resolver returns it',
  ],
  [
    'a resolver that returns a resolver',
    untyped.defineTool('t', { resolve: { x: untyped.resolver({}, () => approval) } }, body),
    "Resolver 'x' returned a resolver, which does not run: put it into the needs, and decide on its value",
  ],
  [
    'a resolver that returns an outcome()',
    untyped.defineTool('t', { guards: [untyped.resolver({}, () => outcome(approval))] }, body),
    "Resolver 'guard' returned outcome(), which does not run",
  ],
  [
    'a guard that gives null',
    untyped.defineTool('t', { guards: [untyped.resolver({}, () => null)] }, body),
    "Guard 'guard' refused",
  ],
  [
    'a method as a body',
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the mistake itself
    untyped.defineTool('t', {}, desk.load),
    'pass a method as (values, ctx) => desk.load(values, ctx)',
  ],
  [
    'a body that returns nothing',
    untyped.defineTool('t', {}, () => undefined),
    'returned nothing; a body returns a string or a CallToolResult',
  ],
  [
    'a body that returns a value without outputSchema',
    untyped.defineTool('t', {}, () => 48),
    'another value only with outputSchema',
  ],
  [
    'a method without its object',
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the mistake itself
    untyped.defineTool('t', { resolve: { x: resolver({}, desk.load) } }, body),
    'pass a method as (values, ctx) => desk.load(values, ctx)',
  ],
  [
    'a nested schema in a form',
    untyped.defineTool('t', { resolve: { x: resolver({}, () => elicit('Where?', NESTED)) } }, body),
    'asks with a schema that no form can show',
  ],
  [
    'a question inside another value',
    untyped.defineTool(
      't',
      { resolve: { x: resolver({}, () => ({ sure: confirm('Sure?') })) } },
      body,
    ),
    'return the question itself',
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

describe('a mistake in a call says what to do', () => {
  test.each(CALLS)('%s', async (_, tool, message) => {
    const { isError, text } = await run(tool as Tool<undefined>, undefined, {
      answers: () => accept({ confirm: true }),
      unused: 'allow',
    });
    expect(isError).toBe(true);
    expect(text).toContain(message);
  });
});

describe('two copies of the SDK', () => {
  /** The CommonJS copy: its classes are not those that the rest of this file imports. */
  const copy = createRequire(import.meta.url)('@modelcontextprotocol/server') as typeof sdk;
  const ask = defineTool('ask', { resolve: { approval } }, () => 'done');
  const factory = (): McpServer => {
    const server = new copy.McpServer({ name: 'copy', version: '1.0.0' });
    install(server, [ask]);
    return server;
  };

  test('are no mistake where a server is only installed on: it asks', async () => {
    expect(copy.McpServer).not.toBe(McpServer);
    const chat = await connectClient('legacy', factory, {
      elicit: () => accept({ confirm: true }),
    });

    expect(await chat.text('ask')).toBe('done');
  });

  test('are one where it is served, and the log says so', async () => {
    const said: unknown[] = [];
    const log = vi.spyOn(console, 'warn').mockImplementation((text: unknown) => said.push(text));
    const handler = createDualEraHandler(factory);
    const headers = { host: '127.0.0.1' };
    const { status } = await post(handler, 'tools/call', { name: 'ask' }, { headers });
    log.mockRestore();
    await handler.close();

    expect(status).toBe(500);
    expect(said.join()).toContain(
      "a server of another copy of '@modelcontextprotocol/server' than the one that mcp-resolve serves with: let both use one copy",
    );
  });
});

describe('a mistake that nothing else shows is warned of', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const warnings = (): string[] => {
    const said: string[] = [];
    vi.spyOn(console, 'warn').mockImplementation((text: string) => said.push(text));
    return said;
  };

  test('definitions made for every request', () => {
    const said = warnings();
    for (let request = 0; request < 100; request += 1) {
      const server = new McpServer({ name: 's', version: '1' });
      install(server, [defineTool('made_per_request', {}, body)]);
    }
    expect(said.join()).toContain("'made_per_request' was defined 100 times: define it once");
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
    expect(said.join()).toContain('call install(server, [definition]) where it is built');
  });
});

test('there are at least twenty of them', () => {
  expect(DEFINITIONS.length + CALLS.length + 3).toBeGreaterThanOrEqual(20);
});
