/**
 * A call whose store is another one in a later round. If only one process can see the stores, the
 * later one cannot know if the call has run, so the call is refused.
 */
import { memoryStore } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { describe, expect, test } from 'vitest';

import { expectFrozen, tokenOf } from '../../sealing/desk.js';
import type { Factory } from '../../support/servers.js';
import {
  answerOf,
  bank,
  ownSeal,
  PAID,
  payTool,
  recordSteps,
  roundsAt,
  sharedSeal,
  yes,
} from './support.js';

/** Serves `pay` with a store that is chosen for each request. */
function paying(storeOf: () => RecordStore, isShared = false) {
  const warnings: string[] = [];
  const rejected: string[] = [];
  const logger = { warn: (line: string) => void warnings.push(line) };
  const runs: string[] = [];
  const settings = {
    logger,
    onReject: ({ reason }: { reason: string }) => void rejected.push(reason),
  };
  const seal = isShared ? sharedSeal(settings) : ownSeal(settings);
  const build: Factory = (context) => {
    const { tool } = payTool(storeOf(), () => {
      runs.push('body');
      return PAID.text;
    });
    return bank([tool], { seal })(context);
  };
  return { rounds: roundsAt(build, 'pay'), runs, warnings, rejected };
}

describe('a call that comes back to another store', () => {
  test('is refused in its second round, and the log says what to do', async () => {
    const { rounds, runs, warnings, rejected } = paying(() => memoryStore());
    const token = tokenOf(await rounds());
    expectFrozen(await rounds({ token, answers: { approved: yes } }));
    expectFrozen(await rounds({ token }));
    expect(runs).toEqual([]);
    expect(rejected).toEqual(['another store', 'another store']);
    expect(warnings).toEqual(
      Array.from(
        { length: 2 },
        () =>
          "requestState rejected on tools/call: another store (Error: The call began with another store for `once` of 'pay', which only its process could see. Create the store and the tool once, at module level, not in the function that creates a server. A call from before a restart ends in the same way.)",
      ),
    );
  });

  test('is refused after it has run, without a look into the new store', async () => {
    const first = memoryStore();
    const second = recordSteps();
    let store: RecordStore = first;
    const { rounds, runs } = paying(() => store);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual(PAID);
    store = second.store;
    expectFrozen(await rounds(last));
    expect(second.taken).toEqual([]);
    expect(runs).toEqual(['body']);
    store = first;
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(runs).toEqual(['body']);
  });

  test('is refused with shared keys too, because singleProcess does not keep records', async () => {
    const { rounds, runs } = paying(() => memoryStore({ singleProcess: true }), true);
    expectFrozen(await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } }));
    expect(runs).toEqual([]);
  });

  test.each([
    ['from memory to a shared store', [memoryStore(), sharedStore()]],
    ['from a shared store to memory', [sharedStore(), memoryStore()]],
  ])('%s is refused', async (_, stores) => {
    const left = [...stores];
    const { rounds, runs } = paying(() => left.shift() ?? memoryStore());
    expectFrozen(await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } }));
    expect(runs).toEqual([]);
  });
});

describe('a call completes if its tool is created for each request', () => {
  test('with the same store', async () => {
    const store = memoryStore();
    const { rounds, runs, rejected } = paying(() => store);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(runs).toEqual(['body']);
    expect(rejected).toEqual([]);
  });

  test('with other objects for one store that processes share', async () => {
    const memory = memoryStore();
    const { rounds, runs } = paying(() => sharedStore(memory), true);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(runs).toEqual(['body']);
  });
});

/** Returns a store without an id, as one that several processes share. */
function sharedStore(memory: RecordStore = memoryStore()): RecordStore {
  return {
    get: (key) => memory.get(key),
    put: (key, value, how) => memory.put(key, value, how),
  };
}
