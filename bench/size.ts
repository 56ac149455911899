/**
 * `npm run bench -- size`: what each entry point weighs and how long a fresh process takes to
 * import it. Ends with 1 if the core loads a module of Node, which workers do not have, or anything
 * that is for developers.
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

/** The middle of some fresh processes: after the SDK, which every server has loaded. */
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
console.log('\nPeers are not in the weight; the cold import is that on top of the SDK.');

/** The folders of the sources that are for developers, as the build names them. */
const FOR_DEVELOPERS = /^\/\/#region src\/(?:dev\/|(?:testing|graph|otel|cli)\.ts).*$/m;

/** What the core loads and must not. */
async function problemsOf(file: string): Promise<string[]> {
  const { files, packages } = await loadedBy(file);
  const builtins = [...packages].filter((name) => isBuiltin(name));
  const forDevelopers = [...files].flatMap((each) => {
    const [region] = FOR_DEVELOPERS.exec(readFileSync(each, 'utf8')) ?? [];
    return region === undefined ? [] : [`${path.relative(ROOT, each)} has ${region.slice(10)}`];
  });
  return [...builtins, ...forDevelopers];
}

/** An entry as it is imported, and as it is required. */
function buildsOf(name: string): string[] {
  const file = ENTRIES.get(name) ?? '';
  return [file, file.replace(/\.mjs$/, '.cjs')];
}

const problems = (await Promise.all(buildsOf('mcp-resolve').map(problemsOf))).flat();
for (const problem of problems) console.error(`mcp-resolve loads what it must not: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else console.log('mcp-resolve loads no module of Node and nothing that is for developers.');

// So that the check can fail: where both are loaded, both are seen.
for (const file of ['mcp-resolve/node', 'mcp-resolve/testing'].flatMap(buildsOf)) {
  if ((await problemsOf(file)).length > 0) continue;
  console.error(`The check is blind: it sees nothing in ${path.relative(ROOT, file)}.`);
  process.exitCode = 1;
}
