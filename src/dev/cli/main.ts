/**
 * The command, from what was typed to the exit code. The process is ended here, because a module
 * that was loaded may have left a server or a timer behind.
 */
import { inspect } from 'node:util';
import { runCheck } from './checkCommand.js';
import { readCommandLine } from './commandLine.js';
import type { CheckCommand, ExplainCommand } from './commandLine.js';
import { runExplain } from './explainCommand.js';
import { callFactory } from './factory.js';
import { EXIT, Failure } from './failure.js';
import type { ExitCode } from './failure.js';
import { HELP, version } from './help.js';
import { loadModule } from './loadModule.js';

/** Settled when everything is printed; the process ends then. */
export const ended: Promise<void> = run(process.argv.slice(2));

interface Printed {
  readonly text: string;
  readonly exitCode: ExitCode;
}

async function run(typed: readonly string[]): Promise<void> {
  const print = takeStandardOutput();
  const { text, exitCode } = await outcomeOf(typed).catch((error: unknown) => {
    process.stderr.write(`${complaintOf(error)}\n`);
    return { text: '', exitCode: error instanceof Failure ? error.exitCode : EXIT.failed };
  });
  await print(text);
  process.exit(exitCode);
}

/** A mistake of ours has a stack, so that it can be reported. */
function complaintOf(error: unknown): string {
  if (!(error instanceof Failure)) return inspect(error);
  return error.code === undefined ? error.message : `${error.code}: ${error.message}`;
}

async function outcomeOf(typed: readonly string[]): Promise<Printed> {
  const command = readCommandLine(typed);
  switch (command.command) {
    case 'help':
      return { text: HELP, exitCode: EXIT.fine };
    case 'version':
      return { text: `${version()}\n`, exitCode: EXIT.fine };
    case 'explain':
      return { text: await explainModule(command), exitCode: EXIT.fine };
    case 'check':
      return checkModule(command);
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
 * Standard output is for what was asked for: what a module prints while it is loaded goes to
 * standard error.
 */
function takeStandardOutput(): (text: string) => Promise<void> {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // A reader that has seen enough has closed the pipe.
  stdout.on('error', () => process.exit());
  stdout.write = stderr.write.bind(stderr);
  return (text) =>
    new Promise((resolve) => {
      write(text, () => resolve());
    });
}
