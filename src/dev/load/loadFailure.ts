/** Explains why the author's code failed: the problem, the place, and the remedy. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../values.js';
import { InvalidGraphError, messageOf } from '../../errors.js';
import { EXIT, CommandFailure } from './failure.js';

/** The author's code that the command runs. */
export interface AuthorCode {
  /** The action of the command, such as `Loading server.ts`. Messages begin with it. */
  readonly action: string;
  /** The path of the module, as typed. */
  readonly file: string;
}

/** Turns a value that the author's code threw into a failure. */
export function loadFailure({ action, file }: AuthorCode, thrown: unknown): CommandFailure {
  if (thrown instanceof CommandFailure) return thrown;
  if (thrown instanceof InvalidGraphError) {
    return new CommandFailure(thrown.message, EXIT.found, thrown.code);
  }
  const remedy = remedyFor(isObject(thrown) ? thrown.code : undefined);
  const lines = [
    `${action} failed: ${titleOf(thrown)}`,
    ...placeOf(file, thrown),
    ...(remedy === undefined ? [] : [remedy]),
  ];
  return new CommandFailure(lines.join('\n'));
}

function titleOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `'${messageOf(thrown)}' was thrown instead of an Error.`;
  const message = thrown.message.trimEnd();
  return message.startsWith(`${thrown.name}:`) ? message : `${thrown.name}: ${message}`;
}

/** Returns the place of the error in the author's own code. */
function placeOf(file: string, thrown: unknown): string[] {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return [];
  if (thrown instanceof SyntaxError) return misspeltLine(file);
  const frames = thrown.stack.split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.map((line) => indentFrame(line.trim())).find(isAuthorsFrame);
  return own === undefined ? [] : [own];
}

function isAuthorsFrame(line: string): boolean {
  return /[\\/]/.test(line) && !/node:|node_modules/.test(line) && !isFrameOfThisPackage(line);
}

/**
 * Returns true for a frame in the code of this package. A linked package is not in `node_modules`.
 */
function isFrameOfThisPackage(line: string): boolean {
  const manifest = createRequire(import.meta.url).resolve('mcp-resolve/package.json');
  const folders = ['dist', 'src'].map((name) => path.join(path.dirname(manifest), name, path.sep));
  return folders.some((folder) => line.includes(folder));
}

/**
 * Returns the line of a syntax error from `node --check`, because the error does not contain it.
 */
function misspeltLine(file: string): string[] {
  const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  const [place = ''] = stderr.split(/^\w*Error/m);
  return status === 0 ? [] : place.trimEnd().split('\n').map(indentFrame);
}

function indentFrame(line: string): string {
  return `  ${line.replace(/file:\/\/[^\s:)]+/g, (url) => fileURLToPath(url))}`;
}

/** The remedy for a module that does more than define. */
export const SEPARATE_MODULE = 'Move the definitions to a separate module, and pass that one.';

const REMEDIES: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND:
    'Check that it is installed. If the import is ./x.js for a TypeScript file x.ts, install tsx: npm install --save-dev tsx',
  MODULE_NOT_FOUND: 'Check that it is installed.',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    'Node only strips types. For enums and other syntax that must be compiled, install tsx: npm install --save-dev tsx',
  EADDRINUSE: `The module starts a server when it is imported. ${SEPARATE_MODULE}`,
};

function remedyFor(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
}
