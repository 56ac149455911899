/**
 * `npm run soak -- fleet` runs two services behind nginx under load from two users, restarts their
 * processes and rotates their keys.
 *
 * ```
 *  persons ──► nginx ──┬─► trips (3 processes) ──┐
 *  (K at a time)       └─► hotels (2 processes) ─┴─ the same keys, two audiences
 * ```
 *
 * It takes `--minutes` or one complete rotation, whichever is longer, with `--flows` calls at a
 * time. At the end, bodies run longer than the timeout of the proxy or crash their process. The
 * last line sums up the counts. The exit code is 1 if a call was lost, a misused state was
 * accepted, or a body ran twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { type Counts, newCounts, total, type Turns } from './counts.js';
import { countFaults } from './faults.js';
import { Fleet } from './fleet.js';
import { findNginx, startNginx } from './nginx.js';
import { Person, TOOL_NAMES } from './person.js';
import { freePorts } from './ports.js';
import { misuse, MISUSES, mustBeRefused, type Owned, retryOf, USERS } from './probes.js';
import { through } from './reach.js';
import { newKey, phasesBetween } from './rotation.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    flows: { type: 'string', default: '24' },
  },
});
const minutes = Number(values.minutes);
const flows = Number(values.flows);

findNginx();

const TTL_SECONDS = 60;
/** The longest wait of a person for a restart. Slow requests have the rest of the lifetime. */
const PATIENCE_SECONDS = TTL_SECONDS / 3;
/** The rounds of each flow between two restarts. */
const ROUNDS_BETWEEN_RESTARTS = 15;
const started = performance.now();
const counts = newCounts();
const turns = { trips: { again: 0, elsewhere: 0 }, hotels: { again: 0, elsewhere: 0 } };
const ending = new AbortController();
let key = newKey();
/** A call whose state is sealed under the key that is being retired. */
let sample: Owned | undefined;

const [tripsListen = 0, hotelsListen = 0, ...ports] = await freePorts(7);
const setUp = { keys: [key], ttlSeconds: TTL_SECONDS };
const [trips, hotels] = await Promise.all([
  Fleet.start({ audience: 'trips', ports: ports.slice(0, 3), ...setUp }),
  Fleet.start({ audience: 'hotels', ports: ports.slice(3), ...setUp }),
]);
const nginx = await startNginx([
  { name: 'trips', listen: tripsListen, ports: trips.ports },
  { name: 'hotels', listen: hotelsListen, ports: hotels.ports },
]);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
console.log(`5 processes behind nginx, ${flows} flows at a time, for ${minutes} minutes`);

let nginxLog = '';
try {
  const load = Array.from({ length: flows }, (_, index) => live(index));
  const rotating = rotate().finally(() => {
    ending.abort();
    trips.wake();
    hotels.wake();
  });
  await Promise.all([rotating, ...load]);
} finally {
  nginxLog = await nginx.stop();
  await Promise.all([trips.stop(), hotels.stop()]);
}
const faults = await countFaults();
print(counts);

/** Rotates the keys until the run ends. */
async function rotate(): Promise<void> {
  while (!isOver()) {
    const next = newKey();
    const [addNew, sealUnderNew, dropOld] = phasesBetween(key, next);
    await rollOut(addNew);
    const retired = sample;
    await rollOut(sealUnderNew);
    const sealedUnderNew = elapsed();
    // All processes seal under the new key now, so the tokens of the old one expire from here on.
    while (!isOver() && elapsed() < sealedUnderNew + TTL_SECONDS) await rollOut();
    await rollOut(dropOld);
    if (isOver()) return;
    if (retired !== undefined) await probeRetired(retired);
    key = next;
    sample = undefined;
    counts.rotations += 1;
  }
}

/** Restarts the processes of both services, one of each at a time, with some rounds in between. */
async function rollOut(phase?: { name: string; keys: readonly string[] }): Promise<void> {
  if (isOver()) return;
  const traffic = () => roundsMore(ROUNDS_BETWEEN_RESTARTS * flows);
  await Promise.all([trips.rollOut(phase?.keys, traffic), hotels.rollOut(phase?.keys, traffic)]);
  const { started: begun, completed, rounds, lost, accepted } = counts;
  console.log(
    [
      `${elapsed().toFixed()} s: restarted with ${phase?.name ?? 'the same keys'}`,
      `${begun} flows, ${completed} completed, ${lost.length} lost`,
      `${rounds} rounds`,
      `${total(counts.refused)} misuses refused, ${accepted.length} accepted`,
    ].join(', '),
  );
}

/** Waits for this many more rounds. */
async function roundsMore(more: number): Promise<void> {
  const enough = counts.rounds + more;
  while (counts.rounds < enough && !isOver()) await delay(50);
}

