/** The secrets of the environment variable, which servers without a seal of their own use. */
import { afterEach, describe, expect, test, vi } from 'vitest';

import { keysOfEnvironment, readKeys } from '../../src/state/keyRing.js';

const ONE = 'M3rzZcEoCnwHqgyvVZCpQ9sKDkX0vK1Fh2bXbBqv7yE';
const TWO = 'vZ3o0cq0rTg4m7rE8bQyqZ5hQnJ6m1oXJX2mHk9pA-w';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('MCP_RESOLVE_KEYS', () => {
  test('may be missing', () => {
    vi.stubEnv('MCP_RESOLVE_KEYS', undefined);
    expect(keysOfEnvironment()).toBeUndefined();
  });

  test('has keys between commas, with spaces and newlines around them', () => {
    vi.stubEnv('MCP_RESOLVE_KEYS', ` ${ONE} ,${TWO}\n`);
    expect(keysOfEnvironment()).toEqual(readKeys([ONE, TWO]));
  });

  test('has the number of a wrong key in the error', () => {
    vi.stubEnv('MCP_RESOLVE_KEYS', `${ONE},short`);
    expect(keysOfEnvironment).toThrow(
      'MCP_RESOLVE_KEYS: key 2 must have at least 32 bytes, got 5.',
    );
  });

  test('has each key once', () => {
    vi.stubEnv('MCP_RESOLVE_KEYS', `${TWO},${ONE},${TWO}`);
    expect(keysOfEnvironment).toThrow(
      new TypeError('MCP_RESOLVE_KEYS: key 3 duplicates an earlier key.'),
    );
  });
});

describe('keys that are wrong only together', () => {
  const [first, last] = [`"${ONE}`, `${TWO}"`];

  test('are not looked for if one of them is bytes', () => {
    const bytes = Buffer.from('0123456789abcdef0123456789abcdef');
    expect(readKeys([first, bytes, last])).toHaveLength(3);
  });

  test('are joined as they were, with the commas', () => {
    expect(() => readKeys([first, last])).toThrow('`keys` as a whole is in quotes');
    // Without the comma, this would be one name in percent signs.
    expect(
      readKeys(['%REQUEST_STATE_KEY-production-one-two', 'KEY_OF_TWO_and-more-text-behind-it%']),
    ).toHaveLength(2);
  });
});
