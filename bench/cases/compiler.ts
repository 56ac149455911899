/** Counts the type instantiations of programs. Unlike timings, these counts do not vary. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ARGUMENTS = ['invoice', 'customer', 'currency'];

/**
 * In a chain, each resolver needs the two before it, and the tool needs the last one. In a fan,
 * each resolver needs the first two, and the tool needs all of them.
 */
export type Layout = 'chain' | 'fan';

/** Returns a program with a tool over this many resolvers. Every third resolver asks. */
export function programOf(layout: Layout, count: number): string {
  const indices = Array.from({ length: count }, (_, index) => index);
  const filled = layout === 'chain' ? indices.slice(-1) : indices;
  return `import { argsOf, defineTool, elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';
const Input = z.object({ ${ARGUMENTS.map((name) => `${name}: z.string()`).join(', ')} });
const Approval = z.object({ approved: z.boolean() });
const args = argsOf(Input);
${indices.map((index) => resolverText(layout, index)).join('\n')}
export const tool = defineTool(
  'pay',
  { inputSchema: Input, resolve: { ${filled.map((index) => `p${index}: r${index}`).join(', ')} } },
  ({ invoice, p${count - 1} }) => invoice + String(p${count - 1}),
);
`;
}

function resolverText(layout: Layout, index: number): string {
  const others = layout === 'chain' ? [index - 1, index - 2] : [0, 1];
  const needs = others.filter((other) => other >= 0 && other < index).map((other) => `r${other}`);
  const value = `{ v${index}: id.length }`;
  const body =
    index % 3 === 2
      ? `id === '' ? elicit('Sure?', Approval) : ${value}, { asks: 'form' }`
      : `(${value})`;
  const argument = ARGUMENTS[index % ARGUMENTS.length] ?? '';
  return `export const r${index} = resolver({ ${[`id: args.${argument}`, ...needs].join(', ')} }, ({ id }) => ${body});`;
}

/** Returns the instantiations of each program, with the built declarations and `skipLibCheck`. */
export async function instantiationsOf(programs: readonly string[]): Promise<number[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-types-'));
  try {
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    const counts: number[] = [];
    for (const program of programs) counts.push(await instantiations(folder, program));
    return counts;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function instantiations(folder: string, program: string): Promise<number> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    lib: ['ES2023'],
    module: 'NodeNext',
    skipLibCheck: true,
    types: ['node'],
    paths: { 'mcp-resolve': [path.join(ROOT, 'dist/index.d.mts')] },
  };
  await writeFile(path.join(folder, 'program.mts'), program);
  const config = { compilerOptions, files: ['program.mts'] };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[tsc, '-p', folder],
    '--extendedDiagnostics',
  ]);
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]);
}
