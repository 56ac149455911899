/** Tests the functions that the refund desk runs, from its log, and its demo in a terminal. */
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';

import { refunds, topicOf } from '../../examples/refund-desk/script.js';
import type { Form } from '../../examples/support/connect.js';
import { ROOT, run, runProgram } from './program.js';

const TIMEOUT = 60_000;

const { answers, ...broken } = refunds.broken;

/** Returns the number of runs of each function for one refund. */
async function functionsRun(era: 'modern' | 'legacy'): Promise<Record<string, number>> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', path.join(ROOT, 'examples/refund-desk/server.ts')],
    cwd: ROOT,
    env: { ...(process.env as Record<string, string>), NODE_DEBUG: 'refund-desk' },
    stderr: 'pipe',
  });
  const client = new Client(
    { name: 'log-reader', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => answers[topicOf(params as Form)]);
  const log = text(transport.stderr as Readable);
  await client.connect(transport);
  await client.callTool({ name: 'refund_order', arguments: broken });
  await client.close();

  const counts: Record<string, number> = {};
  for (const [, name = ''] of (await log).matchAll(/^REFUND-DESK \d+: (\w+)$/gm)) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe.concurrent('M3: the refund desk', { timeout: TIMEOUT }, () => {
  it('runs its resolvers in each round of the modern era, and its body once', async () => {
    expect(await functionsRun('modern')).toEqual({
      load_order: 3,
      refund_scope: 3,
      refund_amount: 2,
      ask_restock: 2,
      refund_order: 1,
    });
  });

  it('runs every function once in the legacy era', async () => {
    expect(await functionsRun('legacy')).toEqual({
      load_order: 1,
      refund_scope: 1,
      refund_amount: 1,
      ask_restock: 1,
      refund_order: 1,
    });
  });
});

const QUESTION =
  'ORD-7002 has several items (enamel-mug, canvas-tote, sticker-pack). Refund the whole order, or one SKU?';

const COMMON = [
  "   arguments  { order_id: { type: 'string' }, reason: { type: 'string' } }",
  "       model  refund_order { order_id: 'ORD-7001', reason: 'download corrupted' }",
  "        user  { full: false, sku: 'canvas-tote' }",
  '        user  (decline)',
];

const MODERN = [
  'The refund desk, in protocol 2026-07-28',
  `     round 1  ${QUESTION}`,
  "     round 3  receipt { order_id: 'ORD-7002', refunded_cents: 4800, restocked: true, reason: 'arrived broken' }",
  "     round 2  Error executing tool refund_order: order has no item 'mystery-hat'",
  '              3 rounds, 2 questions',
];

const LEGACY = [
  'The refund desk, in protocol 2025-11-25',
  `        desk  ${QUESTION}`,
  "        desk  receipt { order_id: 'ORD-7002', refunded_cents: 4800, restocked: true, reason: 'arrived broken' }",
  "        desk  Error executing tool refund_order: order has no item 'mystery-hat'",
  '              1 round, 2 questions',
];

describe.concurrent('npm start', { timeout: TIMEOUT }, () => {
  it('shows the refund desk in at most 60 plain lines', async () => {
    const { code, stdout } = await run('npm', ['start', '--silent']);
    const lines = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines).toEqual(expect.arrayContaining([...COMMON, ...MODERN]));
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(stdout).not.toContain('\u001B');
  });

  it('shows it on the legacy era with --legacy', async () => {
    const { code, stdout } = await runProgram('examples/refund-desk/play.ts', '--legacy');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining([...COMMON, ...LEGACY]));
  });

  it('refuses --interactive without a terminal', async () => {
    const ended = await runProgram('examples/refund-desk/play.ts', '--interactive');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('--interactive needs a terminal');
  });
});
