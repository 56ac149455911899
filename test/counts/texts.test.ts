/**
 * Tests that the work on a hostile text grows with its length, and not with its square. The work is
 * what regular expressions read. An expression may go over its input again from every place, as a
 * lookbehind did here, so an input counts with the square of its length.
 */
import { describe, expect, test, vi } from 'vitest';

import { describeIssues } from '../../src/author/schema.js';
import { visibleText } from '../../src/visibleText.js';
import { shownError } from '../../src/log.js';

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

describe('describing the issues of an answer', () => {
  const LONGEST = 4000;
  const read = vi.fn(() => 'wrong');
  const issueAt = (...path: string[]) => ({
    path,
    get message() {
      return read();
    },
  });

  test('reads only the issues that it shows', () => {
    const text = describeIssues(Array.from({ length: 20 * SIZE }, () => issueAt('amount')));
    expect(text).toMatch(/^amount: wrong, amount: wrong, .*…$/);
    expect(text).toHaveLength(LONGEST + 1);
    expect(read.mock.calls.length).toBeLessThan(SIZE);
  });

  test('cuts a long name between its characters', () => {
    const issues = Array.from({ length: SIZE }, () => issueAt(`x${'👍'.repeat(20 * SIZE)}`, '7'));
    expect(describeIssues(issues)).toBe(`x${'👍'.repeat(LONGEST / 2 - 1)}…`);
  });
});

test('an error is compared with a long secret in one pass', () => {
  const [secret, message] = ['a'.repeat(20 * SIZE), 'aaaaab'.repeat(80)];
  const searches = vi.spyOn(String.prototype, 'includes');
  const copies = vi.spyOn(String.prototype, 'slice');
  try {
    expect(shownError(new Error(message), secret)).toBe(`Error: ${message}`);
    // A search may read the whole secret.
    const read = searches.mock.calls.length * secret.length + copies.mock.calls.length;
    expect(read).toBeLessThan(2 * secret.length);
  } finally {
    searches.mockRestore();
    copies.mockRestore();
  }
});
