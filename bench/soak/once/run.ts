/**
 * `npm run soak -- once` runs four processes, one Redis and 16 customers for `--seconds`, with the
 * random choices of `--seed`. It prints its counts every ten seconds. The exit code is 1 if a call
 * ran twice, was lost, or was answered in two ways.
 */
import { parseArgs } from 'node:util';

import { type Findings, soakOnce } from './soak.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '180' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort());
}

console.log(`4 processes, 16 customers, for ${seconds} s, with seed ${seed}`);
const { signal: interrupted } = interruption;
print(await soakOnce({ seconds, seed, interrupted, onProgress: printProgress }));

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
    ['kills', found.kills],
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
  const { duplicates, lost, differed, mismatches, ended } = found;
  const broken = [duplicates, lost, differed, mismatches, ended];
  for (const problem of broken.flatMap((list) => list.slice(0, 10))) {
    console.error(`PROBLEM ${problem}`);
  }
  if (broken.some((list) => list.length > 0)) process.exitCode = 1;
}
