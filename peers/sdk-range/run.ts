/**
 * Runs the tests with other versions of the SDK: the lowest that package.json accepts and the
 * newest, or those on the command line (`npm test -- sdk-range 2.1.0 2.2.0`). Other arguments go to
 * vitest. Each version is installed into a copy of the working tree. The lockfile and the working
 * tree stay as they are.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SERVER = '@modelcontextprotocol/server';
const NODE = '@modelcontextprotocol/node';

/** The packages of the SDK that have the same versions. */
const SAME_VERSION = [SERVER, '@modelcontextprotocol/client', '@modelcontextprotocol/core'];

/** The tests in one process, those in processes of their own, and those of the built package. */
const SUITES = ['unit', 'processes', 'package'];

interface Outcome {
  readonly versions: string;
  readonly passed: number;
  readonly failed: number;
}

const isVersion = (argument: string): boolean => /^\d+\.\d+\.\d+/.test(argument);
const asked = process.argv.slice(2).filter(isVersion);
const vitestArguments = process.argv.slice(2).filter((argument) => !isVersion(argument));
const outcomes = (asked.length > 0 ? asked : [lowest(), newest()]).map(testWith);
for (const { versions, passed, failed } of outcomes) {
  process.stdout.write(`${versions}: ${passed} passed, ${failed} failed\n`);
}
process.exitCode = outcomes.every(({ passed, failed }) => passed > 0 && failed === 0) ? 0 : 1;

/** Tests a copy of the working tree with one version of the SDK. */
function testWith(version: string): Outcome {
  const copy = mkdtempSync(path.join(tmpdir(), 'mcp-resolve-sdk-range-'));
  try {
    copyTo(copy);
    install(copy, [...SAME_VERSION.map((name) => `${name}@${version}`), nodePackageFor(version)]);
    const versions = [SERVER, NODE].map((name) => `${name} ${installed(copy, name)}`).join(', ');
    process.stdout.write(`\n=== ${versions}\n`);
    return { versions, ...runTests(copy) };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies the files that git knows or would add, and the installed packages. */
function copyTo(folder: string): void {
  // In a container, another user may own the working tree.
  const git = ['-c', 'safe.directory=*', 'ls-files', '-z'];
  const flags = ['--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', [...git, ...flags], { cwd: ROOT, encoding: 'utf8' });
  const names = listed.split('\0').filter((name) => name !== '');
  for (const name of [...names, 'node_modules']) {
    const options = { recursive: true, verbatimSymlinks: true };
    cpSync(path.join(ROOT, name), path.join(folder, name), options);
  }
}

function install(folder: string, packages: readonly string[]): void {
  const flags = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', [...flags, ...packages], { cwd: folder, stdio: 'inherit' });
}

/** Runs the suites. A failed build or an error outside of a test counts as one failure. */
function runTests(folder: string): Omit<Outcome, 'versions'> {
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' });
  if (build.status !== 0) return { passed: 0, failed: 1 };
  const report = path.join(folder, 'test-results.json');
  const suites = SUITES.map((name) => `--project=${name}`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = path.join(folder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...suites, ...reporters, ...vitestArguments];
  const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' });
  const { numPassedTests: passed, numFailedTests } = readJson(report) as Report;
  return { passed, failed: status === 0 ? 0 : Math.max(numFailedTests, 1) };
}

/** The part of vitest's report used here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** Returns the lowest version of the SDK that the package accepts. */
function lowest(): string {
  const { peerDependencies } = readJson(path.join(ROOT, 'package.json')) as {
    peerDependencies: Record<string, string>;
  };
  return String(peerDependencies[SERVER]).replace('^', '');
}

function newest(): string {
  return String(view(`${SERVER}@2`, 'version').at(-1));
}

/** Returns the newest `@modelcontextprotocol/node` that works with a version of the SDK. */
function nodePackageFor(version: string): string {
  const minorOf = (range: string): number => Number(/^\^?2\.(\d+)/.exec(range)?.[1]);
  const releases = view(`${NODE}@2`, 'version', `peerDependencies.${SERVER}`) as Release[];
  const fitting = releases.filter(
    (release) => minorOf(release[`peerDependencies.${SERVER}`]) <= minorOf(version),
  );
  return `${NODE}@${String(fitting.at(-1)?.version)}`;
}

/** A published version of {@link NODE}, and the SDK that it requires. */
type Release = Record<'version' | `peerDependencies.${typeof SERVER}`, string>;

/** Reads fields of published versions from the registry, the oldest version first. */
function view(...args: string[]): unknown[] {
  const output = execFileSync('npm', ['view', '--json', ...args], { cwd: ROOT, encoding: 'utf8' });
  return [JSON.parse(output) as unknown].flat();
}

function installed(folder: string, name: string): string {
  const manifest = path.join(folder, 'node_modules', name, 'package.json');
  return (readJson(manifest) as { version: string }).version;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
