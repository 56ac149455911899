/**
 * `npm run bench:costs`: what small things cost in this version of Node, in nanoseconds of the
 * processor. No goals, but the reasons for how some code is written: docs/performance.md tells
 * them.
 */
import { hash } from 'node:crypto';

import { timed } from './measure/compare.js';
import { aligned } from './text.js';

const SLICES = 9;
const SLICE_MS = 20;

const OPTIONS = { a: 1, b: 2, c: 3, d: 4 };
const MORE = { e: 5, f: 6 };

const TEXT = 'the arguments of a call '.repeat(5);

const { signal: SIGNAL } = new AbortController();
const LISTENER = { handleEvent: (): void => undefined };

const POOL = new Uint8Array(4096);
let drawn = POOL.length;
/** The next 16 bytes of many that were drawn at once. */
function fromPool(): Uint8Array {
  if (drawn === POOL.length) {
    crypto.getRandomValues(POOL);
    drawn = 0;
  }
  drawn += 16;
  return POOL.slice(drawn - 16, drawn);
}

const ACCESSOR = { get: () => 1, enumerable: true, configurable: true };

/** As many shapes as a graph has, so that no place in the code knows which one it will see. */
const SHAPES = Array.from({ length: 30 }, (_, index) => shapeOf(index));
function shapeOf(index: number): Shape {
  const keys = [`n${index}`, `n${index + 1}`] as const;
  const template = Object.fromEntries(keys.map((key) => [key, undefined]));
  const text = `return { ${keys.map((key) => `${key}: value`).join(', ')} }`;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what is measured
  return { keys, template, make: new Function('value', text) as Shape['make'] };
}
const shapeAt = (time: number): Shape => SHAPES[time % SHAPES.length] ?? shapeOf(0);

interface Shape {
  readonly keys: readonly [string, string];
  readonly template: Values;
  readonly make: (value: number) => Values;
}
type Values = Record<string, number | undefined>;

function filled(values: Values, { keys }: Shape): Values {
  for (const key of keys) values[key] = 1;
  return values;
}

function literal({ keys: [first, second] }: Shape): Values {
  return { [first]: 1, [second]: 1 };
}

/** Each is told how often it has been done. */
const COSTS: Readonly<Record<string, (time: number) => unknown>> = {
  '{ ...options, call }': (call) => ({ ...OPTIONS, call }),
  '{ call, ...options }': (call) => ({ call, ...OPTIONS }),
  'Object.assign({}, options, { call })': (call) => Object.assign({}, OPTIONS, { call }),
  '{ ...options, ...more }': () => ({ ...OPTIONS, ...MORE }),
  'listening to a signal, and no longer': () => {
    SIGNAL.addEventListener('abort', LISTENER);
    SIGNAL.removeEventListener('abort', LISTENER);
    return LISTENER;
  },
  'options.a': () => OPTIONS.a,
  'options.a, if it is its own': () => (Object.hasOwn(OPTIONS, 'a') ? OPTIONS.a : undefined),
  'new AbortController().signal': () => new AbortController().signal,
  '16 random bytes': () => crypto.getRandomValues(new Uint8Array(16)),
  '16 random bytes of 4096 drawn at once': fromPool,
  'SHA-256 as base64url': () => hash('sha256', TEXT, 'base64url'),
  'SHA-256 as a buffer, then base64url': () => hash('sha256', TEXT, 'buffer').toString('base64url'),
  'an object with a member': (member) => ({ member }),
  'the same, and a getter defined on it': (member) =>
    Object.defineProperty({ member }, 'getter', ACCESSOR),
  'object of values, key by key': (time) => filled({}, shapeAt(time)),
  'object of values, computed keys in a literal': (time) => literal(shapeAt(time)),
  'object of values, compiled literal': (time) => shapeAt(time).make(1),
  'object of values, cloned template': (time) => {
    const shape = shapeAt(time);
    return filled({ ...shape.template }, shape);
  },
};

/** Kept, so that nothing is made in vain. */
let kept: unknown;
const nanoseconds = async (work: (time: number) => unknown, times: number): Promise<number> => {
  const ms = await timed(() => {
    for (let time = 0; time < times; time += 1) kept = work(time);
  }, 'cpu');
  return (ms * 1e6) / times;
};

const best = new Map(Object.keys(COSTS).map((name) => [name, Infinity]));
for (let slice = 0; slice <= SLICES; slice += 1) {
  for (const [name, work] of Object.entries(COSTS)) {
    const known = best.get(name) ?? Infinity;
    // The first round warms up, and tells how much fills a slice.
    const times = Number.isFinite(known) ? Math.ceil((SLICE_MS * 1e6) / known) : 20_000;
    best.set(name, Math.min(known, await nanoseconds(work, times)));
  }
}
const rows = [...best].map(([name, cost]) => [name, `${cost.toFixed(0)} ns`]);
console.log(`Node ${process.version}, the best of ${SLICES} slices\n`);
console.log(aligned(rows));
if (kept === undefined) throw new Error('nothing was measured');
