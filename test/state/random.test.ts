/** Random bytes and ids. */
import { describe, expect, it } from 'vitest';

import { randomBytes, randomId } from '../../src/platform.js';

describe('random bytes', () => {
  it('have the requested length and differ every time', () => {
    const drawn = Array.from({ length: 2000 }, () => randomBytes(12));
    expect(new Set(drawn.map(({ length }) => length))).toEqual(new Set([12]));
    expect(new Set(drawn.map((bytes) => bytes.join())).size).toBe(2000);
  });

  it('form ids that differ every time', () => {
    expect(new Set(Array.from({ length: 2000 }, () => randomId())).size).toBe(2000);
  });
});
