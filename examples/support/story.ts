/**
 * Runs the client of a story from the command line: connects, checks facts, disconnects.
 *
 * The program prints a line for each fact. The first fact that does not hold ends the program with
 * exit code 1. `examples/README.md` lists the flags.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';

import { type ClientSetup, connect, type Connection, type Route, type Story } from './connect.js';
import { listening, type StoryServer, type Via } from './servers.js';

/** A connection of a story, its era, and a function that checks a fact. */
export interface StoryRun extends Connection {
  legacy: boolean;
  check: (fact: string, actual: unknown, expected: unknown) => void;
  /** Connects another client to the server. Over stdio, it starts another server process. */
  withClient: <T>(setup: ClientSetup, use: (connection: Connection) => Promise<T>) => Promise<T>;
  /**
   * Starts the server in a new process over the same transport, connects a new client, and stops
   * both. Undefined for `--url` and `--command`.
   */
  inNewProcess?: <T>(
    env: NodeJS.ProcessEnv,
    use: (connection: Connection) => Promise<T>,
  ) => Promise<T>;
}

/** A story, and its other servers by name, for the flag `--server`. */
export type StoryWithVariants = Story & { variants?: Readonly<Record<string, StoryServer>> };

/** Runs a story with the flags of the command line. */
export async function runStory(
  { variants, ...main }: StoryWithVariants,
  checkFacts: (run: StoryRun) => Promise<void>,
): Promise<void> {
  const { route, server } = readFlags('openHttp' in main && main.overStdio !== true);
  const story = { ...main, ...chosen(server, variants) };
  let facts = 0;
  const check = (fact: string, actual: unknown, expected: unknown): void => {
    assert.deepEqual(actual, expected, `not true: ${fact}\n${difference(actual, expected)}`);
    facts += 1;
    console.log(`ok  ${fact}`);
  };
  try {
    await hosted(story, route, async (here) => {
      await during(story, here, async (connection) => {
        const version = route.legacy ? '2025-11-25' : '2026-07-28';
        check(`both sides speak ${version}`, connection.protocolVersion, version);
        const others = { ...newClients(story, here), ...newProcesses(story, route) };
        await checkFacts({ ...connection, legacy: route.legacy, check, ...others });
      });
    });
    console.log(`${facts} facts hold`);
  } catch (error) {
    console.error(error instanceof assert.AssertionError ? error.message : error);
    process.exitCode = 1;
  }
}

function chosen(name: string, variants: StoryWithVariants['variants'] = {}): object {
  if (name === 'server') return {};
  const variant = variants[name];
  if (variant !== undefined) return variant;
  const known = ['server', ...Object.keys(variants)].join(', ');
  throw new Error(`There is no server '${name}'. Known servers: ${known}.`);
}

/** Opens one HTTP server in this process for all clients of a story, if the route needs it. */
async function hosted(
  story: StoryServer,
  route: Route,
  use: (here: Route) => Promise<void>,
): Promise<void> {
  if (route.via !== 'http') return use(route);
  const { url, close } = await listening(story, 'http');
  try {
    await use({ ...route, via: url });
  } finally {
    await close();
  }
}

/** Connects, and disconnects even if `use` throws. */
async function during<T>(
  story: Story,
  route: Route,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(story, route);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

function newClients(story: Story, here: Route): Pick<StoryRun, 'withClient'> {
  return { withClient: (setup, use) => during(story, { ...here, setup }, use) };
}

function newProcesses(story: Story, route: Route): Pick<StoryRun, 'inNewProcess'> {
  if (typeof route.via === 'object') return {};
  const via = route.via === 'stdio' ? 'stdio' : 'http-process';
  return { inNewProcess: (env, use) => during({ ...story, env }, { ...route, via }, use) };
}

function readFlags(httpOnly: boolean): { route: Route; server: string } {
  const { values } = parseArgs({
    options: {
      http: { type: 'boolean', default: httpOnly },
      url: { type: 'string' },
      command: { type: 'string' },
      legacy: { type: 'boolean', default: false },
      server: { type: 'string', default: 'server' },
    },
  });
  return { route: { via: viaOf(values), legacy: values.legacy }, server: values.server };
}

function viaOf(flags: {
  http: boolean;
  url?: string | undefined;
  command?: string | undefined;
}): Via {
  if (flags.url !== undefined) return new URL(flags.url);
  const [command, ...args] = flags.command?.split(' ') ?? [];
  if (command !== undefined) return { command, args };
  return flags.http ? 'http' : 'stdio';
}

function difference(actual: unknown, expected: unknown): string {
  return `  expected ${JSON.stringify(expected)}\n  got      ${JSON.stringify(actual)}`;
}
