/**
 * Hosts that change how an `McpServer` registers: they patch the functions of a prototype, or
 * override them in a subclass. Definitions are registered through the same functions.
 */
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { install as installV1 } from 'mcp-resolve/v1';
import { afterEach, describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { SILENT } from '../support/servers.js';
import { createDefinitions, listings } from './ways.js';

const INFO = { name: 'host', version: '1.0.0' };
const { all, book, plan, map, ticket } = createDefinitions();

type AnyFunction = (...args: unknown[]) => unknown;

/** The functions that register, and the first argument of each call by `install`. */
const functions = [
  { name: 'registerTool', given: [book.name] },
  { name: 'registerPrompt', given: [plan.name] },
  { name: 'registerResource', given: [map.name, ticket.name] },
] as const;

const undo: (() => void)[] = [];
afterEach(() => {
  for (const restore of undo.splice(0).reverse()) restore();
});

/** Replaces a function of a prototype until the end of the test. */
function patch(prototype: object, name: string, around: (original: AnyFunction) => AnyFunction) {
  const before = Object.getOwnPropertyDescriptor(prototype, name);
  const original = Reflect.get(prototype, name) as AnyFunction;
  Object.defineProperty(prototype, name, {
    value: around(original),
    writable: true,
    configurable: true,
  });
  undo.push(() => {
    if (before === undefined) Reflect.deleteProperty(prototype, name);
    else Object.defineProperty(prototype, name, before);
  });
}

/** Notes the first argument of every call. */
const noting =
  (seen: unknown[]) =>
  (original: AnyFunction): AnyFunction =>
    function (this: unknown, ...args) {
      seen.push(args[0]);
      return Reflect.apply(original, this, args);
    };

describe.each(functions)('a patched $name is called for definitions', ({ name, given }) => {
  test('on the prototype of McpServer', () => {
    const seen: unknown[] = [];
    patch(McpServer.prototype, name, noting(seen));
    install(new McpServer(INFO), all, { logger: SILENT });
    expect(seen).toEqual(given);
  });

  test('on the prototype of a subclass', () => {
    const seen: unknown[] = [];
    class Host extends McpServer {}
    patch(Host.prototype, name, noting(seen));
    install(new Host(INFO), all, { logger: SILENT });
    expect(seen).toEqual(given);
  });

  test('on the prototype of McpServer below a subclass that takes (config, callback)', () => {
    const seen: unknown[] = [];
    class Host extends McpServer {}
    patch(McpServer.prototype, name, (original) => {
      const note = noting(seen)(original);
      // The function has the parameters of the SDK.
      return name === 'registerResource'
        ? function (this: unknown, one, uri, config, callback) {
            return Reflect.apply(note, this, [one, uri, config, callback]);
          }
        : function (this: unknown, one, config, callback) {
            return Reflect.apply(note, this, [one, config, callback]);
          };
    });
    patch(Host.prototype, name, () => (config, _callback) => {
      throw new Error(`not for ${String(config)}`);
    });
    install(new Host(INFO), all, { logger: SILENT });
    expect(seen).toEqual(given);
  });

  test('on an instance', () => {
    const seen: unknown[] = [];
    const server = new McpServer(INFO);
    Reflect.set(server, name, noting(seen)(Reflect.get(server, name) as AnyFunction));
    install(server, all, { logger: SILENT });
    expect(seen).toEqual(given);
  });

  test('by the getter of a subclass', () => {
    const seen: unknown[] = [];
    class Host extends McpServer {}
    const register = Reflect.get(McpServer.prototype, name) as AnyFunction;
    Object.defineProperty(Host.prototype, name, { get: () => noting(seen)(register) });
    install(new Host(INFO), all, { logger: SILENT });
    expect(seen).toEqual(given);
  });
});

describe.each(eras)('on the %s era', (era) => {
  test('what a patched function changes is what the client sees', async () => {
    for (const { name } of functions)
      patch(
        McpServer.prototype,
        name,
        (original) =>
          function (this: unknown, first, ...rest) {
            return Reflect.apply(original, this, [`shop_${String(first)}`, ...rest]);
          },
      );
    const { client, text } = await connectClient(
      era,
      () => {
        const server = new McpServer(INFO);
        install(server, all, { logger: SILENT });
        return server;
      },
      { elicit: () => ({ action: 'accept', content: { confirm: true } }) },
    );
    for (const { method, member, name } of listings)
      expect(await client.request({ method, params: {} }), method).toMatchObject({
        [member]: [{ name: `shop_${name}` }],
      });
    expect(await text('shop_book', { city: 'Lyon' })).toBe('book Lyon');
  });

  test('a patched registerTool that refuses a definition keeps it from the server', async () => {
    patch(McpServer.prototype, 'registerTool', () => (name) => {
      throw new Error(`${String(name)} is not allowed here`);
    });
    const { client } = await connectClient(era, () => {
      const server = new McpServer(INFO);
      expect(() => {
        install(server, [plan, book], { logger: SILENT });
      }).toThrow('book is not allowed here');
      return server;
    });
    expect((await client.listPrompts()).prompts).toEqual([]);
  });
});

test.each([
  ['registerTool', ['book']],
  ['registerPrompt', ['plan']],
] as const)('on SDK 1.x, a patched %s learns the names of definitions', (name, names) => {
  const seen: unknown[] = [];
  patch(McpServerV1.prototype, name, noting(seen));
  installV1(new McpServerV1(INFO), all, { logger: SILENT });
  expect(seen).toEqual(names);
});
