/** The warnings about the default key and about tokens without a subject. */
import { McpServer } from '@modelcontextprotocol/server';
import { defineTool, install } from 'mcp-resolve';
import { expect, test, vi } from 'vitest';

import {
  ask,
  caller,
  collectPrinted,
  createSeal,
  endOf,
  overHttp,
  overStdio,
  retry,
} from './desk.js';
import { went } from './went.js';

const still = defineTool('still', {}, () => 'still');
const WENT = { name: 'went' };

const factory = (options?: Parameters<typeof install>[2]) => () => {
  const server = new McpServer({ name: 'desk', version: '1.0.0' });
  install(server, [went, still], options);
  return server;
};

const printed = collectPrinted();

// The order of these tests matters, because a process logs each of these warnings once.

test('does not warn about the default key over stdio', async () => {
  const send = overStdio(factory());
  expect(endOf(await retry(send, await ask(send, WENT), WENT))).toBe('went:true');
  expect(printed).toEqual([]);
});

test('does not warn over HTTP before it seals a state', async () => {
  const send = overHttp(factory());
  expect(endOf(await send('tools/call', { name: 'still' }))).toBe('still');
  expect(printed).toEqual([]);
});

test('does not warn over HTTP with an explicit seal', async () => {
  const { seal, logged } = createSeal();
  await ask(overHttp(factory({ seal })), WENT);
  expect([...printed, ...logged]).toEqual([]);
});

test('warns once, with the remedy, when the default key seals a state over HTTP', async () => {
  const send = overHttp(factory());
  expect(endOf(await retry(send, await ask(send, WENT), WENT))).toBe('went:true');
  await ask(send, WENT);
  await ask(overHttp(factory()), WENT);
  expect(printed).toEqual([
    'mcp-resolve: requestState is sealed with a key that only this process has, so a call cannot continue in another process or after a restart. To allow that, set the environment variable MCP_RESOLVE_KEYS, or pass { seal: requestStateSeal({ keys, audience }) } to install() or toolHandler(). A tool with `once` then needs a store that all processes share.',
  ]);
});

test.each(['VERCEL', 'AWS_LAMBDA_FUNCTION_NAME', 'K_SERVICE'])(
  'shows the command that creates a key where %s is set',
  async (name) => {
    vi.stubEnv(name, '1');
    const lines: string[] = [];
    await ask(overHttp(factory({ logger: { warn: (line) => void lines.push(line) } })), WENT);
    vi.unstubAllEnvs();
    expect(lines.join('\n')).toMatch(/Create a key with: npx mcp-resolve key$/);
  },
);

test('I40: warns once of callers whose token has no subject', async () => {
  const send = overHttp(factory());
  const authInfo = caller();
  const token = await ask(send, WENT, { authInfo });
  expect(endOf(await retry(send, token, WENT, { authInfo }))).toBe('went:true');
  await ask(send, WENT, { authInfo });
  expect(printed).toEqual([
    'mcp-resolve: A validated token has no subject (`authInfo.extra.sub`), so all users of one OAuth client count as one user. Have the token verifier set `sub`, or pass `principal` to requestStateSeal().',
  ]);
});

test('I40: does not warn of a missing subject if the seal has its own principal', async () => {
  const { seal, logged } = createSeal({ principal: () => 'alice' });
  await ask(overHttp(factory({ seal })), WENT, { authInfo: caller() });
  expect([...printed, ...logged]).toEqual([]);
});
