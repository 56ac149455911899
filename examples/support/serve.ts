/**
 * Serves a story if its file is the program that Node.js started. An imported file serves nothing.
 *
 * The default is stdio. `--http` serves on 127.0.0.1, on a free port or on the port of `--port`.
 */
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveHttp, serveStdio } from 'mcp-resolve/node';

/** Serves `buildServer` if `moduleUrl`, the caller's `import.meta.url`, is the started program. */
export async function serveWhenRun(
  moduleUrl: string,
  buildServer: McpServerFactory,
): Promise<void> {
  const flags = flagsOf(moduleUrl);
  if (flags === undefined) return;
  if (flags.http) await announce(serveHttp(buildServer, { port: flags.port }));
  else serveStdio(buildServer);
}

/** Does the same for a server that runs over HTTP only, because it also has other pages. */
export async function openWhenRun(
  moduleUrl: string,
  open: (port: number) => Promise<Listening>,
): Promise<void> {
  const flags = flagsOf(moduleUrl);
  if (flags !== undefined) await announce(open(flags.port));
}

/** Does both for a server with other pages. Over stdio, the pages are on the port of `--port`, too. */
export async function serveWithPages(
  moduleUrl: string,
  buildServer: McpServerFactory,
  open: (port: number) => Promise<Listening>,
): Promise<void> {
  const flags = flagsOf(moduleUrl);
  if (flags === undefined) return;
  const opening = open(flags.port);
  if (flags.http) return announce(opening);
  const { close } = await opening;
  serveStdio(buildServer);
  process.stdin.once('end', () => void close());
}

/** A server that listens on a port. */
export interface Listening {
  url: URL;
  close: () => Promise<void>;
}

/** Returns the flags of the command line, or `undefined` if the module is not the program. */
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
