/**
 * The SDK internals that the boundary depends on. If an upgrade of the SDK changes one of them, a
 * test here fails and the boundary has to follow.
 */
import {
  inputRequired,
  McpServer,
  ProtocolError,
  ResourceTemplate,
  Server,
} from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { install, requestStateSeal } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import { FROZEN, type Layer, layers, overHttp } from './desk.js';

const info = { name: 'canary', version: '1.0.0' };
const capabilities = { tools: {}, prompts: {}, resources: {} };

type AnyHandler = (request: unknown, ctx: ServerContext) => unknown;

const handlersOf = (server: Server): Map<string, AnyHandler> =>
  Reflect.get(server, '_requestHandlers') as Map<string, AnyHandler>;

describe('the SDK', () => {
  test('keeps handlers in a Map by method, under _requestHandlers', () => {
    const server = new Server(info, { capabilities });
    expect(handlersOf(server)).toBeInstanceOf(Map);
    expect(handlersOf(server).has('tools/call')).toBe(false);
    server.setRequestHandler('tools/call', () => ({ content: [] }));
    expect(handlersOf(server).get('tools/call')).toBeTypeOf('function');
    expect(handlersOf(new McpServer(info).server)).toBeInstanceOf(Map);
  });

  test('calls the handler that is in that Map', async () => {
    const send = overHttp(() => {
      const server = new Server(info, { capabilities });
      server.setRequestHandler('tools/call', () => ({ content: [] }));
      handlersOf(server).set('tools/call', () => ({ content: [{ type: 'text', text: 'mine' }] }));
      return server;
    });
    const { result } = await send('tools/call', { name: 'any' });
    expect(result?.content).toEqual([{ type: 'text', text: 'mine' }]);
  });

  test('reads a handler in the synchronous part of _onrequest', async () => {
    let isDispatching = false;
    const reads: boolean[] = [];
    class WatchedMap extends Map<string, AnyHandler> {
      override get(method: string): AnyHandler | undefined {
        if (method === 'tools/call') reads.push(isDispatching);
        return super.get(method);
      }
    }
    const send = overHttp(() => {
      const server = new Server(info, { capabilities });
      server.setRequestHandler('tools/call', () => ({ content: [] }));
      Reflect.set(server, '_requestHandlers', new WatchedMap(handlersOf(server)));
      const dispatch = Reflect.get(server, '_onrequest') as (...args: unknown[]) => void;
      Reflect.set(server, '_onrequest', (...args: unknown[]) => {
        isDispatching = true;
        Reflect.apply(dispatch, server, args);
        isDispatching = false;
      });
      return server;
    });
    await send('tools/call', { name: 'any' });
    expect(reads).toEqual([true]);
  });

  test('sets the handlers of an McpServer in a map that replaced its own', () => {
    const mcp = new McpServer(info);
    const methods: string[] = [];
    class RecordingMap extends Map<string, unknown> {
      override set(method: string, handler: unknown): this {
        methods.push(method);
        return super.set(method, handler);
      }
    }
    Reflect.set(mcp.server, '_requestHandlers', new RecordingMap());
    mcp.registerTool('a', {}, () => ({ content: [] }));
    expect(methods).toContain('tools/call');
    mcp.registerPrompt('a', {}, () => ({ messages: [] }));
    expect(methods).toContain('prompts/get');
    mcp.registerResource('a', 'canary://a', {}, () => ({ contents: [] }));
    expect(methods).toContain('resources/read');
    const template = new ResourceTemplate('canary://{id}', { list: undefined });
    mcp.registerResource('b', template, {}, () => ({ contents: [] }));
    expect(methods.filter((method) => method === 'resources/read')).toHaveLength(1);
  });

  test('sets the handlers in the constructor if it receives capabilities', () => {
    const mcp = new McpServer(info, { capabilities });
    for (const method of ['tools/call', 'prompts/get', 'resources/read']) {
      expect(handlersOf(mcp.server).has(method)).toBe(true);
    }
  });

  test('turns a protocol error from a tool callback into a tool error', async () => {
    const send = overHttp(() => {
      const mcp = new McpServer(info);
      mcp.registerTool('throwing', {}, () => {
        throw new ProtocolError(-32602, 'swallowed', { reason: 'lost' });
      });
      return mcp;
    });
    const { result, error } = await send('tools/call', { name: 'throwing' });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'swallowed' }] });
  });

  test('copies all properties of the context, enumerable symbols included', async () => {
    const MARK = Symbol('mark');
    const seen: unknown[] = [];
    const send = overHttp(() => {
      const mcp = new McpServer(info);
      mcp.registerTool('marked', {}, (ctx) => {
        seen.push(Reflect.get(ctx, MARK));
        return { content: [] };
      });
      const handler = handlersOf(mcp.server).get('tools/call')!;
      handlersOf(mcp.server).set('tools/call', (request, ctx) =>
        handler(request, { ...ctx, [MARK]: 'kept' } as ServerContext),
      );
      return mcp;
    });
    await send('tools/call', { name: 'marked' });
    expect(seen).toEqual(['kept']);
  });

  test.each(['McpServer', 'Server'])(
    'repeats a handler on the legacy era with a copy of the context (%s)',
    async (layer) => {
      const MARK = Symbol('mark');
      const contexts: ServerContext[] = [];
      const marks: unknown[] = [];
      const handle = (_: unknown, ctx: ServerContext) => {
        contexts.push(ctx);
        marks.push(Reflect.get(ctx, MARK));
        Reflect.set(ctx, MARK, 'first');
        if (ctx.mcpReq.requestState() !== undefined) return { content: [] };
        const question = inputRequired.elicit({
          message: 'Sure?',
          requestedSchema: { type: 'object', properties: {} },
        });
        return inputRequired({ inputRequests: { question }, requestState: 'state' });
      };
      const { call } = await connectClient(
        'legacy',
        () => {
          const mcp = new McpServer(info, { capabilities: { tools: {} } });
          mcp.server.setRequestHandler('tools/call', handle);
          return layer === 'McpServer' ? mcp : mcp.server;
        },
        { elicit: [accept({})] },
      );
      await call('any');
      expect(marks).toEqual([undefined, 'first']);
      expect(contexts[1]).not.toBe(contexts[0]);
    },
  );

  test('keeps the name of a server under _serverInfo', () => {
    for (const server of [new Server(info), new McpServer(info).server]) {
      expect(Reflect.get(server, '_serverInfo')).toEqual(info);
    }
  });

  test('keeps requestState.verify under _requestStateVerify', () => {
    const verify = (): void => undefined;
    for (const make of [
      (options?: object) => new Server(info, options),
      (options?: object) => new McpServer(info, options).server,
    ]) {
      expect(Reflect.get(make({ requestState: { verify } }), '_requestStateVerify')).toBe(verify);
      expect(Reflect.get(make(), '_requestStateVerify')).toBeUndefined();
    }
  });

  test('I12, I13: refuses a state that is not a string with the same frozen error', async () => {
    const send = overHttp(() => {
      const mcp = new McpServer(info);
      mcp.registerTool('any', {}, () => ({ content: [] }));
      return mcp;
    });
    for (const requestState of [123, null, {}]) {
      expect((await send('tools/call', { name: 'any', requestState })).error).toEqual(FROZEN);
    }
  });

  test('I36: drops a top-level argument __proto__ before it calls a handler', async () => {
    const raw: unknown[] = [];
    const parsed: unknown[] = [];
    const keys = (request: unknown): string[] =>
      Object.keys((request as { params: { arguments: object } }).params.arguments);
    const send = overHttp(() => {
      const server = new Server(info, { capabilities });
      server.setRequestHandler('tools/call', (request) => {
        parsed.push(keys(request));
        return { content: [] };
      });
      const handler = handlersOf(server).get('tools/call')!;
      handlersOf(server).set('tools/call', (request, ctx) => {
        raw.push(keys(request));
        return handler(request, ctx);
      });
      return server;
    });
    const args = JSON.parse('{"a":1,"__proto__":{"b":2}}') as Record<string, unknown>;
    await send('tools/call', { name: 'any', arguments: args });
    expect(raw).toEqual([['a', '__proto__']]);
    expect(parsed).toEqual([['a']]);
  });

  test('passes only the parsed parameters to a handler with its own schema', async () => {
    const names: unknown[] = [];
    const send = overHttp(() => {
      const server = new Server(info, { capabilities });
      const params = z.looseObject({ name: z.string() });
      server.setRequestHandler('tools/call', { params }, (parameters) => {
        names.push(parameters.name);
        return { content: [] };
      });
      return server;
    });
    await send('tools/call', { name: 'any' });
    expect(names).toEqual(['any']);
  });
});

describe('install() and protect()', () => {
  const sentence =
    "mcp-resolve cannot find the request handlers of this server. This version of '@modelcontextprotocol/server' is not supported.";

  const broken = (layer: Layer, handlers: unknown): McpServer | Server => {
    const server = layer === 'McpServer' ? new McpServer(info) : new Server(info);
    const low = server instanceof McpServer ? server.server : server;
    Reflect.set(low, '_requestHandlers', handlers);
    return server;
  };

  describe.each(layers)('on %s', (layer) => {
    test.each([undefined, {}, null])('refuse an SDK with the handlers %o', (handlers) => {
      expect(() => {
        requestStateSeal.ephemeral().protect(broken(layer, handlers));
      }).toThrow(new Error(sentence));
      expect(() => {
        install(broken(layer, handlers), []);
      }).toThrow(new Error(sentence));
    });

    test('refuse such an SDK again in a second attempt', () => {
      const server = broken(layer, undefined);
      for (const attempt of [1, 2]) {
        expect(() => {
          requestStateSeal.ephemeral().protect(server);
        }, `attempt ${attempt}`).toThrow(new Error(sentence));
      }
    });
  });
});
