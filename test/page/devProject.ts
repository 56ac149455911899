/** A project with a module of tools, and `mcp-resolve dev` on it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { makeProject } from '../cli/project.js';
import type { Project } from '../cli/project.js';

/** The tools that most tests call. `pay_invoice` has `pin` and `once`, `refund` has neither. */
export const TOOLS = [
  `import { argsOf, confirm, defineTool, elicit, memoryStore, outcome, resolver } from 'mcp-resolve';`,
  `import * as z from 'zod';`,
  ``,
  `const invoices = { 'INV-1': 40, 'INV-2': 900 };`,
  `const PayInput = z.object({ invoice: z.enum(['INV-1', 'INV-2']) });`,
  `const args = argsOf(PayInput);`,
  `const amountDue = resolver({ id: args.invoice }, ({ id }) => invoices[id], { pin: z.number() });`,
  `const approval = resolver(`,
  `  { id: args.invoice, euros: amountDue },`,
  `  ({ id, euros }) => (euros < 100 ? true : confirm(\`Pay \${euros} euros for \${id}?\`)),`,
  `  { asks: 'form' },`,
  `);`,
  `export const payInvoice = defineTool(`,
  `  'pay_invoice',`,
  `  {`,
  `    description: 'Pay an invoice. The amount comes from the records.',`,
  `    inputSchema: PayInput,`,
  `    resolve: { euros: amountDue, approved: approval },`,
  `    once: memoryStore(),`,
  `  },`,
  `  ({ invoice, euros }) => \`Paid \${euros} euros for \${invoice}.\`,`,
  `);`,
  ``,
  `const RefundInput = z.object({ order_id: z.string() });`,
  `const refundArgs = argsOf(RefundInput);`,
  `const Scope = z.object({ sku: z.string().min(3) });`,
  `const order = resolver({ id: refundArgs.order_id }, ({ id }) => ({ id, cents: 4800 }));`,
  `const scope = resolver({ order }, ({ order }) => elicit(\`Which part of \${order.id}?\`, Scope), {`,
  `  asks: Scope,`,
  `  attempts: 2,`,
  `});`,
  `const sure = resolver({ order, scope }, ({ order, scope }) =>`,
  `  confirm(\`Refund \${order.cents} cents for \${scope.sku}?\`), { asks: 'form' });`,
  `export const refund = defineTool(`,
  `  'refund',`,
  `  { inputSchema: RefundInput, resolve: { order, sure: outcome(sure) } },`,
  `  ({ order, sure }) => (sure.action === 'accept' ? \`Refunded \${order.cents} cents.\` : 'Kept it.'),`,
  `);`,
];

/** A running command. */
export interface Dev {
  /** The address of the page. */
  readonly address: string;
  /** Resolves with the next line on standard error that contains a text. */
  readonly told: (text: string) => Promise<string>;
  readonly stop: () => Promise<unknown>;
}

/** Creates a project that has everything that the command and its tests need. */
export async function makeDevProject(lines = TOOLS): Promise<Project> {
  const packages = ['@modelcontextprotocol/client', 'vitest'];
  const project = await makeProject({ tsx: true, with: packages });
  await project.write('tools.ts', lines);
  return project;
}

/** Starts the command, and waits for its address. */
export async function startDev({ directory }: Project, ...typed: string[]): Promise<Dev> {
  const program = path.join(directory, 'node_modules', 'mcp-resolve', 'dist', 'cli.mjs');
  const args = typed.length === 0 ? ['./tools.ts'] : typed;
  const child = spawn(process.execPath, [program, 'dev', ...args], { cwd: directory });
  const told = watchText(child.stderr);
  const address = await watchText(child.stdout)('http://');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { address: /http:\S+/.exec(address)?.[0] ?? '', told, stop };
}

/** Returns a function that waits until a stream has printed a text, after what it found before. */
function watchText(stream: NodeJS.ReadableStream): (text: string) => Promise<string> {
  let printed = '';
  let changed = (): void => undefined;
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
    changed();
  });
  return async (text) => {
    while (!printed.includes(text)) await new Promise<void>((resolve) => (changed = resolve));
    const found = printed;
    printed = '';
    return found;
  };
}
