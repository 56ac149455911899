/**
 * Starts a Postgres server for tests and soaks: Debian's program, on a Unix socket in a temporary
 * folder. It ends when it is stopped, and at the latest with the process that started it.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

import { endProcess, killAll } from './processTree.js';

/** A running Postgres server with one database. */
export interface PostgresServer {
  readonly pid: number;
  /** The variables that `pg` reads. */
  readonly env: Readonly<Record<'PGHOST' | 'PGPORT' | 'PGUSER' | 'PGDATABASE', string>>;
  /** Shuts it down, and removes its folder if it made one. */
  readonly stop: () => Promise<void>;
  /** Kills all of its processes, as a crash would. A folder that it was given stays. */
  readonly kill: () => Promise<void>;
}

/** The setup of a Postgres server. */
export interface PostgresSetup {
  /** The folder of its data and its socket, to start it again after a crash. Default: a new one. */
  readonly folder?: string;
}

const run = promisify(execFile);
const INITDB_TIMEOUT_MS = 60_000;

/**
 * Starts a Postgres server and waits until it accepts connections.
 *
 * @throws {Error} If it is not installed. The message has the command that installs it.
 */
export async function startPostgres(setup: PostgresSetup = {}): Promise<PostgresServer> {
  const programs = await findPrograms();
  const user = unprivilegedUser();
  const folder = setup.folder ?? (await mkdtemp(join(tmpdir(), 'mcp-resolve-pg-')));
  await chmod(folder, 0o700);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const options = { cwd: folder, ...user };
  const data = join(folder, 'data');
  if (!existsSync(data)) {
    const flags = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
    const initdb = [join(programs, 'initdb'), [...flags, '--no-sync']] as const;
    await run(...initdb, { ...options, timeout: INITDB_TIMEOUT_MS });
  }

  const settings = { listen_addresses: '', unix_socket_directories: folder, fsync: 'off' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
    ...options,
    stdio: 'ignore',
  });
  // SIGQUIT ends the server and its processes at once, SIGINT disconnects clients first.
  const atExit = (): void => void child.kill('SIGQUIT');
  process.once('exit', atExit);
  const end = async (endServer: () => Promise<void>): Promise<void> => {
    process.removeListener('exit', atExit);
    await endServer();
    if (setup.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  const env = { PGHOST: folder, PGPORT: '5432', PGUSER: 'postgres', PGDATABASE: 'postgres' };
  try {
    await once(child, 'spawn');
    await waitUntilReady(child, env);
  } catch (error) {
    await end(() => endProcess(child, 'SIGQUIT'));
    throw error;
  }
  return {
    pid: child.pid!,
    env,
    stop: () => end(() => endProcess(child, 'SIGINT')),
    kill: () => end(() => killAll(child)),
  };
}

/** Returns the options of `pg` for a server. */
export function connectionTo({ PGHOST, PGPORT, PGUSER, PGDATABASE }: PostgresServer['env']) {
  return { host: PGHOST, port: Number(PGPORT), user: PGUSER, database: PGDATABASE };
}

/** Finds the folder of `initdb` and `postgres`. Debian has one for each version, not in PATH. */
async function findPrograms(): Promise<string> {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? await readdir(debian) : [];
  const newest = versions.toSorted((one, other) => Number(other) - Number(one));
  const folders = [
    ...newest.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const found = folders.find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
  if (found !== undefined) return found;
  throw new Error(
    'There is no Postgres. Install it: apt-get install --no-install-recommends postgresql',
  );
}

/** Returns the user that Debian created for Postgres, because Postgres refuses to run as root. */
export function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** Waits until the server accepts connections. Throws if the process ends first. */
export async function waitUntilReady(
  child: ChildProcess,
  env: PostgresServer['env'],
): Promise<void> {
  const began = performance.now();
  while (!(await accepts(env))) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    if (performance.now() - began > START_TIMEOUT_MS)
      throw new Error('the server does not accept connections');
    await delay(POLL_MS);
  }
}

async function accepts(env: PostgresServer['env']): Promise<boolean> {
  const client = new pg.Client(connectionTo(env));
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
