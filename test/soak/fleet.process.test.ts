/**
 * A short run of `npm run soak -- fleet` without nginx: the client calls the processes in turn. It
 * has real processes, two services with the same keys and different audiences, and two users.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { newCounts, total } from '../../bench/soak/fleet/counts.js';
import { Fleet } from '../../bench/soak/fleet/fleet.js';
import { Person, TOOL_NAMES } from '../../bench/soak/fleet/person.js';
import { freePorts } from '../../bench/soak/fleet/ports.js';
import {
  misuse,
  MISUSES,
  mustBeRefused,
  type Owned,
  retryOf,
  type User,
} from '../../bench/soak/fleet/probes.js';
import { inTurn, type Reach } from '../../bench/soak/fleet/reach.js';
import { newKey, phasesBetween } from '../../bench/soak/fleet/rotation.js';

const oldKey = newKey();
const counts = newCounts();
const turns = { again: 0, elsewhere: 0 };
let trips: Fleet;
let hotels: Fleet;
let atTrips: Reach;
let atHotels: Reach;

beforeAll(async () => {
  const setUp = { keys: [oldKey], ttlSeconds: 600 };
  const ports = await freePorts(3);
  [trips, hotels] = await Promise.all([
    Fleet.start({ audience: 'trips', ports: ports.slice(1), ...setUp }),
    Fleet.start({ audience: 'hotels', ports: ports.slice(0, 1), ...setUp }),
  ]);
  atTrips = inTurn(() => trips.ports, counts);
  atHotels = inTurn(() => hotels.ports, counts);
}, 60_000);

afterAll(async () => {
  await Promise.all([trips.stop(), hotels.stop()]);
});

/** Runs between two rounds. Returns true if it restarted the processes. */
type Between = (owned: Owned) => Promise<boolean>;

/** Connects a user, and disconnects them afterwards. */
async function withPerson<T>(
  { user, between }: { user: User; between: Between },
  use: (person: Person) => Promise<T>,
): Promise<T> {
  const around = { user, home: atTrips, nextDoor: atHotels, counts, turns, between };
  const person = await Person.connect(around);
  return use(person).finally(() => person.close());
}

/** Answers without doing anything between the rounds. */
const withoutPause: Between = () => Promise.resolve(false);

test('each round of a call runs in another process than the round before', async () => {
  await withPerson({ user: 'alice', between: withoutPause }, async (person) => {
    for (const tool of TOOL_NAMES) await person.makeCall(tool, 'T-1');
  });
  expect(counts).toMatchObject({ started: 2, completed: 2, lost: [], rounds: 7 });
  expect(turns).toEqual({ again: 5, elsewhere: 5 });
});

test('processes refuse every misused state, and the call continues', async () => {
  const between: Between = async (owned) => {
    for (const kind of MISUSES) await misuse(kind, owned, counts);
    return false;
  };
  for (const user of ['alice', 'bob'] as const) {
    await withPerson({ user, between }, (person) => person.makeCall('plan_trip', `T-${user}`));
  }
  expect(counts.accepted).toEqual([]);
  // Each user has three rounds, and each round is misused in every way.
  expect(Object.fromEntries(counts.refused)).toEqual(
    Object.fromEntries(MISUSES.map((kind) => [kind, 6])),
  );
  expect(counts).toMatchObject({ started: 4, completed: 4, lost: [] });
});

test('no call is lost while keys rotate in three phases under load', async () => {
  let sealedUnderOld: Owned | undefined;
  let rotating = true;
  const load = withPerson({ user: 'bob', between: withoutPause }, async (person) => {
    for (let call = 0; rotating; call += 1) await person.makeCall('sign_off', `T-load-${call}`);
  });
  // Before each answer, every process restarts with the keys of the next phase.
  const phases = [...phasesBetween(oldKey, newKey())];
  const between: Between = async (owned) => {
    sealedUnderOld ??= owned;
    const keys = phases.shift()?.keys;
    await Promise.all([trips.rollOut(keys), hotels.rollOut(keys)]);
    return true;
  };
  const before = counts.acrossRestart;
  await withPerson({ user: 'alice', between }, (person) => person.makeCall('plan_trip', 'T-rot'));
  rotating = false;
  await load;
  expect(counts.lost).toEqual([]);
  expect(counts.acrossRestart - before).toBe(3);
  expect(counts.completed).toBe(counts.started);

  const [owned, refusedBefore] = [sealedUnderOld!, total(counts.refused)];
  const retired = { reach: atTrips, user: owned.user, call: retryOf(owned) };
  await mustBeRefused('under a retired key', retired, counts);
  expect(counts.accepted).toEqual([]);
  expect(total(counts.refused)).toBe(refusedBefore + 1);
}, 60_000);

test('a client gives up when no process restarts', async () => {
  expect(await trips.nextRestart(0)).toBe(false);
  const restarted = trips.nextRestart(600);
  await trips.rollOut();
  expect(await restarted).toBe(true);
});

test('the log counts every refusal with its reason', async () => {
  await Promise.all([trips.stop(), hotels.stop()]);
  expect(Object.fromEntries(trips.rejections)).toEqual({
    principal: 6,
    'request binding': 12,
    seal: 6,
    'unknown key': 1,
  });
  expect(Object.fromEntries(hotels.rejections)).toEqual({ audience: 6 });
});
