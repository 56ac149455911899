/**
 * The contract of a store, as checks that any test runner can run:
 *
 * ```ts
 * for (const { name, run } of onceStoreContract(() => myStore())) test(name, run);
 * ```
 *
 * Each check takes a new store and new ids, so checks can run in any order, at the same time, and
 * against a database in use. Checks that depend on time poll for up to four seconds, so a slow
 * machine does not fail a store.
 */
import { randomId } from '../platform.js';
import type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './onceStore.js';

/** One check of the contract. */
export interface OnceStoreCheck {
  /** The checked behaviour, as a sentence. */
  readonly name: string;
  /** Runs the check. It rejects with an `Error` that describes what the store did instead. */
  readonly run: () => Promise<void>;
}

/**
 * Creates the checks for a kind of store.
 *
 * @example
 *
 * ```ts
 * for (const { name, run } of onceStoreContract(() => myOnceStore())) test(name, run);
 * ```
 *
 * @param makeStore Creates the store to check. It may return the same store every time.
 */
export function onceStoreContract(
  makeStore: () => OnceStore | Promise<OnceStore>,
): readonly OnceStoreCheck[] {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    run: async () => check(await makeStore()),
  }));
}

const CHECKS: Readonly<Record<string, (store: OnceStore) => Promise<void>>> = {
  'a call without a claim is unknown': async (store) => {
    const id = newId();
    sameEntry(await store.read(id), undefined, 'read() of an unknown call');
    same(await store.renew(id, leaseOf('owner')), false, 'renew() of an unknown call');
    sameEntry(await store.read(id), undefined, 'read() after renew() of an unknown call');
  },

  'exactly one of fifty concurrent claims succeeds': async (store) => {
    const id = newId();
    const owners = Array.from({ length: 50 }, (_, index) => `owner ${index}`);
    const answers = await Promise.all(owners.map((owner) => store.claim(id, leaseOf(owner))));
    const holders = owners.filter((_, index) => answers[index] === undefined);
    same(holders.length, 1, 'the number of successful claims');
    for (const answer of answers.filter((given) => given !== undefined)) {
      sameEntry(answer, RUNNING, 'claim() of a call that another owner has claimed');
    }
    for (const owner of owners) {
      const renewed = await store.renew(id, leaseOf(owner));
      same(renewed, holders.includes(owner), `renew() by ${owner} after fifty concurrent claims`);
    }
  },

  'a claimed call is running for read() and for the next claim()': async (store) => {
    const id = await claimedBy(store, 'first');
    sameEntry(await store.read(id), RUNNING, 'read() of a claimed call');
    sameEntry(await store.claim(id, leaseOf('second')), RUNNING, 'claim() of a claimed call');
    same(await store.renew(id, leaseOf('second')), false, 'renew() by an owner without the claim');
  },

  'a repeated claim by its owner succeeds': async (store) => {
    const id = await claimedBy(store, 'owner');
    sameEntry(
      await store.claim(id, leaseOf('owner')),
      undefined,
      'a repeated claim() by the owner',
    );
    same(await store.finish(id, ending('owner', 'x')), true, 'finish() after a repeated claim()');
    sameEntry(await store.claim(id, leaseOf('owner')), done('x'), 'claim() of an ended call');
  },

  'calls with similar ids are separate calls': async (store) => {
    const stem = newId();
    const ids = ODD_ENDINGS.map((ending) => stem + ending);
    for (const id of ids) {
      sameEntry(await store.claim(id, leaseOf(id)), undefined, `claim() of ${shown(id)}`);
    }
    for (const id of ids) {
      same(await store.finish(id, ending(id, `of ${id}`)), true, `finish() of ${shown(id)}`);
    }
    for (const id of ids) {
      sameEntry(await store.read(id), done(`of ${id}`), `read() of ${shown(id)}`);
    }
  },

  'a lease that is not renewed lapses, and the call cannot be claimed again': async (store) => {
    const id = await lapsedOf(store, 'owner');
    sameEntry(await store.claim(id, leaseOf('other')), LAPSED, 'claim() of a lapsed call');
    sameEntry(await store.read(id), LAPSED, 'read() of a lapsed call after claim()');
    same(
      await store.renew(id, leaseOf('other')),
      false,
      'renew() by an owner that tried to claim a lapsed call',
    );
  },

  'a renewed lease outlives its first end': async (store) => {
    const id = await claimedBy(store, 'owner', { leaseMs: SHORT_MS });
    same(await store.renew(id, leaseOf('owner')), true, 'renew() by the owner');
    await pause(2 * SHORT_MS);
    sameEntry(await store.read(id), RUNNING, 'read() after the first end of a renewed lease');
  },

  'a renewed lease lapses after its new duration': async (store) => {
    const id = await claimedBy(store, 'owner');
    await store.renew(id, leaseOf('owner', { leaseMs: SHORT_MS }));
    await becomes(store, id, LAPSED);
  },

  'the owner of a lapsed lease can renew it, and the call is running again': async (store) => {
    const id = await lapsedOf(store, 'owner');
    same(await store.renew(id, leaseOf('owner')), true, 'renew() of a lapsed lease by its owner');
    sameEntry(await store.read(id), RUNNING, 'read() after renew() of a lapsed lease');
  },

  'only the owner can renew a lease': async (store) => {
    const id = await claimedBy(store, 'owner', { leaseMs: SHORT_MS });
    same(await store.renew(id, leaseOf('other')), false, 'renew() by another owner');
    await becomes(store, id, LAPSED);
    same(
      await store.renew(id, leaseOf('other')),
      false,
      'renew() of a lapsed lease by another owner',
    );
    sameEntry(await store.read(id), LAPSED, 'read() after renew() by another owner');
  },

  'a result is returned unchanged': async (store) => {
    for (const [what, text] of Object.entries(TEXTS)) {
      const id = await claimedBy(store, 'owner');
      same(await store.finish(id, ending('owner', text)), true, `finish() with ${what}`);
      sameEntry(await store.read(id), done(text), `read() of ${what}`);
      sameEntry(
        await store.claim(id, leaseOf('other')),
        done(text),
        `claim() of a call that ended with ${what}`,
      );
    }
  },

  'a missing result differs from an empty one': async (store) => {
    const without = await claimedBy(store, 'owner');
    same(await store.finish(without, ending('owner')), true, 'finish() without a result');
    sameEntry(await store.read(without), done(), 'read() of a call without a result');
    const empty = await claimedBy(store, 'owner');
    same(await store.finish(empty, ending('owner', '')), true, 'finish() with an empty result');
    sameEntry(await store.read(empty), done(''), 'read() of a call with an empty result');
  },

  'a call that is done can be neither claimed nor renewed': async (store) => {
    const id = await claimedBy(store, 'owner');
    await store.finish(id, ending('owner', 'kept'));
    sameEntry(await store.claim(id, leaseOf('other')), done('kept'), 'claim() of an ended call');
    same(await store.renew(id, leaseOf('owner')), false, 'renew() of an ended call by its owner');
    same(
      await store.renew(id, leaseOf('other')),
      false,
      'renew() of an ended call by another owner',
    );
    sameEntry(await store.read(id), done('kept'), 'read() after claim() and renew()');
  },

  'a call that is done keeps its first result': async (store) => {
    const id = await claimedBy(store, 'owner');
    await store.finish(id, ending('owner', 'first'));
    same(await store.finish(id, ending('owner', 'second')), true, 'a second finish() by the owner');
    sameEntry(await store.read(id), done('first'), 'read() after a second finish()');
    same(await store.finish(id, ending('other', 'third')), false, 'finish() by another owner');
    sameEntry(await store.read(id), done('first'), 'read() after finish() by another owner');
  },

  'only the owner of a claim can end the call': async (store) => {
    const id = await claimedBy(store, 'owner');
    same(await store.finish(id, ending('other', 'wrong')), false, 'finish() by another owner');
    sameEntry(await store.read(id), RUNNING, 'read() after finish() by another owner');
    same(
      await store.renew(id, leaseOf('owner')),
      true,
      'renew() by the owner after finish() by another owner',
    );
    same(
      await store.finish(id, ending('owner', 'right')),
      true,
      'finish() by the owner after finish() by another owner',
    );
    sameEntry(await store.read(id), done('right'), 'read() after finish() by the owner');
  },

  'the owner can end a lapsed call': async (store) => {
    const id = await lapsedOf(store, 'owner');
    same(
      await store.finish(id, ending('other', 'wrong')),
      false,
      'finish() of a lapsed call by another owner',
    );
    sameEntry(await store.read(id), LAPSED, 'read() after finish() by another owner');
    same(
      await store.finish(id, ending('owner', 'late')),
      true,
      'finish() of a lapsed call by its owner',
    );
    sameEntry(await store.read(id), done('late'), 'read() after finish() of a lapsed call');
  },

  'an unknown call can be ended': async (store) => {
    const id = newId();
    same(await store.finish(id, ending('owner', 'alone')), true, 'finish() without a claim');
    sameEntry(await store.read(id), done('alone'), 'read() after finish() without a claim');
    sameEntry(
      await store.claim(id, leaseOf('other')),
      done('alone'),
      'claim() after finish() without a claim',
    );
  },

  'exactly one of many concurrent ends is recorded': async (store) => {
    const id = newId();
    const owners = Array.from({ length: 20 }, (_, index) => `owner ${index}`);
    const counts = await Promise.all(owners.map((owner) => store.finish(id, ending(owner, owner))));
    const [first, ...others] = owners.filter((_, index) => counts[index]);
    same(others.length, 0, 'the number of other recorded ends');
    sameEntry(await store.read(id), done(first), 'read() after many concurrent ends');
  },

  'a concurrent claim and end do not both succeed': async (store) => {
    for (let time = 0; time < 20; time += 1) {
      const id = newId();
      const [known, counts] = await Promise.all([
        store.claim(id, leaseOf('claims')),
        store.finish(id, ending('ends', 'over')),
      ]);
      sameEntry(
        known,
        counts ? done('over') : undefined,
        `claim() while finish() returned ${counts}`,
      );
      sameEntry(await store.read(id), counts ? done('over') : RUNNING, 'read() after both');
    }
  },

  'a claim is known for its ttlMs and then expires': async (store) => {
    await livesFor(store, async (id) => {
      await store.claim(id, leaseOf('owner', { ttlMs: TTL_MS }));
    });
  },

  'a lapsed claim is known for its ttlMs and then expires': async (store) => {
    await livesFor(store, async (id) => {
      await store.claim(id, leaseOf('owner', { leaseMs: 1, ttlMs: TTL_MS }));
    });
  },

  'an end is known for its ttlMs and then expires': async (store) => {
    await livesFor(store, async (id) => {
      await store.claim(id, leaseOf('owner'));
      await store.finish(id, { ...ending('owner', 'kept'), ttlMs: TTL_MS });
    });
  },

  'an expired call can be claimed, and its owner can still end it': async (store) => {
    const id = await claimedBy(store, 'owner', { ttlMs: SHORT_MS });
    await becomes(store, id, undefined);
    same(await store.renew(id, leaseOf('owner')), false, 'renew() of an expired call');
    sameEntry(await store.claim(id, leaseOf('other')), undefined, 'claim() of an expired call');
    const late = await claimedBy(store, 'owner', { ttlMs: SHORT_MS });
    await becomes(store, late, undefined);
    same(await store.finish(late, ending('owner', 'late')), true, 'finish() of an expired call');
    sameEntry(await store.read(late), done('late'), 'read() after finish() of an expired call');
  },

  'renew() extends the lifetime of a call': async (store) => {
    const id = await claimedAndRenewed(store);
    await pause(1.5 * TTL_MS);
    sameEntry(await store.read(id), RUNNING, 'read() of a renewed call after its first ttlMs');
  },

  'finish() extends the lifetime of a call': async (store) => {
    const id = await claimedBy(store, 'owner', { ttlMs: SHORT_MS });
    await store.finish(id, ending('owner', 'kept'));
    await pause(2 * SHORT_MS);
    sameEntry(await store.read(id), done('kept'), 'read() of an ended call after its first ttlMs');
  },
};

