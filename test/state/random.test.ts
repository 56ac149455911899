/** Random bytes: drawn for each use, never the same ones twice. */
import { describe, expect, it } from 'vitest';

import { randomBytes, randomId } from '../../src/platform.js';

describe('random bytes', () => {
  it('are as many as wanted, and differ every time', () => {
    const drawn = Array.from({ length: 2000 }, () => randomBytes(12));
    expect(new Set(drawn.map(({ length }) => length))).toEqual(new Set([12]));
    expect(new Set(drawn.map((bytes) => bytes.join())).size).toBe(2000);
  });

  it('make ids that differ every time', () => {
    expect(new Set(Array.from({ length: 2000 }, () => randomId())).size).toBe(2000);
  });
});
