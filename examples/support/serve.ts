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
  const flags = flagsOf(moduleUrl);
  if (flags === undefined) return;
  if (flags.http) await announce(serveHttp(buildServer, { port: flags.port }));
  else serveStdio(buildServer);
}

/** The same for a server that is more than an MCP server: it is opened over HTTP, always. */
export async function openWhenRun(
  moduleUrl: string,
  open: (port: number) => Promise<Listening>,
): Promise<void> {
  const flags = flagsOf(moduleUrl);
  if (flags !== undefined) await announce(open(flags.port));
}

/** A server that listens. */
export interface Listening {
  url: URL;
  close: () => Promise<void>;
}

/** The flags of the command line, if the module is the program that was started. */
function flagsOf(moduleUrl: string): { http: boolean; port: number } | undefined {
  const program = process.argv[1];
  if (program === undefined || pathToFileURL(realpathSync(program)).href !== moduleUrl) return;
  const { values } = parseArgs({
    options: { http: { type: 'boolean', default: false }, port: { type: 'string', default: '0' } },
  });
  return { http: values.http, port: Number(values.port) };
}

async function announce(opening: Promise<Listening>): Promise<void> {
  const { url, close } = await opening;
  console.log(`Listening on ${url.href}`);
  process.once('SIGINT', () => void close());
}
