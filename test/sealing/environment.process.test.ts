/** Keys from the environment: several processes, a rotation, and values that are refused. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('environmentServer.ts', import.meta.url));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill();
});

interface Started {
  readonly send: (params: object) => Promise<Record<string, unknown>>;
  readonly printed: () => string;
}

function run(keys: string | undefined, args: readonly string[]): ChildProcess {
  const { MCP_RESOLVE_KEYS: _, ...env } = process.env;
  const child = fork(PROGRAM, args, {
    env: { ...env, ...(keys !== undefined && { MCP_RESOLVE_KEYS: keys }) },
    execArgv: ['--import', 'tsx'],
    silent: true,
  });
  running.push(child);
  return child;
}

/** Returns what a process prints that ends with an error and sends no port. */
async function endAtStart(keys: string, ...args: string[]): Promise<string> {
  const child = run(keys, args);
  let printed = '';
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.on('message', () => child.kill());
  expect(await once(child, 'close')).toEqual([1, null]);
  return printed;
}

async function start(keys: string | undefined, ...args: string[]): Promise<Started> {
  const child = run(keys, args);
  let printed = '';
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [port] = (await once(child, 'message')) as [number];
  return {
    printed: () => printed,
    send: async (params) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      };
      const { name } = params as { name: string };
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { ...params, _meta },
        }),
      });
      return (await response.json()) as Record<string, unknown>;
    },
  };
}

const stateOf = (asked: Record<string, unknown>): unknown =>
  (asked.result as { requestState?: unknown } | undefined)?.requestState;

const answered = (requestState: unknown) => ({
  name: 'deploy',
  requestState,
  inputResponses: { approval: { action: 'accept', content: { confirm: true } } },
});

const key = (): string => randomBytes(32).toString('base64url');

test('Z11: lets another process finish a call, also while keys are rotated', async () => {
  const [old, fresh] = [key(), key()];
  const [before, during, after] = await Promise.all([
    start(old),
    start(` ${fresh} , ${old}`),
    start(fresh),
  ]);
  const ofOld = stateOf(await before.send({ name: 'deploy' }));
  const ofFresh = stateOf(await during.send({ name: 'deploy' }));
  expect(JSON.stringify(await during.send(answered(ofOld)))).toContain('deployed');
  expect(JSON.stringify(await after.send(answered(ofFresh)))).toContain('deployed');
  const refused = { code: -32602, message: 'Invalid or expired requestState' };
  expect((await after.send(answered(ofOld))).error).toMatchObject(refused);
  expect((await before.send(answered(ofFresh))).error).toMatchObject(refused);
  expect(before.printed()).not.toContain('a key that only this process has');
}, 30_000);

test.each([
  ['short', 'MCP_RESOLVE_KEYS: key 1 must have at least 32 bytes, got 5.'],
  ['', 'MCP_RESOLVE_KEYS: key 1 must have at least 32 bytes, got 0.'],
  ['${MCP_RESOLVE_KEYS_OF_PRODUCTION}', 'MCP_RESOLVE_KEYS: key 1 contains a variable'],
])(
  'ends before it listens if the value is %j, and names the variable',
  async (value, sentence) => {
    expect(await endAtStart(value)).toContain(sentence);
  },
  30_000,
);

test('ends before it listens if its store does not fit shared keys', async () => {
  expect(await endAtStart(key(), '--once')).toContain(
    "Tool 'pay': the store of `once` or `approvals` is visible only to this process, but other processes may have the same keys, from MCP_RESOLVE_KEYS or from the seal.",
  );
}, 30_000);

test('reads a value at the first use that is set after the start', async () => {
  const keys = key();
  const [early, late] = await Promise.all([start(keys), start(undefined, `--later=${keys}`)]);
  const state = stateOf(await early.send({ name: 'deploy' }));
  expect(JSON.stringify(await late.send(answered(state)))).toContain('deployed');
}, 30_000);

test('uses a key of the process without the variable, and warns', async () => {
  const { send, printed } = await start(undefined);
  expect(stateOf(await send({ name: 'deploy' }))).toMatch(/^v1\./);
  await expect
    .poll(printed)
    .toContain('To allow that, set the environment variable MCP_RESOLVE_KEYS');
}, 30_000);
