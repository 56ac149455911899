/**
 * The 2025 era: what a client sends as answers or state is not genuine, for hand-written handlers
 * too; what the SDK's own shim carries between the rounds of one request is.
 */
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, resolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { connectClient } from '../support/plainClient.js';
import { closeAfterTest, type Factory } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';
import {
  ACCEPT,
  ask,
  asTool,
  desk,
  FROZEN,
  layers,
  moments,
  overHttp,
  sealing,
  type Seen,
  STAGING,
  throwingReports,
} from './desk.js';

const capabilities = { elicitation: {} };

const subjects = [
  ['tools/call', STAGING, 'staging'],
  ['prompts/get', STAGING, 'staging'],
  ['resources/read', { uri: 'desk://deploy' }, 'desk://deploy'],
  ['resources/read', { uri: 'desk://rooms/7' }, 'desk://rooms/7'],
] as const;

describe.each(layers)('on %s', (layer) => {
  describe.each(moments)('with handlers wrapped %s', (when) => {
    describe.each(subjects)('%s %o', (method, params, what) => {
      test('I11: a state that the client sends is refused before any handler', async () => {
        const seen: Seen = [];
        const { seal, said } = sealing();
        const factory = desk({ layer, when, seal, seen });
        const genuine = await ask(overHttp(desk({ seal })));
        const { request } = await rawLegacy(factory, { capabilities });
        const texts = ['junk', '', 'awaiting-confirm', genuine];
        for (const requestState of [...texts, 123, null, {}]) {
          const answered = { ...params, inputResponses: ACCEPT, requestState };
          const reply = await request(method, answered);
          expect(reply.error).toEqual(FROZEN);
        }
        expect(seen).toEqual([]);
        expect(said.slice(0, texts.length)).toEqual(
          texts.map(() => `requestState rejected on ${method}: request binding`),
        );
      });

      test('K11: the shim of the SDK completes a hand-written call with state', async () => {
        const seen: Seen = [];
        const { seal, said } = sealing();
        const { request, received } = await rawLegacy(desk({ layer, when, seal, seen }), {
          capabilities,
          answer: () => ({ result: ACCEPT.confirm }),
        });
        const { result } = await request(method, params);
        expect(JSON.stringify(result)).toContain(`deployed to ${what}`);
        expect(seen).toEqual([
          [what, undefined],
          [what, 'awaiting-confirm'],
        ]);
        expect(received.map((asked) => asked.method)).toEqual(['elicitation/create']);
        expect(JSON.stringify(received)).not.toMatch(/awaiting-confirm|v1\./);
        expect(said).toEqual([]);
      });
    });

    test('D15: answers that the client sends along are dropped', async () => {
      const responses: unknown[] = [];
      const note = ({ mcpReq }: ServerContext): void => {
        responses.push(mcpReq.inputResponses, mcpReq.droppedInputResponseKeys);
      };
      const { seal } = sealing();
      const factory: Factory = () => {
        const server = new McpServer({ name: 'desk', version: '1.0.0' });
        const write = (): void => {
          server.registerTool('trusting', {}, (ctx) => {
            note(ctx);
            const told = acceptedContent(ctx.mcpReq.inputResponses, 'confirm');
            return asTool(told === undefined ? 'nobody consented' : 'consented');
          });
        };
        if (when === 'late') write();
        if (layer === 'McpServer') install(server, [], { seal });
        else seal.protect(server.server);
        if (when === 'early') write();
        return server;
      };
      const { request } = await rawLegacy(factory);
      const inputResponses = { ...ACCEPT, dropped: 7 };
      const { result } = await request('tools/call', { name: 'trusting', inputResponses });
      expect(result).toMatchObject({ content: [{ text: 'nobody consented' }] });
      expect(responses).toEqual([undefined, undefined]);
    });

    test('a call of several rounds goes through the shim with a new state each', async () => {
      const states: unknown[] = [];
      const { seal } = sealing();
      const steps = (ctx: ServerContext) => {
        const state = ctx.mcpReq.requestState<string>();
        states.push(state);
        const step = state === undefined ? 0 : Number(state.slice(5));
        if (step === 3) return asTool('three steps');
        const question = inputRequired.elicit({
          message: `Step ${step + 1}?`,
          requestedSchema: { type: 'object', properties: {} },
        });
        return inputRequired({ inputRequests: { question }, requestState: `step ${step + 1}` });
      };
      const factory: Factory = () => {
        const server = new McpServer({ name: 'desk', version: '1.0.0' });
        if (when === 'late') server.registerTool('steps', {}, steps);
        seal.protect(layer === 'McpServer' ? server : server.server);
        if (when === 'early') server.registerTool('steps', {}, steps);
        return server;
      };
      const { text, asked } = await connectClient('legacy', factory, { elicit: () => accept({}) });
      expect(await text('steps')).toBe('three steps');
      expect(asked).toEqual(['Step 1?', 'Step 2?', 'Step 3?']);
      expect(states).toEqual([undefined, 'step 1', 'step 2', 'step 3']);
      // And again: what one request went through opens nothing for the next.
      expect(await text('steps')).toBe('three steps');
    });
  });
});

describe('tools of resolvers', () => {
  const went = defineTool(
    'went',
    { resolve: { sure: resolver({}, () => confirm('Go?'), { name: 'confirm' }) } },
    () => 'went',
  );
  const factory: Factory = () => {
    const server = new McpServer({ name: 'desk', version: '1.0.0' });
    install(server, [went], { seal: sealing().seal });
    return server;
  };

  test('I11, D15: refuse a state, and ask whatever answers are sent along', async () => {
    const { request, received } = await rawLegacy(factory, {
      capabilities,
      answer: () => ({ result: { action: 'decline' } }),
    });
    const forged = { name: 'went', inputResponses: ACCEPT };
    const { error } = await request('tools/call', { ...forged, requestState: 'junk' });
    expect(error).toEqual(FROZEN);
    expect(received).toHaveLength(0);
    const { result } = await request('tools/call', forged);
    expect(received).toHaveLength(1);
    expect(result).toMatchObject({
      isError: true,
      content: [
        {
          text: "Error executing tool went: Resolver for parameter 'sure' could not resolve: elicitation was decline",
        },
      ],
    });
  });
});

test('I11: served without a session over HTTP, a state is refused as well', async () => {
  const seen: Seen = [];
  const handler = createMcpHandler(desk({ seal: sealing().seal, seen }));
  closeAfterTest(() => handler.close());
  const response = await handler.fetch(
    new Request('http://desk.test/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { ...STAGING, inputResponses: ACCEPT, requestState: 'awaiting-confirm' },
      }),
    }),
  );
  const data = (await response.text()).split('\n').find((line) => line.includes('"jsonrpc"'))!;
  const { error } = JSON.parse(data.replace(/^data: /, '')) as { error: unknown };
  expect(error).toEqual(FROZEN);
  expect(seen).toEqual([]);
});

test.each(throwingReports)('I7: %s that throws does not change the answer', async (_, settings) => {
  const { request } = await rawLegacy(desk({ seal: sealing(settings).seal }));
  const { error } = await request('tools/call', { ...STAGING, requestState: 'junk' });
  expect(error).toEqual(FROZEN);
});
