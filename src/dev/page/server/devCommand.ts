/**
 * `mcp-resolve dev`: serves the page of a module until the process is interrupted. It loads the
 * module again when one of its files changes.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { CommandFailure } from '../../load/failure.js';
import { assertFile } from '../../load/loadModule.js';
import type { ModuleCommand } from '../../load/findDefinitions.js';
import { findTsx } from '../../load/typescript.js';
import type { ModuleState } from '../protocol.js';
import { HostProcess } from './hostProcess.js';
import { NewsStream } from './newsStream.js';
import { startPageServer } from './pageServer.js';
import { ModuleWatch } from './watchModule.js';

/** The options of the command. */
export interface DevOptions extends ModuleCommand {
  readonly port: number;
  /** Opens the page in a browser. */
  readonly open: boolean;
}

/** Runs the command until it is interrupted. `print` writes to standard output. */
export async function runDev(
  options: DevOptions,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const file = path.resolve(options.file);
  assertFile(file, options.file);
  assertClient();
  const stream = new NewsStream();
  const host = new HostProcess(options, specifierOf(file), {
    onModule: (module) => {
      if (module.status === 'loading' || module.status === 'failed') stream.loseRun();
      stream.tellModule(module);
      report(module);
    },
    onRun: (news) => stream.tellRun(news),
  });
  const server = await startPageServer(options.port, {
    openStream: (response) => stream.open(response),
    onAction: (action) => (action.type === 'reload' ? host.load() : host.act(action)),
  }).catch((error: unknown) => {
    throw new CommandFailure(`The page cannot be served: ${String(error)}`);
  });
  host.load();
  const watch = new ModuleWatch(file, () => host.load());
  await print(`${options.file} is at ${server.address}\n`);
  if (options.open) openBrowser(server.addressForOnce());
  await interrupted();
  watch.close();
  host.end();
  stream.close();
  server.close();
}

/**
 * Checks that the SDK's client is installed.
 *
 * @throws {@link CommandFailure} If it is not.
 */
function assertClient(): void {
  try {
    createRequire(import.meta.url).resolve('@modelcontextprotocol/client');
  } catch {
    throw new CommandFailure(
      'dev calls tools as a client, and the package @modelcontextprotocol/client is not installed. Install it: npm install --save-dev @modelcontextprotocol/client',
    );
  }
}

/** Returns the specifier of the module for a test beside it. With tsx it ends with `.js`. */
function specifierOf(file: string): string {
  const name = `./${path.basename(file)}`;
  return findTsx(file) === undefined ? name : name.replace(/\.([cm]?)ts$/, '.$1js');
}

/** Writes to the terminal why the module cannot be used, and when it can be used again. */
function report({ status, file, problem, outlines }: ModuleState): void {
  if (status === 'failed') process.stderr.write(`${problem ?? ''}\n`);
  if (status === 'stuck')
    process.stderr.write(`${file} does not respond: its code blocks the process\n`);
  if (status === 'ready') {
    const count = outlines.length;
    const noun = count === 1 ? 'definition' : 'definitions';
    process.stderr.write(`${file}: ${count} ${noun} loaded\n`);
  }
}

/** Resolves when the user ends the command. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens the page. A machine without a browser only has the printed address. */
function openBrowser(address: string): void {
  const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? [];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