const MINUTE_MS = 60_000;
const SHORT_MS = 200;
const TTL_MS = 600;
const PATIENCE_MS = 4000;
/** The accepted difference between two clocks, in milliseconds. */
const TOLERANCE_MS = 50;

const RUNNING: OnceEntry = { state: 'running' };
const LAPSED: OnceEntry = { state: 'lapsed' };

function done(result?: string): OnceEntry {
  return { state: 'done', ...(result !== undefined && { result }) };
}

/**
 * Endings of ids that a database might treat as equal or special. Stores must keep them distinct.
 */
const ODD_ENDINGS: readonly string[] = [
  ...['', 'a', 'A', 'aa', 'a ', ' a', 'á', 'a\u0301', '_', '%', '*', '?', '{a}', '{A}', '[a]'],
  ...['a:b', 'a/b', 'a\\b', 'a"b', "a'b", 'a\nb', 'a\tb', '😀', '__proto__', '-'.repeat(100)],
];

const TEXTS: Readonly<Record<string, string>> = {
  'a result': JSON.stringify({ content: [{ type: 'text', text: 'Paid 48.00.' }] }),
  'characters of one to four bytes': 'aé\u2028€😀𝒳 e\u0301 \u00e9 \ufeff',
  'a leading byte order mark': '\ufeff{}',
  'surrounding whitespace': ' \t\r\n{}\r\n ',
  'quotes, backslashes and special characters': `'"\`\\ \\u0000 %s $1 ? ; -- {{}}`,
  'a number': '0012',
  'the string null': 'null',
  '200 kilobytes': 'é😀x'.repeat(30_000),
};

