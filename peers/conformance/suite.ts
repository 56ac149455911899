/** Runs the official suite as a program, and reads its results. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { versionOf } from '../support/report.js';

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/** One check of a scenario, as in `checks.json`. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

const suite = new URL('node_modules/@modelcontextprotocol/conformance/', import.meta.url);
const program = fileURLToPath(new URL('dist/index.js', suite));
const globSync = new URL('globSync.mjs', import.meta.url).href;

export const suiteVersion = versionOf(suite);

/** Returns the scenarios that a server must pass, from the suite's list for a revision. */
export function requiredScenarios(revision: Revision): string[] {
  const frozen = readFileSync(new URL(`requirements/${revision}.yaml`, suite), 'utf8');
  const [, servers = ''] = /^server:\n((?: {2}- .+\n)+)/m.exec(frozen) ?? [];
  return [...servers.matchAll(/- (\S+)/g)].map(([, name]) => name!);
}

/** Runs the required scenarios of a revision, and returns the checks of each scenario that ran. */
export function runSuite(url: string, revision: Revision): Promise<Map<string, Check[]>> {
  return run(['--url', url, '--requirements', revision]);
}

/** Runs one scenario, and returns its checks if it ran. */
export async function runScenario(url: string, scenario: string): Promise<Check[] | undefined> {
  return (await run(['--url', url, '--scenario', scenario])).get(scenario);
}

/** Ignores the exit code, because it does not cover warnings. */
async function run(what: readonly string[]): Promise<Map<string, Check[]>> {
  const out = mkdtempSync(path.join(tmpdir(), 'conformance-'));
  const args = ['--import', globSync, program, 'server', ...what, '-o', out];
  try {
    await new Promise<void>((resolve) => {
      execFile(process.execPath, args, () => resolve());
    });
    return new Map(readdirSync(out).map((folder) => [scenarioOf(folder), checksIn(out, folder)]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Reads the scenario from a folder name, `server-<scenario>-<time>`. */
function scenarioOf(folder: string): string {
  return /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1] ?? folder;
}

function checksIn(out: string, folder: string): Check[] {
  return JSON.parse(readFileSync(path.join(out, folder, 'checks.json'), 'utf8')) as Check[];
}
