/**
 * The legacy era. Answers and states that a client sends are not genuine, also for hand-written
 * handlers. Only the SDK's shim carries genuine ones between the rounds of one request.
 */
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { connectClient } from '../support/plainClient.js';
import { closeAfterTest, type Factory, serving } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';
import {
  ACCEPT,
  ask,
  asTool,
  createSeal,
  desk,
  FROZEN,
  layers,
  moments,
  overHttp,
  type Seen,
  STAGING,
  throwingReports,
} from './desk.js';
import { went } from './went.js';

const capabilities = { elicitation: {} };

const subjects = [
  ['tools/call', STAGING, 'staging'],
  ['prompts/get', STAGING, 'staging'],
  ['resources/read', { uri: 'desk://deploy' }, 'desk://deploy'],
  ['resources/read', { uri: 'desk://rooms/7' }, 'desk://rooms/7'],
] as const;

describe.each(layers)('on %s', (layer) => {
  describe.each(moments)('protected %s its handlers are set', (when) => {
    describe.each(subjects)('%s %o', (method, params, what) => {
      test('I11: refuses a state from the client before any handler runs', async () => {
        const seen: Seen = [];
        const { seal, logged } = createSeal();
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
        expect(logged.slice(0, texts.length)).toEqual(
          texts.map(() => `requestState rejected on ${method}: request binding`),
        );
      });

      test('K11: completes a hand-written call with a state through the shim of the SDK', async () => {
        const seen: Seen = [];
        const { seal, logged } = createSeal();
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
        expect(logged).toEqual([]);
      });
    });

    test('D15: drops answers that the client sends with the first request', async () => {
      const responses: unknown[] = [];
      const note = ({ mcpReq }: ServerContext): void => {
        responses.push(mcpReq.inputResponses, mcpReq.droppedInputResponseKeys);
      };
      const { seal } = createSeal();
      const factory: Factory = () => {
        const server = new McpServer({ name: 'desk', version: '1.0.0' });
        const write = (): void => {
          server.registerTool('trusting', {}, (ctx) => {
            note(ctx);
            const answer = acceptedContent(ctx.mcpReq.inputResponses, 'confirm');
            return asTool(answer === undefined ? 'no consent' : 'consented');
          });
        };
        if (when === 'after') write();
        if (layer === 'McpServer') install(server, [], { seal });
        else seal.protect(server.server);
        if (when === 'before') write();
        return server;
      };
      const { request } = await rawLegacy(factory);
      const inputResponses = { ...ACCEPT, dropped: 7 };
      const { result } = await request('tools/call', { name: 'trusting', inputResponses });
      expect(result).toMatchObject({ content: [{ text: 'no consent' }] });
      expect(responses).toEqual([undefined, undefined]);
    });

    test('completes a call of several rounds through the shim, each with a new state', async () => {
      const states: unknown[] = [];
      const { seal } = createSeal();
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
        if (when === 'after') server.registerTool('steps', {}, steps);
        seal.protect(layer === 'McpServer' ? server : server.server);
        if (when === 'before') server.registerTool('steps', {}, steps);
        return server;
      };
      const { text, asked } = await connectClient('legacy', factory, { elicit: () => accept({}) });
      expect(await text('steps')).toBe('three steps');
      expect(asked).toEqual(['Step 1?', 'Step 2?', 'Step 3?']);
      expect(states).toEqual([undefined, 'step 1', 'step 2', 'step 3']);
      // A second call starts from the beginning.
      expect(await text('steps')).toBe('three steps');
    });
  });
});

describe('a tool with resolvers', () => {
  test('I11, D15: refuses a state from the client, and asks despite answers in the request', async () => {
    const { request, received } = await rawLegacy(serving([went], { seal: createSeal().seal }), {
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

test('I11: refuses a state over HTTP without a session', async () => {
  const seen: Seen = [];
  const handler = createMcpHandler(desk({ seal: createSeal().seal, seen }));
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

test.each(throwingReports)('I7: answers the same if %s throws', async (_, settings) => {
  const { request } = await rawLegacy(desk({ seal: createSeal(settings).seal }));
  const { error } = await request('tools/call', { ...STAGING, requestState: 'junk' });
  expect(error).toEqual(FROZEN);
});
