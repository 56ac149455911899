/**
 * Runs the compilers that authors use over a set of files.
 *
 * In: a compiler, the files, the options of a project. Out: one entry per error, with its position
 * and full message. The compilers run as command lines, because all of them, the native TypeScript
 * 7 included, have the same one.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The compilers, by the name under which they are installed. */
export const COMPILERS = ['typescript-5.9', 'typescript', 'typescript-7'] as const;

export type Compiler = (typeof COMPILERS)[number];

/** The timeout of a compilation, long enough for a busy machine. */
export const COMPILER_TIMEOUT = 120_000;

/** The compiler options of a strict project. `mcp-resolve` resolves to the sources. */
export const STRICT = {
  target: 'es2022',
  lib: ['es2023'],
  module: 'nodenext',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [path.join(ROOT, 'node_modules/@types')],
  paths: {
    'mcp-resolve': [path.join(ROOT, 'src/index.ts')],
    'mcp-resolve/approvals': [path.join(ROOT, 'src/approvals.ts')],
    'mcp-resolve/node': [path.join(ROOT, 'src/node.ts')],
    'mcp-resolve/store': [path.join(ROOT, 'src/store.ts')],
  },
};

/** An error of a compiler. */
export interface CompileError {
  /** Relative to the root of this repository. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Compiles files as one program. */
export async function compile(
  compiler: Compiler,
  files: readonly string[],
  compilerOptions: object = STRICT,
): Promise<CompileError[]> {
  const directory = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-compile-'));
  try {
    const config = path.join(directory, 'tsconfig.json');
    await writeFile(config, JSON.stringify({ compilerOptions, files }));
    return errorsIn(await tsc(compiler, ['-p', config, '--pretty', 'false']));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs a compiler and returns its output, with or without errors. */
export function tsc(compiler: Compiler, args: readonly string[]): Promise<string> {
  const script = path.join(ROOT, 'node_modules', compiler, 'bin', 'tsc');
  return new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [script, ...args], options, (_failed, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}

const HEADLINE = /^(.+)\((\d+),\d+\): error (.+)$/;

/** Parses the output of a compiler. A line of another format becomes an error without a file. */
export function errorsIn(output: string): CompileError[] {
  const errors: CompileError[] = [];
  for (const line of output.split('\n').filter((text) => text.trim() !== '')) {
    const [, file, number, text] = HEADLINE.exec(line) ?? [];
    const last = errors.at(-1);
    if (file !== undefined) errors.push({ file, line: Number(number), text: text ?? '' });
    else if (line.startsWith(' ') && last)
      errors[errors.length - 1] = { ...last, text: `${last.text}\n${line}` };
    else errors.push({ file: '', line: 0, text: line });
  }
  return errors;
}
