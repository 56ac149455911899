/**
 * Starts the server of a story, or connects to a server that is running.
 *
 * A server is a child process (stdio or HTTP), an HTTP server in this process, a URL, or any
 * command that serves over stdio.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveHttp } from 'mcp-resolve/node';

import type { Listening } from './serve.js';

/** A server program. */
export interface Program {
  /** Its file. */
  server: URL;
  /** Changes to its environment, if it runs in a child process. */
  env?: NodeJS.ProcessEnv;
}

/**
 * The server of a story. `buildServer` creates an MCP server. `openHttp` opens a server that also
 * has other pages. It runs over HTTP only, unless its program serves over stdio as well.
 */
export type StoryServer = Program &
  ({ buildServer: McpServerFactory } | { openHttp: () => Promise<Listening>; overStdio?: boolean });

/** A command that serves over stdio. */
export interface Command {
  command: string;
  args: string[];
}

/** The way to a server. `http` runs it in this process, `http-process` in a child process. */
export type Via = 'stdio' | 'http' | 'http-process' | URL | Command;

/** Opens a transport to a server, and starts the server if it does not run yet. */
export async function reach(
  story: StoryServer,
  via: Via,
  token?: string,
): Promise<{ transport: Transport; stop: () => Promise<void> }> {
  if (via === 'stdio') return spawned(commandOf(story), story.env);
  if (typeof via === 'object' && 'command' in via) return spawned(via);
  const { url, close } = await listening(story, via);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  return { transport, stop: close };
}

/** Starts a server over HTTP, unless `via` is the URL of a running one. */
export async function listening(
  story: StoryServer,
  via: URL | 'http' | 'http-process',
): Promise<Listening> {
  if (via === 'http') return 'openHttp' in story ? story.openHttp() : serveHttp(story.buildServer);
  if (via === 'http-process') return startHttpProcess(story);
  return { url: via, close: () => Promise.resolve() };
}

/** Runs a program with the runtime and the loaders of this process. */
function commandOf({ server }: Program): Command {
  return { command: process.execPath, args: [...process.execArgv, fileURLToPath(server)] };
}

function spawned(command: Command, env: NodeJS.ProcessEnv = {}) {
  const transport = new OneProcessTransport({
    ...command,
    env: { ...process.env, ...env } as Record<string, string>,
  });
  // The client stops the process when it closes the transport.
  return { transport, stop: () => Promise.resolve() };
}

/** A subclass, because the SDK's own class starts a second process to detect the era. */
class OneProcessTransport extends StdioClientTransport {}

/** Starts a server over HTTP in a child process, and waits until it prints its URL. */
async function startHttpProcess(program: Program): Promise<Listening> {
  const { command, args } = commandOf(program);
  const child = spawn(command, [...args, '--http'], {
    env: { ...process.env, ...program.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = new URL(line.replace('Listening on ', ''));
    const close = async (): Promise<void> => {
      child.kill('SIGINT');
      await ended;
    };
    return { url, close };
  }
  throw new Error(`${program.server.href} ended before it printed its URL`);
}
