/**
 * Two copies of the package in one process: one has the tool, the other one makes the call. The
 * page of `mcp-resolve dev` and hosts with two builds call tools so.
 */
import { confirm, defineTool, memoryStore, resolver } from 'mcp-resolve';
import { approval, approvalDesk } from 'mcp-resolve/approvals';
import { expect, test, vi } from 'vitest';

vi.resetModules();
const { accept, run, undecided } = await import('mcp-resolve/testing');

test('a call that waits at a desk of the other copy says so in its `_meta`', async () => {
  const pair = resolver({}, () => approval('Pay?', { facts: {}, by: 'all', requester: 'ann' }), {
    asks: 'approval',
  });
  const config = { resolve: { pair }, approvals: approvalDesk({ store: memoryStore() }) };
  const pay = defineTool('pay', config, () => 'Paid.');

  const { result } = await run(pay, {}, { answers: { pair: undecided() } });
  expect(result?._meta).toMatchObject({ 'mcp-resolve/approvals': { state: 'pending' } });
});

test('a call whose `once` fails in the other copy says so in its `_meta`', async () => {
  const sure = resolver({}, () => confirm('Pay?'), { asks: 'form' });
  const fail = () => Promise.reject(new Error('no connection'));
  const store = { get: fail, put: fail };
  const pay = defineTool('pay', { resolve: { sure }, once: store }, () => 'Paid.');

  const { result } = await run(pay, {}, { answers: { sure: accept({ confirm: true }) } });
  expect(result?._meta).toMatchObject({ 'mcp-resolve/once': 'store_unavailable' });
});
