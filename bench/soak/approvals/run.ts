/**
 * `npm run soak -- approvals` runs three processes, a store (`--store redis` or `--store
 * postgres`), eight requesters and four approvers for `--seconds`, with the random choices of
 * `--seed`. It prints one line of counts. The exit code is 1 if there is a violation. `--plant
 * store` and `--plant forger` plant a fault, which the checks have to find.
 */
import { parseArgs } from 'node:util';

import { PLANTS } from './faults.js';
import { soakApprovals } from './soak.js';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    plant: { type: 'string' },
  },
});
const { store, seconds, seed } = values;
if (store !== 'redis' && store !== 'postgres') throw new Error('--store is redis or postgres');
const plant = PLANTS.find((known) => known === values.plant);
if (plant !== values.plant) throw new Error(`--plant is ${PLANTS.join(' or ')}`);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort(new Error('interrupted')));
}

console.log(`3 processes on ${store}, for ${seconds} s, with seed ${seed}`);
const { signal: interrupted } = interruption;
const options = {
  store,
  seconds: Number(seconds),
  seed: Number(seed),
  plant,
  interrupted,
} as const;
const { violations, ...counts } = await soakApprovals(options);
const line = Object.entries(counts).map(
  ([name, count]) => `${count} ${name === 'storeFaults' ? 'store faults' : name}`,
);
console.log(`${line.join(', ')}, violations: ${violations.length}`);
for (const violation of violations.slice(0, 10)) console.error(`VIOLATION ${violation}`);
if (violations.length > 0) process.exitCode = 1;
