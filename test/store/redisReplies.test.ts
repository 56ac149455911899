/**
 * The replies that each step of the Redis store accepts. The reply to another command is a failure,
 * because a proxy or a client that mixes up replies must not look like a successful write.
 */
import { redisStore } from 'mcp-resolve/store';
import { describe, expect, test } from 'vitest';

const logger = { warn: () => undefined };
const UNEXPECTED = 'Redis or its client returned an unexpected reply: ';

type Reply = (id: string) => unknown;

/** Replies to a command, given the id that the script repeats. */
const storeThat = (reply: Reply) =>
  redisStore(([name, , , , , , id = '']) => Promise.resolve(name === 'INFO' ? '' : reply(id)), {
    logger,
  });

const put = (reply: Reply) => storeThat(reply).put('key', 'value', { was: undefined, ttlMs: 1 });
const get = (reply: Reply) => storeThat(reply).get('key');

const bytes = (text: string) => new TextEncoder().encode(text);

describe('put()', () => {
  test.each<[string, Reply, boolean]>([
    ['written', (id) => `written ${id}`, true],
    ['refused', (id) => `refused ${id}`, false],
    ['bytes', (id) => bytes(`written ${id}`), true],
  ])('accepts the reply of its script: %s', async (_, reply, answer) => {
    expect(await put(reply)).toBe(answer);
  });

  test.each<[string, Reply, string]>([
    ['of another put', () => 'written 2s5mBWm1l0nFhHq0hC2f1w', 'written'],
    ['without an id', () => 'written', 'written'],
    ['with an unknown word', (id) => `ok ${id}`, 'ok'],
    ['of a SET', () => 'OK', 'OK'],
    ['of a command in a transaction', () => 'QUEUED', 'QUEUED'],
    ['of a missing key', () => null, 'object'],
    ['that is a number', () => 1, 'number'],
    ['that is true', () => true, 'boolean'],
    ['that is an array', (id) => [`written ${id}`], 'object'],
    ['that is missing', () => undefined, 'undefined'],
  ])('fails on a reply %s', async (_, reply, shown) => {
    await expect(put(reply)).rejects.toThrow(new Error(UNEXPECTED + shown));
  });
});

describe('get()', () => {
  test('accepts a string, bytes and nil', async () => {
    expect(await get(() => 'value')).toBe('value');
    expect(await get(() => bytes('\ufeffvalue'))).toBe('\ufeffvalue');
    expect(await get(() => null)).toBeUndefined();
  });

  test.each([undefined, 0, 1, true, false, ['value'], { value: 'value' }])(
    'fails on the reply %j',
    async (reply) => {
      await expect(get(() => reply)).rejects.toThrow(new Error(UNEXPECTED + typeof reply));
    },
  );
});
