/** I6: the protection of a server's fallback request handler. */
import { inputRequired, Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { expect, test } from 'vitest';

import { overHttp, type Send, tokenOf } from './desk.js';

const CALL = { name: 'deploy', arguments: {} };

/** Creates a fallback handler that asks, and that records each state it reads. */
const recording =
  (seen: unknown[]): NonNullable<Server['fallbackRequestHandler']> =>
  async (_, ctx) => {
    seen.push(ctx.mcpReq.requestState());
    return inputRequired({ requestState: 'awaiting-confirm' });
  };

/** Expects that the handler's state is sealed, restored, and refused if it is forged. */
async function expectProtected(send: Send, method: string, seen: unknown[]): Promise<void> {
  const token = tokenOf(await send(method, CALL));
  expect(token).toMatch(/^v1\./);
  await send(method, { ...CALL, requestState: token });
  const forged = await send(method, { ...CALL, requestState: 'forged' });
  expect(forged.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
  expect(seen).toEqual([undefined, 'awaiting-confirm']);
}

test.each(['before', 'after'])('I6: protects a fallback handler set %s protect()', async (when) => {
  const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
  const seen: unknown[] = [];
  const send = overHttp(() => {
    const server = new Server({ name: 'all', version: '1.0.0' }, { capabilities: { tools: {} } });
    if (when === 'after') seal.protect(server);
    server.fallbackRequestHandler = recording(seen);
    if (when === 'before') seal.protect(server);
    return server;
  });

  await expectProtected(send, 'tools/call', seen);
});

test('I6: protects a fallback handler beside a tool that is hidden from some clients', async () => {
  const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
  const asking = defineTool(
    'asking',
    {
      hideWhenCannotAsk: true,
      resolve: { ok: resolver({}, () => confirm('Sure?'), { asks: 'form' }) },
    },
    () => 'done',
  );
  const seen: unknown[] = [];
  const send = overHttp(() => {
    const server = new Server({ name: 'all', version: '1.0.0' }, { capabilities: { prompts: {} } });
    install(server, [asking], { seal });
    server.fallbackRequestHandler = recording(seen);
    return server;
  });

  await expectProtected(send, 'prompts/get', seen);
});
