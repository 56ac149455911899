/**
 * Runs the author's code: imports a module, calls a factory that it exports, and collects the
 * definitions that they create. The command keeps control if the code prints, serves, waits for
 * ever, throws, or ends the process.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../values.js';
import type { AnyDefinition } from '../../definition/definitions.js';
import { isDefinition } from '../../definition/definitions.js';

import { didYouMean, EXIT, CommandFailure } from './failure.js';
import { definitionsIn, valuesOf } from './findDefinitions.js';
import type { ModuleCommand } from './findDefinitions.js';
import { loadFailure, SEPARATE_MODULE } from './loadFailure.js';
import type { AuthorCode } from './loadFailure.js';
import { enableTypeScript, isTypeScript } from './typescript.js';

/** A loaded module. */
export interface Loaded {
  /** The absolute path of its file. */
  readonly file: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /**
   * The definitions that it creates or imports, exported or not, in the order of their creation.
   */
  readonly definitions: readonly AnyDefinition[];
}

/**
 * Loads a module.
 *
 * @throws {@link CommandFailure} If the file does not exist or cannot be loaded.
 */
export async function loadModule(shown: string, timeoutMs: number): Promise<Loaded> {
  const file = path.resolve(shown);
  assertFile(file, shown);
  if (isTypeScript(file)) await enableTypeScript(file, shown);
  // Removes the flags of the command, so that the module does not read them as its own.
  process.argv.splice(2);
  const { href } = pathToFileURL(file);
  const { result, made } = await runAuthorCode(
    { action: `Loading ${shown}`, file: shown },
    timeoutMs,
    async () => (await import(href)) as unknown,
  );
  const exports = isObject(result) ? result : {};
  return { file, exports, definitions: definitionsIn([...made, ...valuesOf(exports)]) };
}

/** The outcome of calling a factory. */
export interface Built {
  /** The definitions that it created or returned. */
  readonly definitions: readonly AnyDefinition[];
  /** True if it returned a server. */
  readonly isServer: boolean;
}

/**
 * Calls the factory that a command names, as a server would for a request. If the command names
 * none, returns no definitions.
 *
 * @throws {@link CommandFailure} If the module exports no such function, or the function fails.
 */
export async function callFactory(
  { exports }: Loaded,
  { file, factory, timeoutMs }: ModuleCommand,
): Promise<Built> {
  if (factory === undefined) return { definitions: [], isServer: false };
  const exported = Object.hasOwn(exports, factory) ? exports[factory] : undefined;
  if (typeof exported !== 'function') {
    const names = Object.keys(exports).filter((name) => typeof exports[name] === 'function');
    const hint =
      names.length === 0
        ? 'It exports no functions at all.'
        : didYouMean(factory, { title: 'Exported functions', names });
    throw new CommandFailure(`${file} exports no function '${factory}'. ${hint}`);
  }
  const { result, made } = await runAuthorCode(
    { action: `Calling ${factory}() of ${file}`, file },
    timeoutMs,
    async () => (await Reflect.apply(exported, undefined, [{ era: 'modern' }])) as unknown,
  );
  const isServer = isObject(result) && typeof result.connect === 'function';
  return { definitions: definitionsIn([...made, result]), isServer };
}

/** The result of the author's code, and the definitions that it created. */
interface Ran {
  readonly result: unknown;
  readonly made: readonly AnyDefinition[];
}

/**
 * Runs the author's code and records the definitions that it creates. Most servers do not export
 * their definitions. Every definition is frozen when it is created, so `Object.freeze` is replaced
 * while the code runs.
 *
 * @throws {@link CommandFailure} If the code fails, takes too long, or ends the process.
 */
async function runAuthorCode(
  code: AuthorCode,
  timeoutMs: number,
  work: () => Promise<unknown>,
): Promise<Ran> {
  const made: AnyDefinition[] = [];
  const freeze = Object.freeze;
  const noteAndFreeze = (value: unknown): unknown => {
    if (isDefinition(value)) made.push(value);
    return freeze(value);
  };
  // If the built-in objects are frozen themselves, the command sees only the exports.
  const replaced = Reflect.set(Object, 'freeze', noteAndFreeze);
  try {
    return { result: await guardProcess(code, timeoutMs, work), made };
  } finally {
    if (replaced) Reflect.set(Object, 'freeze', freeze);
  }
}

/** Turns errors, a timeout and the end of the process into failures of the command. */
async function guardProcess(
  code: AuthorCode,
  timeoutMs: number,
  work: () => Promise<unknown>,
): Promise<unknown> {
  let giveUp: (reason: unknown) => void = () => undefined;
  const trouble = new Promise<never>((_, reject) => (giveUp = reject));
  const timer = setTimeout(() => giveUp(tooSlow(code, timeoutMs)), timeoutMs);
  const onExit = (exitCode: number): void => {
    process.stderr.write(
      `${code.action} ended the process with exit code ${exitCode}. ${SEPARATE_MODULE}\n`,
    );
    process.exitCode = EXIT.failed;
  };
  process.on('uncaughtException', giveUp).on('unhandledRejection', giveUp).on('exit', onExit);
  try {
    return await Promise.race([work(), trouble]);
  } catch (error) {
    throw loadFailure(code, error);
  } finally {
    clearTimeout(timer);
    process.off('uncaughtException', giveUp).off('unhandledRejection', giveUp).off('exit', onExit);
    // Later errors of the module do not concern the command.
    process.on('uncaughtException', () => undefined).on('unhandledRejection', () => undefined);
  }
}

function tooSlow({ action }: AuthorCode, timeoutMs: number): CommandFailure {
  return new CommandFailure(
    `${action} did not finish within ${timeoutMs / 1000} s. If the code is only slow, use a longer timeout, such as --timeout 60. ` +
      'If it waits for something, such as a server that keeps running, move the definitions to a separate module, and pass that one.',
  );
}

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cts', '.cjs'];

/**
 * Checks that a path is a file.
 *
 * @throws {@link CommandFailure} If it is not a file.
 */
export function assertFile(file: string, shown: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return;
  if (stats?.isDirectory() === true) {
    const inside = readdirSync(file).filter((name) => EXTENSIONS.includes(path.extname(name)));
    const example = inside.find((name) => /^(server|index|main)\./.test(name)) ?? inside[0];
    const hint = example === undefined ? '' : `, such as ${path.join(shown, example)}`;
    throw new CommandFailure(
      `${shown} is a directory. Pass the module that defines the tools${hint}.`,
    );
  }
  const stem = shown.replace(/\.[cm]?[jt]s$/, '');
  const meant = EXTENSIONS.map((end) => `${stem}${end}`).find((name) => existsSync(name));
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  throw new CommandFailure(`There is no file '${shown}'.${hint}`);
}
