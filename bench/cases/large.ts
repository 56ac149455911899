/** Graphs of any size, deep and wide, and the way to resolve them that one writes first. */
import { resolver, type AnyResolver, type Need } from 'mcp-resolve';

import { serving, type Pace, type Serve } from './graph.js';

/** A node before it becomes a resolver. */
interface Part {
  readonly needs: Readonly<Record<string, Part>>;
  readonly fn: (values: Readonly<Record<string, unknown>>) => unknown;
}

export type Layout = 'chain' | 'fan';

/** What any of these graphs gives: how many parts it has, at no cost that both ways would have. */
let ran = 0;
const one = (): number => {
  ran += 1;
  return 1;
};
/** The head of a chain, where nobody would reset a count. */
const head = (): number => 1;
const next = ({ before }: Readonly<Record<string, unknown>>): number => Number(before) + 1;
const count = (): number => {
  const parts = ran + 1;
  ran = 0;
  return parts;
};
/* eslint-disable @typescript-eslint/require-await -- promises are what is measured */
const FUNCTIONS = {
  sync: { one, head, next, count },
  async: {
    one: async () => one(),
    head: async () => head(),
    next: async (values: Readonly<Record<string, unknown>>) => next(values),
    count: async () => count(),
  },
};
/* eslint-enable @typescript-eslint/require-await */

/** The parts of a graph, each after what it needs. */
function partsOf(layout: Layout, size: number, pace: Pace): readonly Part[] {
  const functions = FUNCTIONS[pace];
  const parts: Part[] = [];
  const all: Record<string, Part> = {};
  for (let index = 0; index < size; index += 1) {
    const before = parts.at(-1);
    if (layout === 'chain') {
      const { head, next } = functions;
      parts.push(before === undefined ? { needs: {}, fn: head } : { needs: { before }, fn: next });
    } else if (index < size - 1) {
      const part: Part = { needs: {}, fn: functions.one };
      parts.push(part);
      all[`part${index}`] = part;
    } else parts.push({ needs: all, fn: functions.count });
  }
  return parts;
}

/** With resolvers. */
export function largeWithResolvers(layout: Layout, size: number, pace: Pace): Serve {
  const made = new Map<Part, AnyResolver>();
  let top: AnyResolver | undefined;
  for (const part of partsOf(layout, size, pace)) {
    const needs: Record<string, Need> = {};
    for (const [name, need] of Object.entries(part.needs)) needs[name] = found(made, need);
    top = resolver(needs, part.fn);
    made.set(part, top);
  }
  return serving(top);
}

function found(made: ReadonlyMap<Part, AnyResolver>, part: Part): AnyResolver {
  const known = made.get(part);
  if (known === undefined) throw new Error('a part comes after what it needs');
  return known;
}

/**
 * By hand: a recursive function with a memo. Without the `await null` in front it overflows the
 * stack at a few thousand.
 */
export function largeByHand(layout: Layout, size: number, pace: Pace): Serve {
  const top = partsOf(layout, size, pace).at(-1);
  if (top === undefined) throw new Error('a graph has at least one part');
  return () => {
    const memo = new Map<Part, Promise<unknown>>();
    const resolve = (part: Part): Promise<unknown> => {
      const known = memo.get(part);
      if (known !== undefined) return known;
      const promise = run(part);
      memo.set(part, promise);
      return promise;
    };
    const run = async ({ needs, fn }: Part): Promise<unknown> => {
      // eslint-disable-next-line @typescript-eslint/await-thenable -- this is what flattens the stack
      await null;
      const values: Record<string, unknown> = {};
      const arriving = Object.entries(needs).map(async ([name, need]) => {
        values[name] = await resolve(need);
      });
      await Promise.all(arriving);
      return fn(values);
    };
    return resolve(top);
  };
}
