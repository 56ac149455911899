/**
 * Runs programs that test servers: the probes of `agent-security-harness` for the state between
 * rounds, and the conformance test of `@mcpjam/sdk`.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, memoryStore, resolver } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import type { HttpServerHandle } from 'mcp-resolve/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';

import { makeEnvironment } from '../python/support/python.js';
import { countsOf } from '../support/counts.js';
import { versionOf, writeReport } from '../support/report.js';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
const HARNESS = 'agent-security-harness';
const JAM = '@mcpjam/sdk';

const Payment = z.object({ invoice: z.string() });
let paid: string[];
let handle: HttpServerHandle;

/** Serves a tool that asks and runs once, to two users. */
beforeAll(async () => {
  paid = [];
  const ok = resolver(
    { invoice: argsOf(Payment).invoice },
    ({ invoice }) => confirm(`Pay ${invoice}?`),
    { asks: 'form' },
  );
  const pay = defineTool(
    'pay',
    { inputSchema: Payment, resolve: { ok }, once: memoryStore() },
    ({ invoice }) => {
      paid.push(invoice);
      return `Paid ${invoice}.`;
    },
  );
  const build = (): McpServer => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    install(server, [pay]);
    return server;
  };
  handle = await serveHttp(build, {
    authenticate: (request) => {
      const user = /^Bearer (ann|mallory)$/.exec(request.headers.get('authorization') ?? '')?.[1];
      return user === undefined
        ? undefined
        : { token: user, clientId: 'probe', scopes: [], extra: { sub: user } };
    },
  });
});
afterAll(() => handle.close());

interface Finding {
  readonly test_id: string;
  readonly passed: boolean;
  readonly details: string;
}

/** Runs the probes for the state between rounds, and returns what each found. */
async function probe(): Promise<Record<string, readonly [passed: boolean, details: string]>> {
  // The probes declare no capabilities of their own.
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const call = (invoice: string): string =>
    JSON.stringify({
      method: 'tools/call',
      params: { name: 'pay', arguments: { invoice }, _meta },
    });
  const report = join(mkdtempSync(join(tmpdir(), 'probe-')), 'report.json');
  const args = [
    ...['test', 'mcp', '--transport', 'http', '--url', handle.url.href],
    ...['--protocol-version', '2026-07-28', '--categories', 'mrtr_request_state'],
    ...['--header', 'Authorization:Bearer ann'],
    ...['--mrtr-attacker-header', 'Authorization:Bearer mallory'],
    ...['--mrtr-probe', call('INV-1'), '--mrtr-altered-probe', call('INV-2')],
    '--mrtr-input-responses',
    JSON.stringify({ ok: { action: 'accept', content: { confirm: true } } }),
    ...['--report', report],
  ];
  // It exits with 1 if a probe found something.
  const output = await new Promise<string>((resolve) => {
    execFile(`${FOLDER}.venv/bin/agent-security`, args, (_, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
  try {
    const { results } = JSON.parse(readFileSync(report, 'utf8')) as { results: Finding[] };
    return Object.fromEntries(results.map((one) => [one.test_id, [one.passed, one.details]]));
  } catch (cause) {
    throw new Error(output, { cause });
  } finally {
    rmSync(join(report, '..'), { recursive: true });
  }
}

describe(HARNESS, () => {
  let found: Awaited<ReturnType<typeof probe>>;
  beforeAll(async () => {
    await makeEnvironment(FOLDER);
    found = await probe();
  });

  it('RC-002: a changed state is rejected', () => {
    expect(found['MCP-RC-002']).toEqual([true, 'Server rejected a tampered requestState']);
  });

  // The probe expects a refusal. With `once`, the same request gets the recorded result again, so
  // that a client whose connection broke learns how its payment ended.
  it('RC-003: a repeated round gets the recorded result, and the body runs once', () => {
    expect(found['MCP-RC-003']).toEqual([
      false,
      'Server accepted exact requestState replay after completion',
    ]);
    expect(paid).toEqual(['INV-1']);
  });

  it('RC-004: the state of another user is rejected', () => {
    expect(found['MCP-RC-004']?.[0]).toBe(true);
  });

  it('RC-005: the state is rejected with other arguments', () => {
    expect(found['MCP-RC-005']?.[0]).toBe(true);
  });
});

describe(JAM, () => {
  it('finds nothing wrong, and skips what the server does not offer', async () => {
    const { MCPConformanceTest } = (await import(JAM)) as {
      MCPConformanceTest: new (config: { serverUrl: string; accessToken: string }) => {
        run: () => Promise<{ checks: { id: string; status: string }[] }>;
      };
    };
    const { checks } = await new MCPConformanceTest({
      serverUrl: handle.url.href,
      accessToken: 'ann',
    }).run();

    const withStatus = (wanted: string): string[] =>
      checks.filter(({ status }) => status === wanted).map(({ id }) => id);
    expect(withStatus('failed')).toEqual([]);
    expect(withStatus('skipped')).toEqual(['logging-set-level', 'completion-complete']);
    expect(withStatus('passed')).toHaveLength(13);
  });
});

/** Writes the rows only after a complete run without failures. */
afterAll(({}, file) => {
  const counts = [HARNESS, JAM].map((name) => countsOf(file, name));
  if (counts.some(({ failed }) => failed > 0)) return;
  writeReport('probes', 'npm test -- probes', [
    {
      peer: `\`${HARNESS}\` for Python, its probes of \`requestState\``,
      version: readFileSync(`${FOLDER}requirements.txt`, 'utf8').trim().split('==')[1]!,
      over: '2026-07-28, HTTP',
      saw: 'changed state, state of another user and state with other arguments are rejected (RC-002, RC-004, RC-005); RC-003 expects a refusal of a repeated round, where a tool with `once` returns the recorded result and runs nothing',
      ...counts[0]!,
    },
    {
      peer: `${JAM}, \`MCPConformanceTest\``,
      version: versionOf(new URL(`node_modules/${JAM}/`, import.meta.url)),
      over: '2025-11-25, HTTP',
      saw: '13 of its 15 checks pass; it skips logging and completions, which the server does not offer; it needs `@modelcontextprotocol/client` 2.0.0-alpha.2',
      ...counts[1]!,
    },
  ]);
});
