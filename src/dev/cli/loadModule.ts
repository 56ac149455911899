/**
 * Loads a module as its author wrote it, and keeps the command in hand whatever the module does
 * meanwhile: print, serve, wait for ever, throw, or end the process.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../define/schema.js';
import type { AnyDefinition } from '../../server/definition/definitions.js';
import { EXIT, Failure } from './failure.js';
import { definitionsIn, valuesOf } from './findDefinitions.js';
import { loadFailure } from './loadFailure.js';
import { enableTypeScript, isTypeScript } from './typescript.js';
import { watching } from './watch.js';

/** A loaded module. */
export interface Loaded {
  /** The path of its file. */
  readonly file: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** What it defines and imports, exported or not, in the order in which it is made. */
  readonly definitions: readonly AnyDefinition[];
}

/**
 * Loads a module.
 *
 * @throws {@link Failure} If there is none, or it cannot be loaded.
 */
export async function loadModule(shown: string, timeoutMs: number): Promise<Loaded> {
  const file = path.resolve(shown);
  assertFile(file, shown);
  if (isTypeScript(file)) await enableTypeScript(file, shown);
  // A module that reads its own flags must not read ours.
  process.argv.splice(2);
  const { href } = pathToFileURL(file);
  const { result, made } = await watching(() =>
    guarded(shown, timeoutMs, async () => (await import(href)) as unknown),
  );
  const exports = isObject(result) ? result : {};
  return { file, exports, definitions: definitionsIn([...made, ...valuesOf(exports)]) };
}

/**
 * Waits for work that belongs to the module.
 *
 * @throws {@link Failure} If it fails, takes too long, or ends the process.
 */
export async function guarded<T>(
  shown: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let giveUp: (reason: unknown) => void = () => undefined;
  const trouble = new Promise<never>((_, reject) => (giveUp = reject));
  const timer = setTimeout(() => giveUp(tooSlow(shown, timeoutMs)), timeoutMs);
  const onExit = (code: number): void => {
    process.stderr.write(
      `${shown} ended the process while it was loaded (exit code ${code}): move the definitions to a module of their own, and give that one.\n`,
    );
    process.exitCode = EXIT.failed;
  };
  process.on('uncaughtException', giveUp).on('unhandledRejection', giveUp).on('exit', onExit);
  try {
    return await Promise.race([work(), trouble]);
  } catch (error) {
    throw loadFailure(shown, error);
  } finally {
    clearTimeout(timer);
    process.off('uncaughtException', giveUp).off('unhandledRejection', giveUp).off('exit', onExit);
    // What fails from here on is not what was asked for.
    process.on('uncaughtException', () => undefined).on('unhandledRejection', () => undefined);
  }
}

function tooSlow(shown: string, timeoutMs: number): Failure {
  return new Failure(
    `${shown} did not finish loading within ${timeoutMs / 1000} s. If it waits for something at its top level, such as a server that listens, ` +
      'move the definitions to a module of their own and give that one; if it is only slow, give it longer: --timeout 60.',
  );
}

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cts', '.cjs'];

/** @throws {@link Failure} If it is no file. */
function assertFile(file: string, shown: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return;
  if (stats?.isDirectory() === true) {
    const inside = readdirSync(file).filter((name) => EXTENSIONS.includes(path.extname(name)));
    const example = inside.find((name) => /^(server|index|main)\./.test(name)) ?? inside[0];
    const hint = example === undefined ? '' : `, such as ${path.join(shown, example)}`;
    throw new Failure(`${shown} is a directory: give the module that defines the tools${hint}.`);
  }
  const stem = shown.replace(/\.[cm]?[jt]s$/, '');
  const meant = EXTENSIONS.map((end) => `${stem}${end}`).find((name) => existsSync(name));
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  throw new Failure(`There is no file ${shown}${hint}.`);
}
