/** Explains why a module cannot be loaded: the problem, the place, and the remedy. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../define/schema.js';
import { InvalidGraphError, messageOf } from '../../errors.js';
import { EXIT, Failure } from './failure.js';

/** Turns a value that was thrown while a module was loaded into a failure. */
export function loadFailure(shown: string, thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof InvalidGraphError) {
    return new Failure(thrown.message, EXIT.found, thrown.code);
  }
  const remedy = remedyFor(isObject(thrown) ? thrown.code : undefined);
  const lines = [
    `${shown} cannot be loaded: ${titleOf(thrown)}`,
    ...placeOf(shown, thrown),
    ...(remedy === undefined ? [] : [remedy]),
  ];
  return new Failure(lines.join('\n'));
}

function titleOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it throws ${messageOf(thrown)}`;
  const message = thrown.message.trimEnd();
  return message.startsWith(`${thrown.name}:`) ? message : `${thrown.name}: ${message}`;
}

/** Returns the place of the error in the author's own code. */
function placeOf(shown: string, thrown: unknown): string[] {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return [];
  if (thrown instanceof SyntaxError) return misspeltLine(shown);
  const frames = thrown.stack.split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.find((line) => !/node:|node_modules/.test(line) && /[\\/]/.test(line));
  return own === undefined ? [] : [indented(own.trim())];
}

/**
 * Returns the line of a syntax error from `node --check`, because the error does not contain it.
 */
function misspeltLine(shown: string): string[] {
  const { status, stderr } = spawnSync(process.execPath, ['--check', shown], { encoding: 'utf8' });
  const [place = ''] = stderr.split(/^\w*Error/m);
  return status === 0 ? [] : place.trimEnd().split('\n').map(indented);
}

function indented(line: string): string {
  return `  ${line.replace(/file:\/\/[^\s:)]+/g, (url) => fileURLToPath(url))}`;
}

const REMEDIES: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND:
    'Is it installed? Where TypeScript imports ./x.js for a file x.ts, Node needs tsx: npm install --save-dev tsx',
  MODULE_NOT_FOUND: 'Is it installed?',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    'Node only strips types: for enums and the like install tsx, npm install --save-dev tsx',
  EADDRINUSE: 'It listens when it is imported: move the definitions to a module of their own.',
};

function remedyFor(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
}
