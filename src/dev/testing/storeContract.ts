/**
 * The contract of a store, as checks that any test runner can run.
 *
 * Each check takes new keys, so checks can run in any order, at the same time, and against a
 * database in use. Checks that depend on time poll for up to four seconds, so a slow machine does
 * not fail a store.
 */
import { randomId } from '../../platform.js';
import type { RecordStore } from '../../store/recordStore.js';

/** One check of the contract. */
export interface StoreCheck {
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
 * for (const { name, run } of storeContract(() => myStore())) test(name, run);
 * ```
 *
 * @param makeStore Creates the store to check. It may return the same store every time.
 */
export function storeContract(
  makeStore: () => RecordStore | Promise<RecordStore>,
): readonly StoreCheck[] {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    run: async () => check(await makeStore()),
  }));
}

type Check = (store: RecordStore) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  'an unknown key has no value, and only a put without `was` writes one': async (store) => {
    const key = newKey();
    await has(store, key, undefined);
    await refuses(store, key, 'new', 'old');
    await has(store, key, undefined);
    await accepts(store, key, 'new', undefined);
    await has(store, key, 'new');
  },

  'a put replaces the value of `was`, and no other': async (store) => {
    const key = await written(store, 'First');
    for (const was of [undefined, 'second', 'first', 'First ', 'Firs', 'F%', '']) {
      await refuses(store, key, 'third', was);
      await has(store, key, 'First');
    }
    await accepts(store, key, 'second', 'First');
    await has(store, key, 'second');
    await refuses(store, key, 'third', 'First');
    await has(store, key, 'second');
  },

  'a repeated put answers true, until another value stands there': async (store) => {
    const key = await written(store, 'first');
    await accepts(store, key, 'first', undefined);
    await accepts(store, key, 'second', 'first');
    await accepts(store, key, 'second', 'first');
    await accepts(store, key, 'second', 'neither');
    await refuses(store, key, 'first', undefined);
    await has(store, key, 'second');
  },

  'one of fifty concurrent puts succeeds': async (store) => {
    const key = newKey();
    let present: string | undefined;
    for (const round of ['new', 'next']) {
      const values = Array.from({ length: 50 }, (_, index) => `${round} ${index}`);
      const answers = await Promise.all(values.map((value) => put(store, key, value, present)));
      const winners = values.filter((_, index) => answers[index]);
      same(winners.length, 1, 'the number of concurrent puts that succeeded');
      [present] = winners;
      await has(store, key, present);
    }
  },

  'similar keys are separate keys': async (store) => {
    const stem = newKey();
    const keys = ODD_ENDINGS.map((ending) => stem + ending);
    for (const key of keys) await accepts(store, key, `of ${key}`, undefined);
    for (const key of keys) await has(store, key, `of ${key}`);
  },

  'a value is returned and compared unchanged': async (store) => {
    for (const value of VALUES) {
      const key = await written(store, value);
      await has(store, key, value);
      await accepts(store, key, 'next', value);
    }
  },

  'a record lives for its ttlMs, which can be a month, and then expires': async (store) => {
    const [key, lasting] = [newKey(), newKey()];
    const began = performance.now();
    await accepts(store, lasting, 'value', undefined, 30 * 24 * 60 * MINUTE_MS);
    await accepts(store, key, 'value', undefined, TTL_MS);
    await becomes(store, key, undefined);
    const lived = performance.now() - began;
    if (lived < TTL_MS - TOLERANCE_MS)
      throw new Error(`A record with ttlMs ${TTL_MS} expired after ${Math.round(lived)} ms.`);
    await has(store, lasting, 'value');
    await refuses(store, key, 'next', 'value');
    await has(store, key, undefined);
    await accepts(store, key, 'next', undefined);
  },

  'a put prolongs, a repeated one too': async (store) => {
    const replaced = await prolonged(store, 'next');
    const repeated = await prolonged(store, 'value');
    await pause(1.5 * TTL_MS);
    await has(store, replaced, 'next');
    await has(store, repeated, 'value');
  },

  'a put with a shorter ttlMs shortens': async (store) => {
    const replaced = await written(store, 'value');
    const repeated = await written(store, 'value');
    await accepts(store, replaced, 'next', 'value', 1);
    await accepts(store, repeated, 'value', 'value', 1);
    await becomes(store, replaced, undefined);
    await becomes(store, repeated, undefined);
  },

  'a refused put changes no lifetime': async (store) => {
    const long = await written(store, 'value');
    const short = newKey();
    await accepts(store, short, 'value', undefined, TTL_MS);
    await refuses(store, long, 'next', 'other', 1);
    await put(store, short, 'next', 'other');
    await becomes(store, short, undefined);
    await has(store, long, 'value');
  },
};

const MINUTE_MS = 60_000;
const TTL_MS = 600;
const PATIENCE_MS = 4000;
/** The accepted difference between two clocks, in milliseconds. */
const TOLERANCE_MS = 50;

/**
 * Endings of keys that a database might treat as equal or special. Stores must keep them distinct.
 */
const ODD_ENDINGS: readonly string[] = [
  ...['', 'a', 'A', 'aa', 'a ', ' a', 'á', 'a\u0301', '_', '%', '*', '?', '{a}', '{A}', '[a]'],
  ...['a:b', 'a/b', 'a\\b', 'a"b', "a'b", 'a\nb', 'a\tb', '😀', '__proto__'],
  ...['-'.repeat(100), '-'.repeat(101)],
];

const VALUES: readonly string[] = [
  JSON.stringify({ content: [{ type: 'text', text: 'Paid 48.00.' }] }),
  ...['', ' ', '0012', 'null', '\ufeff{}', ' \t\r\n{}\r\n ', `'"\`\\ \\u0000 %s $1 ? ; -- {{}}`],
  'aé\u2028€😀𝒳 e\u0301 \u00e9 \u0001\u001f\u007f\u0085',
  'é😀x'.repeat(30_000),
];

