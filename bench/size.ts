/**
 * `npm run bench -- size` prints the size of each entry point and how long a new process takes to
 * import it. The exit code is 1 if the core loads a module of Node, which workers do not have, or
 * code that is only for developers.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

import { ENTRIES, loadedBy, ROOT, weigh } from './measure/bundle.js';
import { importing } from './measure/coldImport.js';
import { median } from './measure/statistics.js';

const SDK = '@modelcontextprotocol/server';
const TIMES = 7;

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`;

/** Returns the median of several new processes. They load the SDK first, as every server does. */
async function coldMs(name: string): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < TIMES; time += 1)
    took.push((await importing(...(name === SDK ? [SDK] : [SDK, name]))).at(-1) ?? Number.NaN);
  return median(took);
}

const COLUMNS = ['entry', 'min', 'min + gzip', 'cold import'] as const;
const show = (cells: readonly string[]): void => {
  const [name = '', ...figures] = cells;
  console.log([name.padEnd(30), ...figures.map((cell) => cell.padStart(12))].join(''));
};

show(COLUMNS);
for (const [name, file] of [[SDK, SDK], ...ENTRIES] as const) {
  const { min, gzip } = await weigh(file, { peers: name === SDK });
  show([name, kilobytes(min), kilobytes(gzip), `${(await coldMs(name)).toFixed(1)} ms`]);
}
console.log('\nSizes exclude peer dependencies. Cold imports exclude the time of the SDK.');

/** Matches the sources for developers, as the build names them in its comments. */
const FOR_DEVELOPERS = /^\/\/#region src\/(?:dev\/|(?:testing|graph|otel|cli)\.ts).*$/m;

/** Returns the modules of Node and the sources for developers that a file loads. */
async function problemsOf(file: string): Promise<string[]> {
  const { files, packages } = await loadedBy(file);
  const builtins = [...packages].filter((name) => isBuiltin(name));
  const forDevelopers = [...files].flatMap((each) => {
    const [region] = FOR_DEVELOPERS.exec(readFileSync(each, 'utf8')) ?? [];
    return region === undefined ? [] : [`${path.relative(ROOT, each)} has ${region.slice(10)}`];
  });
  return [...builtins, ...forDevelopers];
}

/** Returns the ESM and the CJS file of an entry. */
function buildsOf(name: string): string[] {
  const file = ENTRIES.get(name) ?? '';
  return [file, file.replace(/\.mjs$/, '.cjs')];
}

const problems = (await Promise.all(buildsOf('mcp-resolve').map(problemsOf))).flat();
for (const problem of problems) console.error(`mcp-resolve must not load this: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else console.log('mcp-resolve loads no module of Node and no code for developers.');

// Proves that the check can fail: these entries load both.
for (const file of ['mcp-resolve/node', 'mcp-resolve/testing'].flatMap(buildsOf)) {
  if ((await problemsOf(file)).length > 0) continue;
  console.error(`The check is broken: it finds nothing in ${path.relative(ROOT, file)}.`);
  process.exitCode = 1;
}
