/**
 * Tests that the work on a hostile text grows with its length, and not with its square. The work is
 * what regular expressions read. An expression may go over its input again from every place, as a
 * lookbehind did here, so an input counts with the square of its length.
 */
import { describe, expect, test, vi } from 'vitest';

import { visibleText } from '../../src/question/visibleText.js';

function workOn(text: string, longest?: number): number {
  const reads = vi.spyOn(RegExp.prototype, 'exec');
  try {
    visibleText(text, longest);
    return reads.mock.calls.reduce((sum, [input]) => sum + input.length ** 2, 0);
  } finally {
    reads.mockRestore();
  }
}

const SIZE = 1000;

describe('showing invisible characters', () => {
  test.each([
    ['letters', 'a'],
    ['accents', '\u0301'],
    ['accents after an Arabic letter', 'م\u0301'],
    ['Hindi viramas', '\u094D'],
    ['joiners between Arabic letters', 'م\u200D'],
    ['joiners', '\u200D'],
    ['flags', '\u{1F3F4}'],
    ['tags', '\u{E0061}'],
    ['selectors of emoji', '❤\uFE0F'],
    ['selectors of Mongolian letters', '\u180B'],
    ['Windows line breaks', '\r\n'],
  ])('takes twice the work for twice as many %s', (_, part) => {
    const work = workOn(`\u{1F3F4}म${part.repeat(SIZE)}\u200D`);
    expect(work).toBeGreaterThan(SIZE);
    const twice = workOn(`\u{1F3F4}म${part.repeat(2 * SIZE)}\u200D`);
    expect(twice / work).toBeLessThan(2.1);
  });

  test('stops when a text has its greatest length', () => {
    expect(workOn('\u0301'.repeat(20 * SIZE), 500)).toBe(workOn('\u0301'.repeat(SIZE), 500));
  });
});
