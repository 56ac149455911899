/** I6: a server may handle its methods in one place for all that nothing else handles. */
import { inputRequired, Server } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { expect, test } from 'vitest';

import { overHttp, tokenOf } from './desk.js';

const CALL = { name: 'deploy', arguments: {} };

test.each(['before', 'after'])('I6: a fallback handler set %s is protected too', async (when) => {
  const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
  const seen: unknown[] = [];
  const send = overHttp(() => {
    const server = new Server({ name: 'all', version: '1.0.0' }, { capabilities: { tools: {} } });
    if (when === 'after') seal.protect(server);
    server.fallbackRequestHandler = async (_, ctx) => {
      seen.push(ctx.mcpReq.requestState());
      return inputRequired({ requestState: 'awaiting-confirm' });
    };
    if (when === 'before') seal.protect(server);
    return server;
  });

  const token = tokenOf(await send('tools/call', CALL));
  expect(token).toMatch(/^v1\./);
  await send('tools/call', { ...CALL, requestState: token });
  const forged = await send('tools/call', { ...CALL, requestState: 'forged' });
  expect(forged.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
  expect(seen).toEqual([undefined, 'awaiting-confirm']);
});

test('I6: a fallback handler stays protected where lists are watched as well', async () => {
  const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
  const asking = defineTool(
    'asking',
    { hideWhenCannotAsk: true, resolve: { ok: resolver({}, () => confirm('Sure?')) } },
    () => 'done',
  );
  const seen: unknown[] = [];
  const send = overHttp(() => {
    const server = new Server({ name: 'all', version: '1.0.0' }, { capabilities: { prompts: {} } });
    install(server, [asking], { seal });
    server.fallbackRequestHandler = async (_, ctx) => {
      seen.push(ctx.mcpReq.requestState());
      return inputRequired({ requestState: 'awaiting-confirm' });
    };
    return server;
  });

  const token = tokenOf(await send('prompts/get', CALL));
  expect(token).toMatch(/^v1\./);
  await send('prompts/get', { ...CALL, requestState: token });
  const forged = await send('prompts/get', { ...CALL, requestState: 'forged' });
  expect(forged.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
  expect(seen).toEqual([undefined, 'awaiting-confirm']);
});
