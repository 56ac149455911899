/** The command line: its help text, its commands and flags, and the parser. */
import { parseArgs } from 'node:util';
import { FORMATS } from '../graph/format.js';
import type { ExplainFormat } from '../graph/format.js';
import { didYouMean, CommandFailure } from '../load/failure.js';
import type { ModuleCommand } from '../load/findDefinitions.js';
import type { DevOptions } from '../page/server/devCommand.js';

/** The text of `--help`. */
export const HELP = `mcp-resolve explains, checks and shows the tools, prompts and resources of a module.

  mcp-resolve explain <module> [name]   shows what each one needs, what it asks, and its rounds
  mcp-resolve check <module> [name]     reports mistakes, for CI
  mcp-resolve dev <module> [name]       serves a page on which you call them and see each step
  mcp-resolve key                       prints a new key for MCP_RESOLVE_KEYS
  mcp-resolve sql [table]               prints the SQL of the table of postgresStore

All three import the module, which runs its code. explain and check call none of its definitions.
Pass a module that only exports definitions, and start servers in another module.

explain
  --format <format>    text (default), json, mermaid or svg; mermaid and svg draw one definition
  --out, -o <file>     writes to a file, or one file per definition to a folder
  --color, --no-color  turns colours in text on or off (default: on in a terminal)

check
  --format <format>    text (default) or json
  --allow <code>       ignores findings with this code; can be repeated

dev
  --open               opens the page in a browser
  --port <number>      listens on this port of 127.0.0.1 (default: a free one)

all three
  --factory <name>     calls this exported function and includes the definitions it creates;
                       check calls it twice, to find definitions that are created per request
  --timeout <seconds>  limits the time to load the module (default: 10)
  --help, --version

The exit code is 0 on success, 1 if a definition has errors, and 2 if the command fails.
`;

/** The output formats of `check`. */
const CHECK_FORMATS = ['text', 'json'] as const;

/** A parsed command line. */
export type CommandLine =
  | { readonly command: 'help' | 'version' | 'key' }
  | SqlCommand
  | ExplainCommand
  | CheckCommand
  | DevCommand;

/** `mcp-resolve sql`: prints the SQL of a table. */
export interface SqlCommand {
  readonly command: 'sql';
  /** The name of the table. If `undefined`, the command uses the default. */
  readonly table: string | undefined;
}

/** `mcp-resolve explain`: prints definitions. */
export interface ExplainCommand extends ModuleCommand {
  readonly command: 'explain';
  readonly format: ExplainFormat;
  /** A file or a folder. If `undefined`, the command prints to standard output. */
  readonly out: string | undefined;
  /** True with `--color`, false with `--no-color`, `undefined` with neither. */
  readonly color: boolean | undefined;
}

/** `mcp-resolve check`: looks for mistakes. */
export interface CheckCommand extends ModuleCommand {
  readonly command: 'check';
  readonly format: (typeof CHECK_FORMATS)[number];
  /** The codes of findings to leave out. */
  readonly allow: readonly string[];
}

/** `mcp-resolve dev`: serves the page of a module. */
export interface DevCommand extends DevOptions {
  readonly command: 'dev';
}

