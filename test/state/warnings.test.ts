/** Warnings: rate-limited if a client can cause them, logged once if the setup causes them. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Warnings } from '../../src/state/warnings.js';

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
  expect(logged.at(-1)).toBe('later (1 similar warnings omitted)');
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
  expect(logged).toEqual(['the setup']);
  Warnings.of({ ...logger }).once('the setup');
  expect(logged).toEqual(['the setup', 'the setup']);
});
