/** Tests the store of the page about Cloudflare in workerd. */
import { accept, decline } from 'mcp-resolve/client';
import { memoryStore } from 'mcp-resolve/store';
import { storeContract } from 'mcp-resolve/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { begin, finish } from './calls.js';
import { makeProject } from './consumer.js';
import { startWorkers, type Workers } from './workerd.js';

const yes = { approved: accept({ confirm: true }) };
const no = { approved: decline() };

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
    const check = new URL('check', workers.first);
    check.searchParams.set('name', name);
    expect(await (await fetch(check)).text()).toBe('passed');
  });
});

describe('a call that two workers can run', () => {
  it('runs once if its approval is sent again to the other worker', async () => {
    const call = await begin(workers.first, { name: 'pay', arguments: {} });
    const paid = await finish(workers.second, call, yes);
    expect(paid).toMatch(/^Paid as /);
    expect(await finish(workers.first, call, yes)).toBe(paid);
    expect(await finish(workers.second, call, no)).toBe(paid);
  });

  it('runs once if its approval is sent to both workers at the same time', async () => {
    const call = await begin(workers.first, { name: 'pay', arguments: {} });
    const urls = Array.from({ length: 10 }, () => [workers.first, workers.second]).flat();
    const answers = await Promise.all(urls.map((url) => finish(url, call, yes)));
    const paid = await finish(workers.first, call, yes);
    expect(paid).toMatch(/^Paid as /);
    expect(answers).toContain(paid);
    expect(
      answers.filter((answer) => String(answer).startsWith('Paid') && answer !== paid),
    ).toEqual([]);
  });
});
