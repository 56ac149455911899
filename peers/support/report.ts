/**
 * What a run against other programs saw, kept in `peers/results` so that docs/compatibility.md can
 * be made from it (`npm run docs:compatibility`).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/** One line of the table. */
export interface Row {
  /** The program, as its own documentation calls it: `@ai-sdk/mcp`, `Bun`, `fastify`. */
  readonly peer: string;
  /** As the program, or its package, says it. */
  readonly version: string;
  /** Protocol eras and transports that were driven: `2026-07-28 and 2025-11-25, HTTP and stdio`. */
  readonly over: string;
  /** What was seen to work, in a few words; also what does not, and why. */
  readonly saw: string;
  readonly passed: number;
  readonly failed: number;
}

export interface Report {
  /** The command that makes the report again. */
  readonly command: string;
  readonly date: string;
  readonly rows: readonly Row[];
}

const results = new URL('../results/', import.meta.url);

/**
 * Keeps the rows under a name, in place of those of the run before. Where nothing is new, neither
 * is the date: a checkout does not change by being tested.
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

/** The version in the `package.json` of an installed package. */
export function versionOf(packageFolder: URL | string): string {
  const file = new URL('package.json', packageFolder);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
