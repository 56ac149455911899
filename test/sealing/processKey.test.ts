/** The warnings about the default key and about tokens without a subject: each comes once. */
import { McpServer } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, resolver } from 'mcp-resolve';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { ask, caller, endOf, overHttp, overStdio, retry, sealing } from './desk.js';

const went = defineTool(
  'went',
  { resolve: { sure: resolver({}, () => confirm('Go?'), { name: 'confirm' }) } },
  () => 'went',
);
const still = defineTool('still', {}, () => 'still');
const WENT = { name: 'went' };

const factory = (options?: Parameters<typeof install>[2]) => () => {
  const server = new McpServer({ name: 'desk', version: '1.0.0' });
  install(server, [went, still], options);
  return server;
};

let printed: string[];

beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'warn').mockImplementation((text: string) => void printed.push(text));
});

afterEach(() => {
  vi.restoreAllMocks();
});

// The order of these tests matters: a process says each of these things once.

test('over stdio the key of the process is right, and nothing is said', async () => {
  const send = overStdio(factory());
  expect(endOf(await retry(send, await ask(send, WENT), WENT))).toBe('went');
  expect(printed).toEqual([]);
});

test('over HTTP nothing is said as long as nothing is sealed', async () => {
  const send = overHttp(factory());
  expect(endOf(await send('tools/call', { name: 'still' }))).toBe('still');
  expect(printed).toEqual([]);
});

test('over HTTP an explicit policy says nothing', async () => {
  const { seal, said } = sealing();
  await ask(overHttp(factory({ seal })), WENT);
  expect([...printed, ...said]).toEqual([]);
});

test('the first time the default seals over HTTP, one warning says what to do; later none', async () => {
  const send = overHttp(factory());
  expect(endOf(await retry(send, await ask(send, WENT), WENT))).toBe('went');
  await ask(send, WENT);
  await ask(overHttp(factory()), WENT);
  expect(printed).toEqual([
    'mcp-resolve: requestState is sealed under a key that only this process has, so a call cannot go on in another process or after a restart; for that, pass { seal: requestStateSeal({ keys, audience }) } to install()',
  ]);
});

test('I40: the first token without a subject is warned of, later ones are not', async () => {
  const send = overHttp(factory());
  const authInfo = caller();
  const token = await ask(send, WENT, { authInfo });
  expect(endOf(await retry(send, token, WENT, { authInfo }))).toBe('went');
  await ask(send, WENT, { authInfo });
  expect(printed).toEqual([
    "mcp-resolve: a validated token has no subject (authInfo.extra.sub), so all users of one OAuth client count as one person; have the token verifier supply 'sub', or give requestStateSeal a 'principal'",
  ]);
});

test('I40: with a principal of the author’s own nobody looks for a subject', async () => {
  const { seal, said } = sealing({ principal: () => 'alice' });
  await ask(overHttp(factory({ seal })), WENT, { authInfo: caller() });
  expect([...printed, ...said]).toEqual([]);
});
