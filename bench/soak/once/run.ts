/**
 * `npm run soak -- once`: four processes and one Redis, 16 customers, for `--seconds`, with the
 * chance of `--seed`. Prints how it goes every ten seconds, and ends with code 1 if a call ran
 * twice, was lost, or was answered in two ways.
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
    ['lost answers (must be 0)', found.lost.length],
    ['replays', found.replays],
    ['replay answers that differed (must be 0)', found.differed.length],
    ['answers that the ledger contradicts (must be 0)', found.mismatches.length],
    ['processes that ended by themselves (must be 0)', found.ended.length],
    ['kills', found.kills],
    ['unknown outcomes', found.unknown],
    ['unknown first, and recorded late', found.late],
    ['completed after more than a lease', found.outlasting],
    ['told that it is in progress', found.inProgress],
    ['told that the store is unavailable', found.unavailable],
    ['requests', found.requests],
    ['requests cut or refused, and sent again', found.cut],
    ['mean rate', `${(found.flows / found.busySeconds).toFixed(1)} flows/s`],
  ];
  console.log(interrupted.aborted ? '\ninterrupted: the ledger as it was read last' : '');
  for (const [name, count] of lines) console.log(`${name.padEnd(48)} ${count}`);
  const { duplicates, lost, differed, mismatches, ended } = found;
  const broken = [duplicates, lost, differed, mismatches, ended];
  for (const problem of broken.flatMap((list) => list.slice(0, 10))) {
    console.error(`PROBLEM ${problem}`);
  }
  if (broken.some((list) => list.length > 0)) process.exitCode = 1;
}
