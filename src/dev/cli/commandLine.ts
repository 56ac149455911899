/** What was typed, read and checked. */
import { parseArgs } from 'node:util';
import { Failure } from './failure.js';
import { didYouMean } from './near.js';

/** How a definition can be printed. */
export const FORMATS = ['text', 'mermaid', 'svg', 'json'] as const;

/** One of them. */
export type Format = (typeof FORMATS)[number];

/** What is to be done. */
export type CommandLine = { readonly command: 'help' | 'version' } | ExplainCommand | CheckCommand;

/** What is to be done with a module. */
export interface ModuleCommand {
  /** The module, as it was typed. */
  readonly file: string;
  /** Only the definition of this name. */
  readonly name: string | undefined;
  /** An exported function that is to be called. */
  readonly factory: string | undefined;
  readonly timeoutMs: number;
}

/** Print definitions. */
export interface ExplainCommand extends ModuleCommand {
  readonly command: 'explain';
  readonly format: Format;
  /** A file or a folder; `undefined` for standard output. */
  readonly out: string | undefined;
  /** Whether colours are wanted, or not; `undefined` if that was not said. */
  readonly color: boolean | undefined;
}

/** Look for mistakes. */
export interface CheckCommand extends ModuleCommand {
  readonly command: 'check';
  /** The codes of what is not to be reported. */
  readonly allow: readonly string[];
}

const FLAGS = {
  format: { type: 'string' },
  out: { type: 'string', short: 'o' },
  factory: { type: 'string' },
  timeout: { type: 'string' },
  allow: { type: 'string', multiple: true },
  color: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

type Flag = keyof typeof FLAGS;

const COMMON: readonly Flag[] = ['factory', 'timeout', 'help', 'version'];

type ModuleCommandName = (ExplainCommand | CheckCommand)['command'];

const COMMANDS: Readonly<Record<ModuleCommandName, readonly Flag[]>> = {
  explain: ['format', 'out', 'color', 'no-color', ...COMMON],
  check: ['allow', ...COMMON],
};

const DEFAULT_TIMEOUT_SECONDS = 10;

/**
 * Reads what was typed after the name of the command.
 *
 * @throws {@link Failure} If it cannot be meant.
 */
export function readCommandLine(typed: readonly string[]): CommandLine {
  const { values, positionals, tokens } = parseArgs({
    args: [...typed],
    options: FLAGS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  if (values.help === true) return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [command, file, name, ...rest] = positionals;
  assertCommand(command);
  for (const token of tokens) if (token.kind === 'option') assertFlag(token, command);
  if (file === undefined) {
    throw new Failure(`${command} needs a module: mcp-resolve ${command} ./server.ts`);
  }
  if (rest.length > 0) {
    throw new Failure(`${command} takes a module and one name, not also '${rest.join(' ')}'.`);
  }
  const target = {
    file,
    name,
    factory: textOf('factory', values.factory),
    timeoutMs: secondsOf(values.timeout) * 1000,
  };
  if (command === 'check') return { command, ...target, allow: textsOf(values.allow) };
  return {
    command,
    ...target,
    color: values['no-color'] === true ? false : values.color === true ? true : undefined,
    format: formatOf(values.format),
    out: textOf('out', values.out),
  };
}

function assertCommand(command: string | undefined): asserts command is ModuleCommandName {
  if (command === 'explain' || command === 'check') return;
  if (command === undefined) {
    throw new Failure(
      'What is to be done? mcp-resolve explain ./server.ts, or mcp-resolve check ./server.ts; --help says more.',
    );
  }
  const hint = /[./\\]/.test(command)
    ? `(did you mean mcp-resolve explain ${command}?)`
    : didYouMean(command, Object.keys(COMMANDS));
  throw new Failure(`There is no command '${command}' ${hint}.`);
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
}

function assertFlag({ name, rawName }: FlagToken, command: ModuleCommandName): void {
  const known: readonly string[] = COMMANDS[command];
  if (known.includes(name)) return;
  throw new Failure(`${command} has no flag ${rawName} ${didYouMean(name, known, '--')}.`);
}

type Value = string | boolean | undefined;

function textOf(flag: Flag, value: Value): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new Failure(`--${flag} needs a value: --${flag} <${flag === 'out' ? 'file' : 'name'}>`);
}

function textsOf(values: readonly Value[] | undefined): string[] {
  return (values ?? []).flatMap((value) => {
    if (typeof value !== 'string') throw new Failure('--allow needs the code of a finding.');
    return value.split(',').map((code) => code.trim());
  });
}

function formatOf(value: Value): Format {
  const format = FORMATS.find((known) => known === (value ?? 'text'));
  if (format !== undefined) return format;
  const given = typeof value === 'string' ? `, not '${value}'` : '';
  throw new Failure(`--format is ${FORMATS.join(', ')}${given}.`);
}

function secondsOf(value: Value): number {
  if (value === undefined) return DEFAULT_TIMEOUT_SECONDS;
  const seconds = Number(value);
  if (typeof value === 'string' && seconds > 0 && seconds <= 86_400) return seconds;
  throw new Failure('--timeout is a number of seconds.');
}
