/** Warnings: rate-limited if a client can cause them, logged once if the setup causes them. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { shownError, STANDARD_ERROR, Warnings } from '../src/log.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_767_225_600_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

function loggedWarnings(): { logged: string[]; warnings: Warnings } {
  const logged: string[] = [];
  return { logged, warnings: Warnings.of({ warn: (message) => logged.push(message) }) };
}

const repeat = (times: number, action: () => void): void => {
  for (let time = 0; time < times; time += 1) action();
};

test('I8: logs twenty warnings at once and leaves out the rest', () => {
  const { logged, warnings } = loggedWarnings();
  repeat(25, () => {
    warnings.warn('rejected');
  });
  expect(logged).toEqual(Array.from({ length: 20 }, () => 'rejected'));
});

test('I8: says in the next warning how many were left out', () => {
  const { logged, warnings } = loggedWarnings();
  repeat(25, () => {
    warnings.warn('rejected');
  });
  vi.setSystemTime(1_767_225_601_000);
  warnings.warn('rejected again');
  expect(logged.at(-1)).toBe('rejected again (5 similar warnings omitted)');
  warnings.warn('one too many');
  expect(logged).toHaveLength(21);
  vi.setSystemTime(1_767_225_602_000);
  warnings.warn('later');
  expect(logged.at(-1)).toBe('later (1 similar warning omitted)');
  vi.setSystemTime(1_767_225_603_000);
  warnings.warn('calm');
  expect(logged.at(-1)).toBe('calm');
});

test('I8: logs at most twenty at once after an hour without warnings', () => {
  const { logged, warnings } = loggedWarnings();
  vi.setSystemTime(1_767_225_600_000 + 3_600_000);
  repeat(30, () => {
    warnings.warn('rejected');
  });
  expect(logged).toHaveLength(20);
});

test('logs a warning about the setup once, regardless of the rate limit', () => {
  const { logged, warnings } = loggedWarnings();
  repeat(30, () => {
    warnings.warn('rejected');
  });
  repeat(3, () => {
    warnings.once('the setup');
  });
  warnings.once('another thing');
  expect(logged.slice(20)).toEqual(['the setup', 'another thing']);
});

test('logs a warning about the setup once per logger', () => {
  const logged: string[] = [];
  const logger = { warn: (message: string) => logged.push(message) };
  Warnings.of(logger).once('the setup');
  Warnings.of(logger).once('the setup');
  // A factory may create the same logger for every request.
  Warnings.of({ ...logger }).once('the setup');
  expect(logged).toEqual(['the setup']);
  Warnings.of({ warn: (message) => logged.push(message) }).once('the setup');
  expect(logged).toEqual(['the setup', 'the setup']);
});

test('logs to each instance of a logger class', () => {
  class Lines {
    readonly logged: string[] = [];
    warn(message: string): void {
      this.logged.push(message);
    }
  }
  const [one, other] = [new Lines(), new Lines()];
  Warnings.of(one).warn('of one');
  Warnings.of(other).warn('of the other');
  expect([one.logged, other.logged]).toEqual([['of one'], ['of the other']]);
});

test('Z3: logs every failed call, regardless of the rate limit', () => {
  const { logged, warnings } = loggedWarnings();
  repeat(30, () => {
    warnings.failure("'pay' failed");
  });
  expect(logged).toHaveLength(30);
});

test('writes one line, whatever a text contains', () => {
  const { logged, warnings } = loggedWarnings();
  const hostile = 'a\r\nb\rc\n\td\u2028e\u2029f\u0085g\u001B[31mh\u009B31mi\0\u202E';
  const line =
    String.raw`a\r\nb\rc\n\td\u{2028}e\u{2029}f\u{0085}g\u{001B}[31mh\u{009B}31mi\u{0000}` +
    String.raw`\u{202E}`;
  warnings.warn(hostile);
  warnings.once(hostile);
  warnings.failure(hostile);
  expect(logged).toEqual([line, line, line]);
});

test('escapes no text twice', () => {
  const { logged, warnings } = loggedWarnings();
  const path = String.raw`C:\new\table \u{202E} 👨‍👩‍👧`;
  warnings.warn(path);
  warnings.warn(shownError(new Error(`${path}\n`)));
  expect(logged).toEqual([path, `Error: ${path}${String.raw`\n`}`]);
});

test('writes one line to standard error', () => {
  const written = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  Warnings.of(STANDARD_ERROR).failure('a\rb');
  expect(written.mock.calls).toEqual([[String.raw`mcp-resolve: a\rb`]]);
  written.mockRestore();
});

describe('a line about an error', () => {
  test.each([
    ['the name and the message', new RangeError('no key'), 'RangeError: no key'],
    ['the type of a value that is not an error', 'no key', 'string: no key'],
    ['at most 500 characters', new Error('x'.repeat(600)), `Error: ${'x'.repeat(500)}`],
    ['a message that is not a string', Object.assign(new Error(), { message: 42 }), 'Error: 42'],
  ])('shows %s', (_, error, line) => {
    expect(shownError(error)).toBe(line);
  });

  test('Z6: leaves out the parts of a secret that are six characters or longer', () => {
    const error = new SyntaxError('Unexpected token, "v1.abcdefgh" is not valid, nor "v1.ab"');

    expect(shownError(error, 'v1.abcdefghijkl')).toBe(
      'SyntaxError: Unexpected token, "…" is not valid, nor "v1.ab"',
    );
  });

  test('Z6: leaves out parts that overlap', () => {
    expect(shownError(new Error('key abcdefghijk.'), 'abcdefgh-efghijk')).toBe('Error: key ….');
  });
});
