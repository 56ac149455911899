/** The compiler options of the tests that use the compiler's API. */
import path from 'node:path';
import type ts from 'typescript';
import { ROOT } from '../support/compilers.js';

/** Returns the options of a strict project. `mcp-resolve` resolves to the sources. */
export function strictOptions(compiler: typeof ts): ts.CompilerOptions {
  return {
    strict: true,
    noEmit: true,
    target: compiler.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts'],
    module: compiler.ModuleKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
    paths: { 'mcp-resolve': [path.join(ROOT, 'src/index.ts')] },
  };
}
