/** The digest that binds a token to 4 MiB of arguments, against parsing and hashing them. */
import { createHash } from 'node:crypto';

import { argumentsDigest, isTooDeep } from '../../src/state/canonical.js';
import { shareOf, type Figure, type Goal } from '../goal.js';
import { compare, repeating } from '../measure/compare.js';

const SIZE = 4 * 1024 * 1024;

/** Returns an array of about 4 MiB of JSON. */
function arrayOf(make: (index: number) => unknown): unknown {
  const items: unknown[] = [];
  for (let bytes = 0; bytes < SIZE; bytes += JSON.stringify(items.at(-1)).length + 1) {
    items.push(make(items.length));
  }
  return items;
}

/** Returns an object with shuffled keys that look like integers, which parse fast and sort slowly. */
function integerKeys(): unknown {
  const count = 300_000;
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [String((index * 7919) % count), index]),
  );
}

const SHAPES: Readonly<Record<string, () => unknown>> = {
  'one ASCII text': () => 'x'.repeat(SIZE),
  'one text of accented letters': () => 'é'.repeat(SIZE / 2),
  records: () =>
    arrayOf((index) => ({ name: `customer ${index}`, id: index, tags: ['a', 'b'], ok: true })),
  digits: () => arrayOf((index) => index % 10),
  'integer keys': integerKeys,
};

export const digestGoals: readonly Goal[] = [
  {
    id: 'digest',
    title: 'the digest of 4 MiB of arguments',
    measure: async ({ effort, quick, progress }) => {
      const figures: Figure[] = [];
      for (const [name, make] of Object.entries(SHAPES).slice(0, quick ? 1 : undefined)) {
        progress(name);
        const args = { value: make() };
        const json = JSON.stringify(args);
        const ours = repeating('digest', async () => {
          if (!isTooDeep(args)) await argumentsDigest(args);
        });
        const theirs = repeating('parse and hash', () => {
          JSON.parse(json);
          createHash('sha256').update(json).digest();
        });
        const ratio = await compare(ours, theirs, effort);
        figures.push(shareOf(`depth and digest of ${name} / JSON.parse and SHA-256`, ratio));
      }
      return figures;
    },
  },
];
