/** Tests the store of the page about Cloudflare in workerd. */
import { memoryStore } from 'mcp-resolve/store';
import { storeContract } from 'mcp-resolve/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeProject } from './consumer.js';
import { startWorkers, type Workers } from './workerd.js';

let workers: Workers;

beforeAll(async () => {
  await makeProject();
  workers = await startWorkers('peers/hosts/cloudflare/storeWorker.ts', {
    objects: ['RECORDS', 'StoredRecord'],
  });
});

afterAll(() => workers.stop());

describe('the store in Durable Objects', () => {
  it.each(storeContract(() => memoryStore()).map(({ name }) => name))('%s', async (name) => {
    const check = new URL(workers.first);
    check.searchParams.set('check', name);
    expect(await (await fetch(check)).text()).toBe('passed');
  });
});
