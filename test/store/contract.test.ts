/**
 * The contract of stores finds faults: a store with one fault fails the check for it, with a
 * message that says what the store did.
 */
import { memoryStore } from 'mcp-resolve/store';
import { storeContract } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import { FAULTS } from './faultyStores.js';

describe.concurrent('the contract finds a store that', () => {
  test.each(Object.entries(FAULTS))('%s', async (_, { fault, check, sentence }) => {
    const found = storeContract(() => fault(memoryStore())).find(({ name }) => name === check);
    await expect(found?.run()).rejects.toThrow(sentence);
  });
});

test('the contract accepts a store without a fault', async () => {
  await Promise.all(storeContract(() => memoryStore()).map(({ run }) => run()));
});
