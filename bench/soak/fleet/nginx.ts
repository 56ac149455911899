/**
 * Starts Debian's nginx as a load balancer on loopback: round robin, without sticky sessions. Its
 * `location` is the recipe of docs/deploy.md. All its files are in a temporary folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A service behind nginx: the port of nginx, and those of its processes. */
export interface Upstream {
  readonly name: string;
  readonly listen: number;
  readonly ports: readonly number[];
  /** Replaces the `proxy_read_timeout` of the recipe. */
  readonly readTimeout?: string;
}

/** A running nginx. */
export interface Nginx {
  readonly pid: number;
  /** Stops nginx and returns its error log. */
  readonly stop: () => Promise<string>;
}

/**
 * Finds nginx.
 *
 * @throws Error If nginx is missing, with the command that installs it.
 */
export function findNginx(): string {
  // Debian installs nginx into a folder that is only in the PATH of root.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => join(folder, 'nginx')).find(isExecutable);
  if (found !== undefined) return found;
  throw new Error('The fleet needs nginx. Install it: apt-get install nginx');
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts nginx. Resolves when it listens. */
export async function startNginx(upstreams: readonly Upstream[]): Promise<Nginx> {
  const program = findNginx();
  const folder = await mkdtemp(join(tmpdir(), 'soak-nginx-'));
  // If root starts nginx, its worker runs as another user, which must be able to read the folder.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'nginx.conf'), configuration(upstreams, await documentedRecipe()));
  const child = spawn(
    program,
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const { pid } = child;
  if (pid === undefined) throw new Error('nginx did not start');
  const stop = async (): Promise<string> => {
    await end(child);
    const log = await readFile(join(folder, 'error.log'), 'utf8');
    await rm(folder, { recursive: true });
    return log;
  };
  try {
    for (const { listen } of upstreams) await listening(child, listen);
  } catch (error) {
    throw new Error(`nginx did not start: ${await stop()}`, { cause: error });
  }
  return { pid, stop };
}

/** Returns the block that docs/deploy.md shows. */
async function documentedRecipe(): Promise<string> {
  const page = await readFile(new URL('../../../docs/deploy.md', import.meta.url), 'utf8');
  const recipe = /```nginx\n(location \/mcp \{.*?\n\})\n```/s.exec(page)?.[1];
  if (recipe === undefined) throw new Error('docs/deploy.md has no nginx recipe');
  return recipe;
}

function configuration(upstreams: readonly Upstream[], recipe: string): string {
  return `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log error;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path client_body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
${upstreams.map((upstream) => block(upstream, recipe)).join('')}}
`;
}

/** Without `max_fails=0`, nginx would skip a process for ten seconds after each restart. */
function block({ name, listen, ports, readTimeout }: Upstream, recipe: string): string {
  const location = recipe
    .replace('http://deployments', `http://${name}`)
    .replace(/proxy_read_timeout \w+/, (given) =>
      readTimeout ? `proxy_read_timeout ${readTimeout}` : given,
    );
  const servers = ports.map((port) => `    server 127.0.0.1:${port} max_fails=0;\n`);
  return `
  upstream ${name} {
${servers.join('')}  }
  server {
    listen 127.0.0.1:${listen};
${location}
  }
`;
}

const POLL_MS = 20;

/** Resolves when nginx listens on a port, and rejects if it exits first. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`it exited with code ${child.exitCode}`);
    await delay(POLL_MS);
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
