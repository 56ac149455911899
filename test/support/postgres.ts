/**
 * Starts a Postgres server for tests: Debian's program, on a Unix socket in a temporary folder. It
 * ends when it is stopped, and at the latest with the process that started it.
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

/** A running Postgres server with one empty database. */
export interface PostgresServer {
  /** The variables that `pg` reads. */
  readonly env: Readonly<Record<'PGHOST' | 'PGPORT' | 'PGUSER' | 'PGDATABASE', string>>;
  /** Shuts it down and removes its folder. */
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);
const INITDB_TIMEOUT_MS = 60_000;

/**
 * Starts a Postgres server and waits until it accepts connections.
 *
 * @throws {Error} If it is not installed. The message has the command that installs it.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = await findPrograms();
  const user = unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), 'mcp-resolve-pg-'));
  await chmod(folder, 0o700);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const options = { cwd: folder, ...user };
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
  await run(join(programs, 'initdb'), [...initdb, '--no-sync'], {
    ...options,
    timeout: INITDB_TIMEOUT_MS,
  });

  const settings = { listen_addresses: '', unix_socket_directories: folder, fsync: 'off' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
    ...options,
    stdio: 'ignore',
  });
  // SIGQUIT ends the server and its processes at once, SIGINT disconnects clients first.
  const atExit = (): void => void child.kill('SIGQUIT');
  process.once('exit', atExit);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.removeListener('exit', atExit);
    await endProcess(child, signal);
    await rm(folder, { recursive: true, force: true });
  };
  const env = { PGHOST: folder, PGPORT: '5432', PGUSER: 'postgres', PGDATABASE: 'postgres' };
  try {
    await once(child, 'spawn');
    await waitUntilReady(child, env);
  } catch (error) {
    await end('SIGQUIT');
    throw error;
  }
  return { env, stop: () => end('SIGINT') };
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
function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** Waits until the server accepts connections. Throws if the process ends first. */
async function waitUntilReady(child: ChildProcess, env: PostgresServer['env']): Promise<void> {
  const began = performance.now();
  while (!(await accepts(env))) {
    if (child.exitCode !== null) throw new Error(`postgres ended with code ${child.exitCode}`);
    if (performance.now() - began > START_TIMEOUT_MS)
      throw new Error('postgres does not accept connections');
    await delay(POLL_MS);
  }
}

async function accepts({ PGHOST, PGUSER, PGDATABASE }: PostgresServer['env']): Promise<boolean> {
  const client = new pg.Client({ host: PGHOST, user: PGUSER, database: PGDATABASE });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
