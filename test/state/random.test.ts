/** Random bytes that are drawn for many uses at once: never the same ones twice. */
import { afterEach, describe, expect, it, vi } from 'vitest';

import { publicRandomBytes, randomBytes, randomId } from '../../src/platform.js';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('public random bytes', () => {
  it('are as many as wanted, and differ every time', () => {
    const drawn = Array.from({ length: 2000 }, () => publicRandomBytes(12));
    expect(new Set(drawn.map(({ length }) => length))).toEqual(new Set([12]));
    expect(new Set(drawn.map((bytes) => bytes.join())).size).toBe(2000);
    expect(new Set(Array.from({ length: 2000 }, () => randomId())).size).toBe(2000);
  });

  it('belong to whoever drew them: what is done to them changes no others', () => {
    const [first, second] = [publicRandomBytes(12), publicRandomBytes(12)];
    const before = second.join();
    new Uint8Array(first.buffer).fill(0);
    expect(second.join()).toBe(before);
  });

  it('are drawn for many at once', () => {
    const draw = vi.spyOn(globalThis.crypto, 'getRandomValues');
    for (let use = 0; use < 1000; use += 1) publicRandomBytes(12);
    expect(draw.mock.calls.length).toBeLessThan(20);
  });

  it('are never those that a snapshot of another process has left', () => {
    publicRandomBytes(12);
    const draw = vi.spyOn(globalThis.crypto, 'getRandomValues');
    vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(performance.timeOrigin + 1);
    publicRandomBytes(12);
    expect(draw).toHaveBeenCalledTimes(1);
    publicRandomBytes(12);
    expect(draw).toHaveBeenCalledTimes(1);
  });
});

it('random bytes for keys are drawn for each', () => {
  const draw = vi.spyOn(globalThis.crypto, 'getRandomValues');
  expect(randomBytes(32)).not.toEqual(randomBytes(32));
  expect(draw).toHaveBeenCalledTimes(2);
});