const FLAGS = {
  format: { type: 'string' },
  out: { type: 'string', short: 'o' },
  factory: { type: 'string' },
  timeout: { type: 'string' },
  allow: { type: 'string', multiple: true },
  open: { type: 'boolean' },
  port: { type: 'string' },
  color: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

type Flag = keyof typeof FLAGS;

const COMMON: readonly Flag[] = ['factory', 'timeout', 'help', 'version'];

type ModuleCommandName = (ExplainCommand | CheckCommand | DevCommand)['command'];

const COMMANDS: Readonly<Record<ModuleCommandName, readonly Flag[]>> = {
  explain: ['format', 'out', 'color', 'no-color', ...COMMON],
  check: ['format', 'allow', ...COMMON],
  dev: ['open', 'port', ...COMMON],
};

const DEFAULT_TIMEOUT_SECONDS = 10;
const MAX_TIMEOUT_SECONDS = 86_400;

/**
 * Parses the arguments of the command.
 *
 * @throws {@link CommandFailure} If the command, a flag or a value is unknown or missing.
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
  if (command === 'key') return readKeyCommand(typed);
  if (command === 'sql') return readSqlCommand(typed);
  assertCommand(command);
  for (const token of tokens) if (token.kind === 'option') assertFlag(token, command);
  if (file === undefined) {
    throw new CommandFailure(
      `${command} needs a module, as in: mcp-resolve ${command} ./server.ts`,
    );
  }
  if (rest.length > 0) {
    throw new CommandFailure(
      `${command} takes a module and at most one name, but also got '${rest.join(' ')}'.`,
    );
  }
  const target = {
    file,
    name,
    factory: textOf('factory', values.factory),
    timeoutMs: secondsOf(values.timeout) * 1000,
  };
  if (command === 'dev') {
    return { command, ...target, open: values.open === true, port: portOf(values.port) };
  }
  if (command === 'check') {
    const format = formatOf(values.format, CHECK_FORMATS);
    return { command, ...target, format, allow: textsOf(values.allow) };
  }
  return {
    command,
    ...target,
    color: colorOf(values.color, values['no-color']),
    format: formatOf(values.format, FORMATS),
    out: textOf('out', values.out),
  };
}

/** Reads `key`, which takes nothing else. It neither reads nor writes a file. */
function readKeyCommand(typed: readonly string[]): CommandLine {
  if (typed.length === 1) return { command: 'key' };
  throw new CommandFailure('key takes no arguments and no flags. It prints a new key.');
}

/** Reads `sql`, which takes a table. */
function readSqlCommand([, table, ...rest]: readonly string[]): CommandLine {
  if (rest.length === 0 && table?.startsWith('-') !== true) return { command: 'sql', table };
  throw new CommandFailure('sql takes the name of a table or nothing, as in: mcp-resolve sql');
}

function assertCommand(command: string | undefined): asserts command is ModuleCommandName {
  if (command !== undefined && Object.hasOwn(COMMANDS, command)) return;
  if (command === undefined) {
    throw new CommandFailure(
      'The command is missing. Use mcp-resolve explain ./server.ts, mcp-resolve check ./server.ts or mcp-resolve dev ./server.ts. See mcp-resolve --help.',
    );
  }
  const hint = /[./\\]/.test(command)
    ? `Did you mean 'mcp-resolve explain ${command}'?`
    : didYouMean(command, {
        title: 'Known commands',
        names: [...Object.keys(COMMANDS), 'key', 'sql'],
      });
  throw new CommandFailure(`There is no command '${command}'. ${hint}`);
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
}

function assertFlag({ name, rawName }: FlagToken, command: ModuleCommandName): void {
  const names: readonly string[] = COMMANDS[command];
  if (names.includes(name)) return;
  const hint = didYouMean(name, { title: 'Known flags', names, prefix: '--' });
  throw new CommandFailure(`${command} has no flag '${rawName}'. ${hint}`);
}

type Value = string | boolean | undefined;

function textOf(flag: Flag, value: Value): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new CommandFailure(
    `--${flag} needs a value: --${flag} <${flag === 'out' ? 'file' : 'name'}>`,
  );
}

/** Reads a port. Port 0 chooses a free one. */
function portOf(value: Value): number {
  const port = value === undefined ? 0 : Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && value !== '') return port;
  throw new CommandFailure(`--port must be a number from 0 to 65535${gotSuffix(value)}.`);
}

function textsOf(values: readonly Value[] | undefined): string[] {
  return (values ?? []).flatMap((value) => {
    if (typeof value !== 'string') throw new CommandFailure('--allow needs the code of a finding.');
    return value.split(',').map((code) => code.trim());
  });
}

function colorOf(color: Value, noColor: Value): boolean | undefined {
  if (noColor === true) return false;
  return color === true ? true : undefined;
}

function formatOf<F extends ExplainFormat>(value: Value, formats: readonly F[]): F {
  const format = formats.find((known) => known === (value ?? 'text'));
  if (format !== undefined) return format;
  const known = `${formats.slice(0, -1).join(', ')} or ${formats.at(-1) ?? ''}`;
  throw new CommandFailure(`--format must be ${known}${gotSuffix(value)}.`);
}

function secondsOf(value: Value): number {
  if (value === undefined) return DEFAULT_TIMEOUT_SECONDS;
  const seconds = Number(value);
  if (typeof value === 'string' && seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw new CommandFailure(
    `--timeout must be a positive number of seconds, at most ${MAX_TIMEOUT_SECONDS}${gotSuffix(value)}.`,
  );
}

function gotSuffix(value: Value): string {
  return typeof value === 'string' ? `, got '${value}'` : '';
}
