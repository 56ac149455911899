/**
 * `npm run bench` measures every goal, `npm run bench -- Q1 Q2` some of them. `-- --quick` takes
 * two minutes. All timings are ratios (measure/compare.ts). The exit code is 1 if a figure misses
 * its bar, and 2 if the machine was too busy to judge one.
 *
 * Each goal is measured in a process of its own, unless the run is quick, because V8 compiles code
 * differently after it has run other code. The figures of a goal must not depend on the goals
 * before it.
 */
import { fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { verdictOf, type Bench, type Figure, type Goal } from './goal.js';
import { goals } from './goals/index.js';
import { saveGoal, tableOf, type Measured } from './report.js';

// V8 needs a few seconds to optimize a confirm flow. Quick runs do not wait for that.
const FULL = { rounds: 31, sliceMs: 120, warmMs: 4000 };
const QUICK = { rounds: 7, sliceMs: 50, warmMs: 250 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20260728' },
    // The position of this goal among the chosen ones. Set in the process that measures it.
    place: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const names = positionals.map((name) => name.toLowerCase());
const known = goals.map(({ id }) => id);
const chosen = known.filter((name) => names.length === 0 || names.includes(name.toLowerCase()));
const unknown = names.filter((name) => !known.some((one) => one.toLowerCase() === name));

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no goal '${unknown.join("', '")}'.\n`);
  console.error('npm run bench -- [--quick] [--seed N] [goal ...]');
  console.error('npm run bench -- http [--quick] | profile | size | docs\n');
  for (const { id, title } of goals) console.error(`${id.padEnd(9)} ${title}`);
  process.exit(unknown.length > 0 ? 1 : 0);
}

const { quick } = values;
const effort = { ...(quick ? QUICK : FULL), seed: Number(values.seed) };

const placeOf = (name: string): string =>
  values.place ?? `${chosen.indexOf(name) + 1}/${chosen.length}`;

/** Returns the means to measure a goal. Its progress lines count the chosen goals. */
function benchFor(name: string): Bench {
  const place = `[${placeOf(name)}]`;
  const progress = (text: string): void => {
    console.error(`${place} ${Math.round(performance.now() / 1000)} s  ${name}: ${text}`);
  };
  return { effort, quick, progress };
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
  const child = fork(fileURLToPath(import.meta.url), args, { serialization: 'advanced' });
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
    const inThisProcess = quick || chosen.length === 1;
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
