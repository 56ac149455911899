/**
 * Lets Node load TypeScript. Uses tsx if the project has it, because tsx reads the tsconfig.
 * Otherwise Node itself strips the types, if it can.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandFailure } from './failure.js';

/** Returns true for a TypeScript file. */
export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

/**
 * Prepares the process to import a TypeScript file.
 *
 * @throws {@link CommandFailure} If neither tsx nor Node can load the file.
 */
export async function enableTypeScript(file: string, shown: string): Promise<void> {
  const tsx = findTsx(file);
  if (tsx !== undefined) {
    for (const api of ['cjs/api', 'esm/api']) await register(tsx, api);
    return;
  }
  if (nodeStripsTypes()) return;
  throw new CommandFailure(
    `${shown} is TypeScript, which Node ${process.versions.node} cannot load. Install tsx (npm install --save-dev tsx), use Node 22.18 or later, or pass the compiled JavaScript file.`,
  );
}

/** Finds the manifest of tsx, from the project of the file or from the current directory. */
export function findTsx(file: string): string | undefined {
  for (const from of [file, path.join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from).resolve('tsx/package.json');
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

/**
 * Registers one of the APIs of tsx. Uses the ES module build, because the CommonJS build fails
 * here.
 */
async function register(manifest: string, api: string): Promise<void> {
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as TsxManifest;
  const place = exports[`./${api}`]?.import.default ?? `./dist/${api}/index.mjs`;
  const href = new URL(place, pathToFileURL(manifest)).href;
  const { register: start } = (await import(href)) as { readonly register: () => unknown };
  start();
}

interface TsxManifest {
  readonly exports: Readonly<Record<string, { readonly import: { readonly default: string } }>>;
}

function nodeStripsTypes(): boolean {
  const { typescript } = process.features as { readonly typescript?: unknown };
  return typeof typescript === 'string';
}
