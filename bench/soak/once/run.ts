/**
 * `npm run soak -- once` runs four processes, a store (`--store redis`, `postgres` or `pgbouncer`)
 * and 16 customers for `--seconds`, with the random choices of `--seed`. The clocks of the
 * processes differ by up to `--clocks` seconds. It prints its counts every ten seconds, and the
 * last line sums them up. The exit code is 1 if a call ran twice, was lost, was answered in two
 * ways, or has a history that no sequential order explains.
 */
import { parseArgs } from 'node:util';

import { type Findings, soakOnce } from './soak.js';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    seconds: { type: 'string', default: '180' },
    clocks: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const clockSeconds = Number(values.clocks);
const { store } = values;
if (store !== 'redis' && store !== 'postgres' && store !== 'pgbouncer')
  throw new Error('--store is redis, postgres or pgbouncer');

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort());
}

console.log(
  `4 processes on ${store}, 16 customers, for ${seconds} s, with seed ${seed} and clocks ${clockSeconds} s apart`,
);
const { signal: interrupted } = interruption;
print(
  await soakOnce({ store, seconds, seed, clockSeconds, interrupted, onProgress: printProgress }),
);

function printProgress(found: Findings): void {
  console.log(
    [
      `${found.seconds.toFixed()} s: ${found.flows} flows`,
      `${found.executions} executions, ${found.duplicates.length} duplicates`,
      `${found.lost.length} lost`,
      `${found.unknown} unknown`,
      `${found.replays} replays, ${found.differed.length} differed`,
      `${found.kills} kills`,
    ].join(', '),
  );
}

function print(found: Findings): void {
  const lines: [string, string | number][] = [
    ['flows', found.flows],
    ['executions', found.executions],
    ['duplicates (must be 0)', found.duplicates.length],
    ['lost calls (must be 0)', found.lost.length],
    ['replays', found.replays],
    ['contradicting replies (must be 0)', found.differed.length],
    ['contradictions with the ledger (must be 0)', found.mismatches.length],
    ['unexpected exits of processes (must be 0)', found.ended.length],
    ['histories without an order (must be 0)', found.unexplained.length],
    ['histories with a sequential order', found.explained],
    ['histories that are too long to decide', found.undecided],
    ['kills of a process', found.kills],
    ['freezes of a process', found.freezes],
    ['kills of the store', found.storeKills],
    ['freezes of the store', found.storeFreezes],
    ['unknown outcomes', found.unknown],
    ['unknown at first, answered later', found.late],
    ['completed after longer than a lease', found.outlasting],
    ['replies: in progress', found.inProgress],
    ['replies: store unavailable', found.unavailable],
    ['requests', found.requests],
    ['requests cut or refused, and resent', found.cut],
    ['mean rate', `${(found.flows / found.busySeconds).toFixed(1)} flows/s`],
  ];
  console.log(interrupted.aborted ? '\ninterrupted: the counts may be incomplete' : '');
  for (const [name, count] of lines) console.log(`${name.padEnd(48)} ${count}`);
  const { duplicates, lost, differed, mismatches, unexplained, ended } = found;
  const broken = [duplicates, lost, differed, mismatches, unexplained, ended];
  for (const problem of broken.flatMap((list) => list.slice(0, 10))) {
    console.error(`PROBLEM ${problem}`);
  }
  const problems = broken.flat().length;
  if (problems > 0) process.exitCode = 1;
  const summary = [
    `${found.flows} flows`,
    `${found.executions} executions`,
    `${found.explained} histories with an order`,
    `${found.kills} kills and ${found.freezes} freezes of a process`,
    `${found.storeKills} and ${found.storeFreezes} of the store`,
    `${found.unknown} unknown outcomes`,
    `problems: ${problems}`,
  ];
  console.log(summary.join(', '));
}
