/**
 * `npm run bench` measures every goal, `npm run bench -- P1 P6` some of them, `-- --quick` in two
 * minutes. Ratios only: see measure/compare.ts for how. Ends with 1 if a bar is missed, and with 2
 * if the machine was too busy to judge. `npm run bench -- growth` draws the charts instead.
 */
import { parseArgs } from 'node:util';

import { verdictOf, type Bench } from './goal.js';
import { goals } from './goals/index.js';
import { drawGrowth, growths } from './growth/index.js';
import { saveResults, tableOf, type Measured } from './report.js';

const FULL = { rounds: 41, sliceMs: 150 };
const QUICK = { rounds: 11, sliceMs: 60 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20260728' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const growing = positionals[0] === 'growth';
const wanted = new Set((growing ? [] : positionals).map((id) => id.toUpperCase()));
const unknown = [...wanted].filter((id) => !goals.some((goal) => goal.id === id));
const chosen = goals.filter(({ id }) => wanted.size === 0 || wanted.has(id));

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no goal ${unknown.join(', ')}.\n`);
  console.error('npm run bench -- [--quick] [--seed N] [goal ...]\n');
  for (const { id, title } of goals) console.error(`${id.padEnd(4)} ${title}`);
  console.error('\nnpm run bench -- growth [--quick] [chart ...]   into docs/performance/*.svg\n');
  for (const name of Object.keys(growths)) console.error(name);
  process.exit(unknown.length > 0 ? 1 : 0);
}

const { quick } = values;
const effort = { ...(quick ? QUICK : FULL), seed: Number(values.seed) };
const measured: Measured[] = [];

if (growing) {
  const progress: Bench['progress'] = (text) => {
    console.error(text);
  };
  await drawGrowth(positionals.slice(1), { effort, quick, progress });
  process.exit();
}

for (const [index, goal] of chosen.entries()) {
  const progress: Bench['progress'] = (text) => {
    console.error(`[${index + 1}/${chosen.length}] ${goal.id} ${text}`);
  };
  progress(goal.title);
  measured.push({ goal, figures: await goal.measure({ effort, quick, progress }) });
}

console.log(tableOf(measured));
saveResults(measured, quick);

const verdicts = measured.flatMap(({ figures }) => figures.map(verdictOf));
if (verdicts.includes('not judged')) {
  console.log('\nA row with A/A off by more than 10 % was not judged: the machine is busy.');
  process.exitCode = 2;
}
if (verdicts.includes('missed')) process.exitCode = 1;