async function probeRetired(owned: Owned): Promise<void> {
  const { home, user } = owned;
  await mustBeRefused('under a retired key', { reach: home, user, call: retryOf(owned) }, counts);
}

/** Makes calls one after the other as one person. Users alternate. Two of three call trips. */
async function live(index: number): Promise<void> {
  const user = USERS[index % 2] ?? 'alice';
  const atTrips = index % 3 < 2;
  const reaches = [
    through(urlOf(tripsListen), counts),
    through(urlOf(hotelsListen), counts),
  ] as const;
  const [home, nextDoor] = atTrips ? reaches : [reaches[1], reaches[0]];
  const isPatient = index % 5 === 0;
  let step = index;
  const between = async (owned: Owned): Promise<boolean> => {
    sample ??= owned;
    step += 1;
    await misuse(MISUSES[step % MISUSES.length] ?? '', owned, counts);
    if (!isPatient || isOver()) return false;
    const restarted = await (atTrips ? trips : hotels).nextRestart(PATIENCE_SECONDS);
    return restarted && !isOver();
  };
  const person = await Person.connect({
    user,
    home,
    nextDoor,
    counts,
    turns: atTrips ? turns.trips : turns.hotels,
    between,
  });
  for (let call = 0; !isOver(); call += 1) {
    await person.makeCall(TOOL_NAMES[call % TOOL_NAMES.length] ?? '', `T-${index}-${call}`);
    // The pause leaves CPU time for restarts.
    await delay(20);
  }
  await person.close();
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/mcp`;
}

/** Returns true if the time is over and at least one rotation is complete. */
function isOver(): boolean {
  return ending.signal.aborted || (counts.rotations > 0 && elapsed() > minutes * 60);
}

function elapsed(): number {
  return (performance.now() - started) / 1000;
}

function shareOf({ again, elsewhere }: Turns): string {
  return `${elsewhere} of ${again} (${((elsewhere * 100) / Math.max(1, again)).toFixed()} %)`;
}

function print(found: Counts): void {
  const reasons = new Map(trips.rejections);
  for (const [reason, count] of hotels.rejections) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  const lines: [string, string | number][] = [
    ['flows started', found.started],
    ['flows completed', found.completed],
    ['flows lost', found.lost.length],
    ['rounds', found.rounds],
    ['rounds on another process, trips', shareOf(turns.trips)],
    ['rounds on another process, hotels', shareOf(turns.hotels)],
    ['rounds after a restart', found.acrossRestart],
    ['processes restarted', trips.restarts + hotels.restarts],
    ['key rotations', found.rotations],
    ['connections refused, retried by nginx', nginxLog.split('Connection refused').length - 1],
    ['requests resent by the client', found.resent],
    ...[...found.refused].map(([kind, count]): [string, number] => [`refused ${kind}`, count]),
    ...[...reasons].map(([reason, count]): [string, number] => [`in the log: ${reason}`, count]),
    ['misuses accepted', found.accepted.length],
    ...faults.map(({ fault, calls, statuses, runs }): [string, string] => [
      `calls with the fault: ${fault}`,
      `${calls}, statuses ${statuses.join(', ')}, ${runs} runs`,
    ]),
  ];
  console.log('');
  for (const [name, count] of lines) console.log(`${name.padEnd(48)} ${count}`);
  const problems = [...found.lost.slice(0, 10), ...found.accepted.slice(0, 10)];
  for (const { fault, calls, statuses, runs } of faults) {
    if (runs !== calls) problems.push(`${calls} calls (${fault}) ran ${runs} times`);
    if (statuses.some((status) => status < 500)) problems.push(`${fault} did not fail`);
  }
  if (found.completed + found.lost.length !== found.started) problems.push('a flow did not end');
  // hotels often has only one running process, so it cannot always change.
  if (turns.trips.elsewhere * 2 <= turns.trips.again) {
    problems.push('most rounds stayed on the same process');
  }
  if (found.acrossRestart === 0) problems.push('no round came after a restart');
  if (!found.refused.has('under a retired key'))
    problems.push('no state of a retired key was sent');
  if (total(reasons) < total(found.refused)) problems.push('the log is missing refusals');
  for (const problem of problems) console.error(`PROBLEM ${problem}`);
  if (problems.length > 0) {
    console.error(`\nThe end of the log of nginx:\n${nginxLog.split('\n').slice(-5).join('\n')}\n`);
    process.exitCode = 1;
  }
  const summary = [
    `${found.started} flows`,
    `${found.completed} completed`,
    `${found.rounds} rounds`,
    `${trips.restarts + hotels.restarts} restarts`,
    `${found.rotations} key rotations`,
    `${total(found.refused)} misuses refused`,
    `problems: ${problems.length}`,
  ];
  console.log(summary.join(', '));
}
