/**
 * Runs the command, from its arguments to the exit code. It ends the process, because a loaded
 * module may have left a server or a timer running.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { messageOf } from '../../errors.js';
import { postgresTableSql } from '../../store/postgresStore.js';
import { runCheck } from './checkCommand.js';
import { HELP, readCommandLine } from './commandLine.js';
import type { CheckCommand, ExplainCommand, SqlCommand } from './commandLine.js';
import { runExplain } from './explainCommand.js';
import { EXIT, CommandFailure } from '../load/failure.js';
import type { ExitCode } from '../load/failure.js';
import { callFactory, loadModule } from '../load/loadModule.js';
import { runDev } from '../page/server/devCommand.js';

/** The run of the command. It ends the process after it has printed everything. */
export const ended: Promise<void> = main(process.argv.slice(2));

/** Prints to standard output. */
type Print = (text: string) => Promise<void>;

interface Printed {
  readonly text: string;
  readonly exitCode: ExitCode;
}

async function main(typed: readonly string[]): Promise<void> {
  const print = takeStandardOutput();
  const { text, exitCode } = await outcomeOf(typed, print).catch((error: unknown) => {
    process.stderr.write(`${complaintOf(error)}\n`);
    return { text: '', exitCode: error instanceof CommandFailure ? error.exitCode : EXIT.failed };
  });
  await print(text);
  process.exit(exitCode);
}

/**
 * Formats an error for the user. Unexpected errors keep their stack, so that users can report them.
 */
function complaintOf(error: unknown): string {
  if (!(error instanceof CommandFailure)) return inspect(error);
  return error.code === undefined ? error.message : `${error.code}: ${error.message}`;
}

async function outcomeOf(typed: readonly string[], print: Print): Promise<Printed> {
  const command = readCommandLine(typed);
  switch (command.command) {
    case 'help':
      return { text: HELP, exitCode: EXIT.fine };
    case 'version':
      return { text: `${version()}\n`, exitCode: EXIT.fine };
    case 'key':
      return { text: `${randomBytes(32).toString('base64url')}\n`, exitCode: EXIT.fine };
    case 'sql':
      return { text: printSql(command), exitCode: EXIT.fine };
    case 'explain':
      return { text: await explainModule(command), exitCode: EXIT.fine };
    case 'check':
      return checkModule(command);
    case 'dev':
      await runDev(command, print);
      return { text: '', exitCode: EXIT.fine };
  }
}

/** Returns the version of this package. */
function version(): string {
  const manifest = createRequire(import.meta.url).resolve('mcp-resolve/package.json');
  const { version: own } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly version: string;
  };
  return own;
}

function printSql({ table }: SqlCommand): string {
  try {
    return postgresTableSql(table === undefined ? {} : { table });
  } catch (error) {
    throw new CommandFailure(messageOf(error));
  }
}

async function explainModule(command: ExplainCommand): Promise<string> {
  const color = command.color ?? (process.stdout.isTTY && !process.env.NO_COLOR);
  const loaded = await loadModule(command.file, command.timeoutMs);
  const { definitions } = await callFactory(loaded, command);
  return runExplain(command, [...new Set([...loaded.definitions, ...definitions])], color);
}

async function checkModule(command: CheckCommand): Promise<Printed> {
  const { text, clean } = await runCheck(command);
  return { text, exitCode: clean ? EXIT.fine : EXIT.found };
}

/**
 * Sends everything that the module prints to standard error. Returns a function that prints to
 * standard output.
 */
function takeStandardOutput(): Print {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // The reader closed the pipe.
  stdout.on('error', () => process.exit());
  stdout.write = stderr.write.bind(stderr);
  return (text) =>
    new Promise((resolve) => {
      write(text, () => resolve());
    });
}