function newKey(): string {
  return `contract/${randomId()}`;
}

function put(
  store: RecordStore,
  key: string,
  ...[value, was, ttlMs = MINUTE_MS]: Write
): Promise<boolean> {
  return store.put(key, value, { was, ttlMs, of: 'contract' });
}

type Write = [value: string, was: string | undefined, ttlMs?: number];

/** Writes a new record and returns its key. */
async function written(store: RecordStore, value: string): Promise<string> {
  const key = newKey();
  await accepts(store, key, value, undefined);
  return key;
}

async function accepts(store: RecordStore, key: string, ...write: Write): Promise<void> {
  same(await put(store, key, ...write), true, calledWith(write));
}

async function refuses(store: RecordStore, key: string, ...write: Write): Promise<void> {
  same(await put(store, key, ...write), false, calledWith(write));
}

async function has(store: RecordStore, key: string, expected: string | undefined): Promise<void> {
  same(await store.get(key), expected, 'get()');
}

/** Writes a short-lived record and prolongs it. If a delay made that late, it tries again. */
async function prolonged(store: RecordStore, next: string): Promise<string> {
  const began = performance.now();
  const key = newKey();
  await accepts(store, key, 'value', undefined, TTL_MS);
  const answer = await put(store, key, next, 'value');
  if (!answer && performance.now() - began >= TTL_MS) return prolonged(store, next);
  same(answer, true, calledWith([next, 'value']));
  return key;
}

/** Polls a key until it has the expected value. */
async function becomes(
  store: RecordStore,
  key: string,
  expected: string | undefined,
): Promise<void> {
  const began = performance.now();
  while ((await store.get(key)) !== expected && performance.now() - began < PATIENCE_MS)
    await pause(10);
  same(await store.get(key), expected, `get(), polled for ${PATIENCE_MS / 1000} seconds`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function calledWith([value, was, ttlMs = MINUTE_MS]: Write): string {
  return `put() of ${shown(value)} with was ${shown(was)} and ttlMs ${ttlMs}`;
}

function same(given: unknown, expected: unknown, what: string): void {
  if (given === expected) return;
  throw new Error(`${what}: expected ${shown(expected)}, got ${shown(given)}`);
}

/** Formats a value for a message. A long string is cut, with its length. */
function shown(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  const text = JSON.stringify(value.slice(0, 60));
  return value.length <= 60 ? text : `${text}… (${value.length} characters)`;
}