function newId(): string {
  return `contract-${randomId()}`;
}

function leaseOf(owner: string, besides: Partial<OnceLease> = {}): OnceLease {
  return { owner, leaseMs: MINUTE_MS, ttlMs: MINUTE_MS, ...besides };
}

function ending(owner: string, result?: string): OnceEnd {
  return { owner, result, ttlMs: MINUTE_MS };
}

/** Claims a new call and returns its id. */
async function claimedBy(
  store: OnceStore,
  owner: string,
  besides: Partial<OnceLease> = {},
): Promise<string> {
  const id = newId();
  const known = await store.claim(id, leaseOf(owner, besides));
  sameEntry(known, undefined, 'claim() of an unknown call');
  return id;
}

/** Claims a new call, waits until its lease lapses and returns its id. */
async function lapsedOf(store: OnceStore, owner: string): Promise<string> {
  const id = await claimedBy(store, owner, { leaseMs: SHORT_MS });
  await becomes(store, id, LAPSED);
  return id;
}

/** Claims a call for a short time and renews it in time. If a delay made it late, it tries again. */
async function claimedAndRenewed(store: OnceStore): Promise<string> {
  const began = performance.now();
  const id = await claimedBy(store, 'owner', { ttlMs: TTL_MS });
  const renewed = await store.renew(id, leaseOf('owner'));
  if (!renewed && performance.now() - began >= TTL_MS) return claimedAndRenewed(store);
  same(renewed, true, 'renew() by the owner');
  return id;
}

