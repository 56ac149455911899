/**
 * Starts a `redis-server` for tests and soaks: Debian's program, on loopback, without persistence.
 * It ends when it is stopped, and at the latest with the process that started it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { endProcess } from './processTree.js';

/** A running `redis-server`. */
export interface RedisServer {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** Shuts it down, and removes its folder if it made one. */
  readonly stop: () => Promise<void>;
  /** Kills it, as a crash would. */
  readonly kill: () => Promise<void>;
}

/** The setup of a `redis-server`. */
export interface RedisSetup {
  /** The port, for example the same one after a crash. Default: a free port. */
  readonly port?: number;
  /** The folder of its data, to start it again after a crash. Default: a new one. */
  readonly folder?: string;
  /** Additional settings, such as `{ maxmemory: '8mb' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const ATTEMPTS = 5;

/**
 * Starts a `redis-server` and waits until it replies.
 *
 * @throws {Error} If it is not installed. The message has the command that installs it.
 */
export async function startRedis({ port, ...setup }: RedisSetup = {}): Promise<RedisServer> {
  const program = findRedis();
  // Another process may take the free port before Redis does.
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(program, port ?? (await freePort()), setup);
    } catch (error) {
      if (port !== undefined || attempt === ATTEMPTS) throw error;
    }
  }
}

function findRedis(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'redis-server')).find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    'There is no redis-server. Install it: apt-get install --no-install-recommends redis-server',
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Finds a free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return address.port;
}

async function start(
  program: string,
  port: number,
  { folder: given, settings = {} }: Omit<RedisSetup, 'port'>,
): Promise<RedisServer> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'mcp-resolve-redis-')));
  const all = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no', ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(program, args, { stdio: 'ignore' });
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.removeListener('exit', atExit);
    await endProcess(child, signal);
    if (given === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await once(child, 'spawn');
    await waitUntilReady(child, port);
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid!,
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

const START_TIMEOUT_MS = 20_000;
const POLL_MS = 20;

/** Waits until Redis replies on the port. Throws if the process ends first. */
async function waitUntilReady(child: ChildProcess, port: number): Promise<void> {
  const began = performance.now();
  while (!(await answersPing(port))) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with code ${child.exitCode}`);
    if (performance.now() - began > START_TIMEOUT_MS)
      throw new Error('redis-server does not reply');
    await delay(POLL_MS);
  }
}

async function answersPing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    return reply.toString().startsWith('+PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
