/**
 * Runs the client of a story from the command line: connect, check fact after fact, disconnect.
 *
 * Every checked fact is a printed line. The first one that does not hold ends the program with exit
 * code 1. Flags: none for stdio, `--http` to host the server in this process, `--url URL` for a
 * server that runs already; `--legacy` speaks the 2025 era; `--lowlevel` takes the low-level
 * variant of the server, where a story has one. A server that is more than an MCP server is always
 * reached over HTTP.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';

import {
  connect,
  type Connection,
  hostOf,
  type Route,
  type Story,
  type StoryServer,
  type Visitor,
} from './connect.js';

/** What the telling of a story gets: a connection, its era, and a way to state facts. */
export interface Telling extends Connection {
  legacy: boolean;
  check: (fact: string, actual: unknown, expected: unknown) => void;
  /** Lets another client use the server; over stdio, a process of it that is started for this. */
  withClient: <T>(visitor: Visitor, use: (connection: Connection) => Promise<T>) => Promise<T>;
  /**
   * Starts the server in a new process, over the same transport, for a new client to use; stops it
   * afterwards. Absent for a server that runs already.
   */
  inNewProcess?: <T>(
    env: NodeJS.ProcessEnv,
    use: (connection: Connection) => Promise<T>,
  ) => Promise<T>;
}

/** A story whose server may also be written on the SDK's low-level `Server`. */
export type StoryWithVariant = Story & { lowlevel?: StoryServer };

/** Tells a story by the flags of the command line. */
export async function runStory(
  { lowlevel, ...main }: StoryWithVariant,
  tell: (telling: Telling) => Promise<void>,
): Promise<void> {
  const { route, variant } = readFlags({ hasVariant: lowlevel !== undefined, ...main });
  const story = variant ? { ...main, ...lowlevel } : main;
  let facts = 0;
  const check = (fact: string, actual: unknown, expected: unknown): void => {
    assert.deepEqual(actual, expected, `not true: ${fact}\n${difference(actual, expected)}`);
    facts += 1;
    console.log(`ok  ${fact}`);
  };
  try {
    await hosted(story, route, async (here) => {
      await during(story, here, async (connection) => {
        const spoken = route.legacy ? '2025-11-25' : '2026-07-28';
        check(`both sides speak ${spoken}`, connection.protocolVersion, spoken);
        const others = { ...newClients(story, here), ...newProcesses(story, route) };
        await tell({ ...connection, legacy: route.legacy, check, ...others });
      });
    });
    console.log(`${facts} facts hold`);
  } catch (error) {
    console.error(error instanceof assert.AssertionError ? error.message : error);
    process.exitCode = 1;
  }
}

/** Hosts the server in this process, where that is the way to it, and stops it again. */
async function hosted(
  story: StoryServer,
  route: Route,
  use: (here: Route) => Promise<void>,
): Promise<void> {
  const host = route.via === 'http' ? await hostOf(story, 'http') : undefined;
  try {
    await use(host === undefined ? route : { ...route, via: host.url });
  } finally {
    await host?.close?.();
  }
}

/** Connects, and disconnects again whatever happens. */
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

function newClients(story: Story, here: Route): Pick<Telling, 'withClient'> {
  return { withClient: (visitor, use) => during(story, { ...here, visitor }, use) };
}

function newProcesses(story: Story, route: Route): Pick<Telling, 'inNewProcess'> {
  if (route.via instanceof URL) return {};
  const via = route.via === 'stdio' ? 'stdio' : 'http-process';
  return { inNewProcess: (env, use) => during({ ...story, env }, { ...route, via }, use) };
}

function readFlags(story: { hasVariant: boolean; openHttp?: unknown }): {
  route: Route;
  variant: boolean;
} {
  const boolean = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      http: { ...boolean, default: story.openHttp !== undefined },
      url: { type: 'string' },
      legacy: boolean,
      ...(story.hasVariant && { lowlevel: boolean }),
    },
  });
  const { http, url, legacy, lowlevel } = values;
  const via = url === undefined ? (http ? 'http' : 'stdio') : new URL(url);
  return { route: { via, legacy }, variant: lowlevel === true };
}

function difference(actual: unknown, expected: unknown): string {
  return `  expected ${JSON.stringify(expected)}\n  got      ${JSON.stringify(actual)}`;
}
