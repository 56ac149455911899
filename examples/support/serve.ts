/**
 * The last line of every story's server: serves it when its file is the program that was started.
 *
 * Over stdio by default; `--http` serves it on the loopback address instead, on a free port or on
 * the one given with `--port`. A file that is only imported serves nothing.
 */
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveHttp, serveStdio } from 'mcp-resolve/node';

/** Serves `buildServer` if `moduleUrl`, the caller's `import.meta.url`, is the running program. */
export async function serveWhenRun(
  moduleUrl: string,
  buildServer: McpServerFactory,
): Promise<void> {
  const program = process.argv[1];
  if (program === undefined || pathToFileURL(realpathSync(program)).href !== moduleUrl) return;

  const { values } = parseArgs({
    options: { http: { type: 'boolean' }, port: { type: 'string' } },
  });
  if (values.http !== true) {
    serveStdio(buildServer);
    return;
  }
  const listening = await serveHttp(buildServer, { port: Number(values.port ?? 0) });
  console.log(`Listening on ${listening.url.href}`);
  process.once('SIGINT', () => void listening.close());
}