/** Checks that a record created with `TTL_MS` lives at least that long and then expires. */
async function livesFor(store: OnceStore, make: (id: string) => Promise<void>): Promise<void> {
  const id = newId();
  const began = performance.now();
  await make(id);
  await becomes(store, id, undefined);
  const lived = performance.now() - began;
  if (lived >= TTL_MS - TOLERANCE_MS) return;
  throw new Error(`A record with ttlMs ${TTL_MS} expired after ${Math.round(lived)} ms.`);
}

/** Polls a call until its state is the expected one. */
async function becomes(
  store: OnceStore,
  id: string,
  expected: OnceEntry | undefined,
): Promise<void> {
  const began = performance.now();
  let known = await store.read(id);
  while (!isSameEntry(known, expected) && performance.now() - began < PATIENCE_MS) {
    await pause(10);
    known = await store.read(id);
  }
  sameEntry(known, expected, `read(), polled for ${PATIENCE_MS / 1000} seconds`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function same(given: unknown, expected: unknown, what: string): void {
  if (given === expected) return;
  throw new Error(`${what}: expected ${String(expected)}, got ${String(given)}`);
}

function sameEntry(
  given: OnceEntry | undefined,
  expected: OnceEntry | undefined,
  what: string,
): void {
  if (isSameEntry(given, expected)) return;
  throw new Error(`${what}: expected ${shownEntry(expected)}, got ${shownEntry(given)}`);
}

function isSameEntry(given: OnceEntry | undefined, expected: OnceEntry | undefined): boolean {
  if (given == null || expected === undefined) return given === expected;
  return given.state === expected.state && resultOf(given) === resultOf(expected);
}

function resultOf(entry: OnceEntry): string | undefined {
  return entry.state === 'done' ? entry.result : undefined;
}

function shownEntry(entry: OnceEntry | undefined): string {
  if (entry == null) return String(entry);
  const result = resultOf(entry);
  return result === undefined ? `'${entry.state}'` : `'done' with ${shown(result)}`;
}

const SHOWN_CHARACTERS = 60;

/** Formats a string for a message. A long one is cut, with its length. */
function shown(text: string): string {
  const beginning = JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
  return text.length <= SHOWN_CHARACTERS ? beginning : `${beginning}… (${text.length} characters)`;
}
