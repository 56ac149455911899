/**
 * The replies that each step of the Redis store accepts. The reply of another step is a failure,
 * because a proxy or a client that mixes up replies must not look like a successful claim.
 */
import { redisOnceStore } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';

const WORDS = ['unknown', 'claimed', 'running', 'lapsed', 'done', 'yes', 'no', 'full'];
const RUNNING = { state: 'running' };
const LAPSED = { state: 'lapsed' };
const DONE = { state: 'done' };

type Step = (store: OnceStore) => Promise<unknown>;

const lease = { owner: 'owner', leaseMs: 1000, ttlMs: 1000 };
const read: Step = (store) => store.read('call');
const claim: Step = (store) => store.claim('call', lease);
const renew: Step = (store) => store.renew('call', lease);
const finish: Step = (store) => store.finish('call', { owner: 'owner', result: 'x', ttlMs: 1000 });

const quiet = { warn: () => undefined };

/** A store whose Redis replies to every script with one word. */
const replying = (word: string): OnceStore =>
  redisOnceStore(([name]) => Promise.resolve(name === 'INFO' ? '' : [word]), { logger: quiet });

describe.each<[string, Step, Record<string, unknown>]>([
  ['read', read, { unknown: undefined, running: RUNNING, lapsed: LAPSED, done: DONE }],
  ['claim', claim, { claimed: undefined, running: RUNNING, lapsed: LAPSED, done: DONE }],
  ['renew', renew, { yes: true, no: false }],
  ['finish', finish, { yes: true, no: false }],
])('%s()', (_, step, accepted) => {
  test.each(Object.entries(accepted))('accepts the reply %s', async (word, value) => {
    expect(await step(replying(word))).toEqual(value);
  });

  test.each(WORDS.filter((word) => !(word in accepted)))('fails on the reply %s', async (word) => {
    await expect(step(replying(word))).rejects.toThrow(
      `Redis or its client returned an unexpected reply: ${word}`,
    );
  });
});
