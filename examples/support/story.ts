/**
 * Runs the client of a story from the command line: connect, check fact after fact, disconnect.
 *
 * Every checked fact is a printed line. The first one that does not hold ends the program with exit
 * code 1. Flags: none for stdio, `--http` to host the server in this process, `--url URL` for a
 * server that runs already; `--legacy` speaks the 2025 era.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';

import { connect, type Connection, type Route, type Story } from './connect.js';

/** What the telling of a story gets: a connection, its era, and a way to state facts. */
export interface Telling extends Connection {
  legacy: boolean;
  check: (fact: string, actual: unknown, expected: unknown) => void;
}

/** Tells a story by the flags of the command line. */
export async function runStory(
  story: Story,
  tell: (telling: Telling) => Promise<void>,
): Promise<void> {
  const route = readFlags();
  let facts = 0;
  const check = (fact: string, actual: unknown, expected: unknown): void => {
    assert.deepEqual(actual, expected, `not true: ${fact}\n${difference(actual, expected)}`);
    facts += 1;
    console.log(`ok  ${fact}`);
  };
  try {
    const connection = await connect(story, route);
    try {
      const spoken = route.legacy ? '2025-11-25' : '2026-07-28';
      check(`both sides speak ${spoken}`, connection.protocolVersion, spoken);
      await tell({ ...connection, legacy: route.legacy, check });
    } finally {
      await connection.close();
    }
    console.log(`${facts} facts hold`);
  } catch (error) {
    console.error(error instanceof assert.AssertionError ? error.message : error);
    process.exitCode = 1;
  }
}

function readFlags(): Route {
  const { values } = parseArgs({
    options: {
      http: { type: 'boolean' },
      url: { type: 'string' },
      legacy: { type: 'boolean', default: false },
    },
  });
  const { http, url, legacy } = values;
  if (url !== undefined) return { via: new URL(url), legacy };
  return { via: http === true ? 'http' : 'stdio', legacy };
}

function difference(actual: unknown, expected: unknown): string {
  return `  expected ${JSON.stringify(expected)}\n  got      ${JSON.stringify(actual)}`;
}
