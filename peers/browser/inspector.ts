/** Starts the web UI of the Inspector with one server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const INSPECTOR = new URL(
  '../clients/node_modules/@modelcontextprotocol/inspector/',
  import.meta.url,
);
const LAUNCHER = fileURLToPath(
  new URL('../clients/node_modules/.bin/mcp-inspector', import.meta.url),
);

export interface WebUi {
  /** The address, including the access token. */
  url: string;
  close: () => Promise<void>;
}

export async function startInspector(server: URL, era: string): Promise<WebUi> {
  const home = mkdtempSync(join(tmpdir(), 'inspector-'));
  const [page, sandbox] = [await freePort(), await freePort()];
  const flags = ['--server-url', server.href, '--transport', 'http', '--protocol-era', era];
  const child = spawn(process.execPath, [LAUNCHER, '--web', ...flags], {
    cwd: home,
    env: {
      ...process.env,
      HOME: home,
      CLIENT_PORT: String(page),
      MCP_SANDBOX_PORT: String(sandbox),
      MCP_AUTO_OPEN_ENABLED: 'false',
      MCP_INSPECTOR_SECRET_STORE: 'memory',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(home, { recursive: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = line.trim();
    if (!url.startsWith(`http://127.0.0.1:${page}`)) continue;
    child.stdout.resume();
    return { url, close };
  }
  await close();
  throw new Error('the Inspector ended before it listened');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
