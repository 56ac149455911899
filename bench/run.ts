/**
 * `npm run bench` measures every goal and writes docs/performance.md, `npm run bench -- Q1 Q2`
 * measures some. `-- --quick` only shows that the benchmark works. All timings are ratios
 * (measure/compare.ts). The exit code is 1 if a figure misses its bar, and 2 if the machine was too
 * busy to judge one.
 *
 * The goals with a number are measured on two versions of Node, the others on the newer one.
 * `--node <program>` measures with another.
 *
 * Each goal is measured in a process of its own, and each of its ways in several: V8 compiles code
 * differently after it has run other code, and the figures of a goal must not depend on others.
 */
import { execFileSync, fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { isNumbered, verdictOf, type Figure, type Goal } from './goal.js';
import { goals } from './goals/index.js';
import type { Effort, Processes } from './measure/compare.js';
import { nodePrograms } from './measure/nodes.js';
import { following, leading, type Place } from './measure/processes.js';
import { saveGoal, tableOf, type Measured } from './report.js';

// V8 needs a few seconds to optimize a confirm flow. Quick runs do not wait for that.
const FULL = { rounds: 9, sliceMs: 100, warmMs: 4000, perWay: 4 };
const OTHERS = { rounds: 7, sliceMs: 100, warmMs: 1500, perWay: 2 };
const QUICK = { rounds: 5, sliceMs: 40, warmMs: 500, perWay: 2 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20260728' },
    node: { type: 'string' },
    // Set in the process that measures a goal.
    measure: { type: 'boolean', default: false },
    // The comparison and the way that this process runs, such as `0 ours`.
    way: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const names = positionals.map((name) => name.toLowerCase());
const namesOf = ({ id, group }: Goal): string[] => [id.toLowerCase(), ...(group ? [group] : [])];
const chosen = goals.filter(
  (goal) => names.length === 0 || namesOf(goal).some((name) => names.includes(name)),
);
const known = goals.flatMap(namesOf);
const unknown = names.filter((name) => !known.includes(name));

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no goal '${unknown.join("', '")}'.\n`);
  console.error('npm run bench -- [--quick] [--seed N] [--node PROGRAM] [goal ...]');
  console.error('npm run bench -- http | languages      the goals of that group');
  console.error('npm run bench -- profile | size | docs\n');
  for (const { id, group, title } of goals)
    console.error(`${id.padEnd(9)} ${title}${group === undefined ? '' : ` (${group})`}`);
  process.exit(unknown.length > 0 ? 1 : 0);
}

const { quick } = values;
const file = fileURLToPath(import.meta.url);

/** The arguments of every process. */
const shared = ['--seed', values.seed, ...(quick ? ['--quick'] : [])];

/** Returns the processes that run the ways of a goal. */
function processesFor(id: string, perWay: number): Processes {
  if (values.way !== undefined) {
    const [comparison = '', way = ''] = values.way.split(' ');
    return following({ comparison: Number(comparison), way: way === 'ours' ? 'ours' : 'theirs' });
  }
  const args = ({ comparison, way }: Place): string[] => {
    return [id, ...shared, '--way', `${comparison} ${way}`];
  };
  return leading({ file, args, perWay });
}

function effortFor(goal: Goal): Effort {
  const effort = quick ? QUICK : isNumbered(goal) ? FULL : OTHERS;
  const processes = processesFor(goal.id, effort.perWay);
  return { ...effort, seed: Number(values.seed), processes };
}

/** Measures a goal for the first process, or runs one of its ways. */
async function measureHere(goal: Goal): Promise<void> {
  const progress = (text: string): void => {
    if (values.way === undefined) console.error(`    ${text}`);
  };
  const figures = await goal.measure({ effort: effortFor(goal), quick, progress });
  const measured: Measured = { id: goal.id, node: process.version, figures };
  // Saved now, because a later goal may fail.
  saveGoal(measured, quick);
  process.send?.(measured);
}

function measureElsewhere({ id }: Goal, node: string): Promise<Measured> {
  const args = [id, ...shared, '--measure'];
  const child = fork(file, args, { serialization: 'advanced', execPath: node });
  return new Promise((resolve, reject) => {
    child.once('message', (measured) => {
      resolve(measured as Measured);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      reject(new Error(`${id} was not measured: its process exited with code ${code}`));
    });
  });
}

const seconds = (): number => Math.round(performance.now() / 1000);

async function measureGoals(): Promise<void> {
  const nodes = values.node === undefined ? nodePrograms() : [values.node];
  const runs = chosen.flatMap((goal) =>
    (isNumbered(goal) ? nodes : nodes.slice(-1)).map((node) => ({ goal, node })),
  );
  const measured: Measured[] = [];
  const failed: string[] = [];
  for (const [index, { goal, node }] of runs.entries()) {
    const place = `[${index + 1}/${runs.length}] ${seconds()} s`;
    console.error(`${place}  ${goal.id}: ${goal.title}, ${versionOf(node)}`);
    try {
      measured.push(await measureElsewhere(goal, node));
    } catch (error) {
      // The others are measured all the same.
      failed.push((error as Error).message);
    }
  }
  console.log(tableOf(measured));
  judge(measured.flatMap(({ figures }) => figures));
  for (const message of failed) console.log(message);
  if (failed.length > 0) process.exitCode = 1;
  if (quick) return;
  // The page reads the results when it is loaded.
  const { writePage } = await import('./page.js');
  await writePage();
}

const versionOf = (node: string): string =>
  `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`;

/** Sets the exit code. */
function judge(figures: readonly Figure[]): void {
  const verdicts = figures.map(verdictOf);
  if (verdicts.includes('not judged')) {
    console.log(
      '\nRows whose A/A differs from 1 by more than 0.1 were not judged. The machine is busy.',
    );
    process.exitCode = 2;
  }
  if (verdicts.includes('missed')) process.exitCode = 1;
}

const [goal] = chosen;
if ((values.measure || values.way !== undefined) && goal !== undefined) {
  await measureHere(goal);
} else {
  await measureGoals();
  console.error(`done in ${seconds()} s`);
}
