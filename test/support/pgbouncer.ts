/**
 * Starts PgBouncer in front of a Postgres server, with transaction pooling: Debian's program, on a
 * Unix socket in a temporary folder. It hands each statement to the connection that was idle for
 * the longest time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type PostgresServer, unprivilegedUser, waitUntilReady } from './postgres.js';
import { endProcess } from './processTree.js';

/** A running PgBouncer. */
export type Pooler = Pick<PostgresServer, 'env' | 'stop'>;

/**
 * Starts PgBouncer and waits until it accepts connections.
 *
 * @throws {Error} If it is not installed or does not start.
 */
export async function startPooler(postgres: PostgresServer): Promise<Pooler> {
  const user = unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), 'mcp-resolve-pool-'));
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, configOf(postgres, folder));
  const child = spawn('pgbouncer', [file], { cwd: folder, ...user, stdio: 'ignore' });
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  const stop = async (): Promise<void> => {
    process.removeListener('exit', atExit);
    await endProcess(child, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  const env = { ...postgres.env, PGHOST: folder, PGPORT: '6432' };
  try {
    await once(child, 'spawn');
    await waitUntilReady(child, env);
  } catch (error) {
    await stop();
    throw new Error(
      'PgBouncer did not start. Install it: apt-get install --no-install-recommends pgbouncer',
      { cause: error },
    );
  }
  return { env, stop };
}

function configOf({ env }: PostgresServer, folder: string): string {
  return `
[databases]
postgres = host=${env.PGHOST} port=${env.PGPORT} user=${env.PGUSER}
[pgbouncer]
pool_mode = transaction
default_pool_size = 4
server_round_robin = 1
listen_addr =
listen_port = 6432
unix_socket_dir = ${folder}
auth_type = any
`;
}
