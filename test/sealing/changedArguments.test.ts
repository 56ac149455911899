/**
 * A resolver that changes the arguments it receives. The state is bound to the arguments as the
 * client sent them, so a client can neither use an approval for the changed arguments nor be
 * refused with the original ones.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, resolver } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { SILENT } from '../support/servers.js';
import { overHttp, overStdio } from './desk.js';

interface Reply {
  readonly result?: { readonly requestState?: string; readonly content?: { text: string }[] };
  readonly error?: { readonly message: string };
}

// `z.any()` passes values on by reference, so a resolver reaches the request's own data.
const Input = z.object({ order: z.any() });
const { order } = argsOf(Input);

/** A tool whose resolver changes the order while the question is open. */
function paying(change: (order: never) => unknown) {
  const changed = resolver({ order }, ({ order }) => String(change(order as never)));
  const approved = resolver({ changed }, () => confirm('Pay?'), { asks: 'form' });
  return defineTool('pay', { inputSchema: Input, resolve: { approved } }, () => 'paid');
}

const INFO = { name: 'shop', version: '1.0.0' };

const servers: [name: string, build: () => McpServer | Server][] = [
  ['McpServer', () => new McpServer(INFO)],
  ['Server', () => new Server(INFO, { capabilities: { tools: {} } })],
];

const changes: [what: string, sent: string, change: (order: never) => unknown, other: string][] = [
  ['removes an item', '["urgent","bob"]', (list: string[]) => list.shift(), '["bob"]'],
  ['adds a property', '{"a":1}', (object: { b?: number }) => (object.b = 2), '{"a":1,"b":2}'],
  [
    'changes a nested property',
    '{"to":{"iban":"X"}}',
    (object: { to: { iban: string } }) => (object.to.iban = 'Y'),
    '{"to":{"iban":"Y"}}',
  ],
  [
    'replaces a lone surrogate',
    '{"a":"\\ud800"}',
    (object: { a: string }) => (object.a = '\ufffd'),
    '{"a":"\\ufffd"}',
  ],
  [
    'removes a nested `__proto__`',
    '{"a":{"__proto__":{"b":1}}}',
    ({ a }: { a: object }) => Reflect.deleteProperty(a, '__proto__'),
    '{"a":{}}',
  ],
];

describe.each(servers)('on a %s', (_server, build) => {
  describe.each([
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ] as const)('over %s', (_transport, over) => {
    test.each(changes)('a resolver that %s', async (_what, sent, change, other) => {
      const send = over(() => {
        const server = build();
        install(server, [paying(change)], { logger: SILENT });
        return server;
      });
      const call = async (order: string, requestState?: string): Promise<Reply> => {
        const answered = requestState !== undefined && {
          requestState,
          inputResponses: { approved: { action: 'accept', content: { confirm: true } } },
        };
        const params = { name: 'pay', arguments: { order: JSON.parse(order) as unknown } };
        return await send('tools/call', { ...params, ...answered });
      };
      const { result } = await call(sent);
      const token = result?.requestState;
      expect(token).toBeTypeOf('string');
      expect((await call(other, token)).error?.message).toBe('Invalid or expired requestState');
      expect((await call(sent, token)).result?.content?.[0]?.text).toBe('paid');
    });
  });
});
