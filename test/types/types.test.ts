/**
 * Tests the types with the compilers and settings that authors use.
 *
 * The files `*.types.ts` state inferred types and must compile. Each file in `test/compile-errors`
 * contains one mistake. Its first line is a sentence that the compiler must print for the line
 * below `// Mistake:`. The only other errors are below `// Follows:`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { checkAll } from '../support/checkAll.js';
import {
  compile,
  type CompileError,
  COMPILER_TIMEOUT,
  ROOT,
  STRICT,
} from '../support/compilers.js';

const CONTROL = 'test/compile-errors/control.ts';
const CLAIMS = filesIn('test/types', '.types.ts');
const MISTAKES = filesIn('test/compile-errors', '.ts').filter((file) => file !== CONTROL);

// Libraries take seconds per run, so only the fast compiler runs with both settings.
const EXACT = { ...STRICT, exactOptionalPropertyTypes: true };
const RUNS = [
  ['typescript-5.9', 'strict', STRICT],
  ['typescript', 'strict', STRICT],
  ['typescript-7', 'strict', STRICT],
  ['typescript-7', 'exactOptionalPropertyTypes', EXACT],
] as const;

function filesIn(directory: string, end: string): string[] {
  const names = readdirSync(path.join(ROOT, directory)).filter((name) => name.endsWith(end));
  return names.map((name) => `${directory}/${name}`);
}

/** Reads the expected error of a file with a mistake. */
function mistakeIn(file: string): { sentence: string; at: number[]; follows: number[] } {
  const lines = readFileSync(path.join(ROOT, file), 'utf8').split('\n');
  const below = (mark: string): number[] =>
    lines.flatMap((line, index) => (line.trim() === mark ? [index + 2] : []));
  return {
    sentence: lines[0]!.replace('// ', ''),
    at: below('// Mistake:'),
    follows: below('// Follows:'),
  };
}

let found: CompileError[][];

beforeAll(async () => {
  const files = [...CLAIMS, ...MISTAKES, CONTROL].map((file) => path.join(ROOT, file));
  found = await Promise.all(RUNS.map(([compiler, , options]) => compile(compiler, files, options)));
}, COMPILER_TIMEOUT);

describe.each(RUNS.map(([compiler, setting], run) => [compiler, setting, run] as const))(
  '%s, %s',
  (_compiler, _setting, run) => {
    const errorsOf = (file: string): CompileError[] =>
      found[run]!.filter((error) => error.file === file);

    it('accepts every file that states types, and reports no error outside of the files', () => {
      expect(['', ...CLAIMS, CONTROL].flatMap(errorsOf)).toEqual([]);
    });

    it('reports each mistake at its line, with its sentence', async () => {
      await checkAll(MISTAKES, String, (file) => {
        const { sentence, at, follows } = mistakeIn(file);
        const errors = errorsOf(file);
        const lines = [...new Set(errors.map((error) => error.line))];
        expect(lines, JSON.stringify(errors, null, 1)).toEqual([...at, ...follows]);
        expect(at).toHaveLength(1);
        expect(errors.find((error) => error.line === at[0])?.text).toContain(sentence);
      });
    });
  },
);

describe('the definitions in', () => {
  it.each([...CLAIMS, CONTROL])('%s throw nothing at run time', async (file) => {
    await expect(import(path.join(ROOT, file))).resolves.toBeDefined();
  });
});
