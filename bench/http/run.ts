/**
 * `npm run bench -- http` compares servers over loopback sockets with servers written by hand, for
 * clients of both eras, and measures their memory. Each server runs in a process of its own, and
 * this process is the client. `--quick` takes a minute. If the server by hand differs from itself
 * by more than 10 %, the machine was too busy: the results are not saved, and the exit code is 2.
 */
import { cases, measure, type Row } from './cases.js';
import { measureMemory } from './memory.js';
import { memoryTable, rowTable, saveReport } from './report.js';

const quick = process.argv.includes('--quick');
const chosen = quick ? cases.filter(({ tool }) => tool === 'confirm') : cases;
const extent = quick
  ? { rounds: 5, flows: 160, warmUp: 800 }
  : { rounds: 11, flows: 480, warmUp: 2400 };
const amounts = quick
  ? { sessions: 500, waiting: 200, firstFlows: 2000, flows: 10_000 }
  : { sessions: 2000, waiting: 500, firstFlows: 10_000, flows: 100_000 };

const begun = Date.now();
const tell = (text: string): void => {
  console.error(`${String(Math.round((Date.now() - begun) / 1000)).padStart(4)} s  ${text}`);
};

const rows: Row[] = [];
for (const [index, one] of chosen.entries()) {
  tell(`[${index + 1}/${chosen.length}] ${one.name}, ${one.era}, driven by ${one.driver}`);
  rows.push(...(await measure(one, extent)));
}
console.log(`\n${rowTable(rows)}\n`);
const memory = await measureMemory(amounts, (text) => tell(`memory: ${text}`));
console.log(`\n${memoryTable(memory)}`);

const twins = rows.filter(({ server }) => server === 'by hand again');
if (twins.some(({ ratio, speed }) => [ratio, speed].some((one) => Math.abs(one - 1) > 0.1))) {
  console.log('\nThe server by hand differs from itself by more than 10 %. The machine is busy.');
  process.exitCode = 2;
} else {
  const date = new Date().toISOString().slice(0, 10);
  saveReport({ node: process.version, date, quick, rows, memory });
}
tell('done');
