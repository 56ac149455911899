/**
 * Reads and writes the results of runs with other programs, in `peers/results`. `npm run docs --
 * compatibility` generates docs/compatibility.md from them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/** One row of the table. */
export interface Row {
  /** The name of the program, as in its documentation: `@ai-sdk/mcp`, `Bun`, `fastify`. */
  readonly peer: string;
  /** The version that the program or its package reports. */
  readonly version: string;
  /** The protocol eras and transports: `2026-07-28 and 2025-11-25, HTTP and stdio`. */
  readonly over: string;
  /** The observations in a few words: what works, and what does not and why. */
  readonly saw: string;
  readonly passed: number;
  readonly failed: number;
}

export interface Report {
  /** The command that creates the report. */
  readonly command: string;
  readonly date: string;
  readonly rows: readonly Row[];
}

const results = new URL('../results/', import.meta.url);

/**
 * Writes the rows under a name, and replaces those of the previous run. If nothing changed, the
 * date stays too, so that a test run does not change the checkout.
 */
export function writeReport(name: string, command: string, rows: readonly Row[]): void {
  const report: Report = { command, date: new Date().toISOString().slice(0, 10), rows };
  if (isDeepStrictEqual({ ...lastReport(name), date: report.date }, report)) return;
  mkdirSync(results, { recursive: true });
  writeFileSync(new URL(`${name}.json`, results), `${JSON.stringify(report, null, 2)}\n`);
}

function lastReport(name: string): Report | undefined {
  return existsSync(new URL(`${name}.json`, results)) ? readReport(name) : undefined;
}

export function readReport(name: string): Report {
  return JSON.parse(readFileSync(new URL(`${name}.json`, results), 'utf8')) as Report;
}

/** Returns the version in the `package.json` of an installed package. */
export function versionOf(packageFolder: URL | string): string {
  const file = new URL('package.json', packageFolder);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
