/** Warnings: limited in their rate where a client can cause them, said once where it is the set-up. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Warnings } from '../../src/state/warnings.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_767_225_600_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

function listening(): { said: string[]; warnings: Warnings } {
  const said: string[] = [];
  return { said, warnings: Warnings.of({ warn: (message) => said.push(message) }) };
}

const repeat = (times: number, action: () => void): void => {
  for (let time = 0; time < times; time += 1) action();
};

test('I8: twenty warnings at once are said, and what comes after is left out', () => {
  const { said, warnings } = listening();
  repeat(25, () => {
    warnings.warn('rejected');
  });
  expect(said).toEqual(Array.from({ length: 20 }, () => 'rejected'));
});

test('I8: the next one that is said tells how many were left out', () => {
  const { said, warnings } = listening();
  repeat(25, () => {
    warnings.warn('rejected');
  });
  vi.setSystemTime(1_767_225_601_000);
  warnings.warn('rejected again');
  expect(said.at(-1)).toBe('rejected again (5 similar warnings left out)');
  warnings.warn('one too many');
  expect(said).toHaveLength(21);
  vi.setSystemTime(1_767_225_602_000);
  warnings.warn('later');
  expect(said.at(-1)).toBe('later (1 similar warnings left out)');
  vi.setSystemTime(1_767_225_603_000);
  warnings.warn('calm');
  expect(said.at(-1)).toBe('calm');
});

test('I8: a quiet time earns no more than twenty', () => {
  const { said, warnings } = listening();
  vi.setSystemTime(1_767_225_600_000 + 3_600_000);
  repeat(30, () => {
    warnings.warn('rejected');
  });
  expect(said).toHaveLength(20);
});

test('a warning about the set-up is said once and is not limited', () => {
  const { said, warnings } = listening();
  repeat(30, () => {
    warnings.warn('rejected');
  });
  repeat(3, () => {
    warnings.once('the set-up');
  });
  warnings.once('another thing');
  expect(said.slice(20)).toEqual(['the set-up', 'another thing']);
});

test('policies that share a logger share what was said; others do not', () => {
  const said: string[] = [];
  const logger = { warn: (message: string) => said.push(message) };
  Warnings.of(logger).once('the set-up');
  Warnings.of(logger).once('the set-up');
  expect(said).toEqual(['the set-up']);
  Warnings.of({ ...logger }).once('the set-up');
  expect(said).toEqual(['the set-up', 'the set-up']);
});
