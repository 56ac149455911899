/** What the tools for developers say about approvals: `explain`, `check` and the timeline. */
import { defineTool, resolver } from 'mcp-resolve';
import { explain } from 'mcp-resolve/graph';
import { approvedBy, run, timeline } from 'mcp-resolve/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { findingsIn } from '../../src/dev/cli/rules.js';
import { approval, approvalDesk } from 'mcp-resolve/approvals';
import { INVOICE, payTool, secondPair } from './bank.js';
import { testDesk } from './callers.js';

const { desk, store } = testDesk();
const pay = payTool([], { approvals: desk });

describe('explain', () => {
  it('shows the approval, without a round or a capability of the client', () => {
    const explained = explain(pay);
    expect(explained).toMatchObject({
      resolvers: [{ key: 'secondPair', asks: { kind: 'approval', declared: true } }],
      capabilities: [],
      atMostRounds: 1,
      chain: [],
    });
    for (const format of ['text', 'svg', 'mermaid'] as const)
      expect(explain(pay, { format })).toContain('asks for approval');
  });
});

describe('explain of a tool whose desk has `tasks: true`', () => {
  const polled = approvalDesk({ store, tasks: true });

  it('says what a client gets that declares tasks', () => {
    const tool = payTool([], { approvals: polled, once: store });
    expect(explain(tool).tasks).toBe(true);
    expect(explain(tool, { format: 'text' })).toBe(`tool pay  once

filled by the model
  invoice  string
  cents    number

filled by resolvers
  secondPair (invoice, cents)  asks for approval

rounds  1: no questions
client  needs nothing
tasks   a client that declares io.modelcontextprotocol/tasks gets a handle to poll; others call again`);
  });

  it('says nothing if no call waits, or if the desk gives no handles', () => {
    const silent = defineTool('pay', { approvals: polled, once: store }, () => 'Paid.');
    for (const tool of [silent, payTool([], { approvals: desk })]) {
      expect(explain(tool)).not.toHaveProperty('tasks');
      expect(explain(tool, { format: 'text' })).not.toContain('tasks');
    }
  });
});

describe('check', () => {
  const asking = (options: object) => {
    const price = resolver({}, () => 4900, options);
    const pair = resolver(
      { price },
      ({ price: cents }) =>
        approval('Pay', { facts: { cents: `${cents}` }, by: 'acme/treasury', requester: 'ann' }),
      { asks: 'approval' },
    );
    return defineTool('settle', { resolve: { pair }, approvals: desk }, () => 'Paid.');
  };

  it('takes an approval for a question to a person', () => {
    expect(findingsIn(pay).map(({ code }) => code)).not.toContain('no-question');
  });

  it('hints at a desk at which no call waits', () => {
    const forgotten = resolver({}, () => 4900);
    const tool = defineTool('settle', { resolve: { forgotten }, approvals: desk }, () => 'Paid.');
    expect(findingsIn(tool)).toEqual([
      {
        level: 'hint',
        code: 'unused-desk',
        definition: 'settle',
        message:
          "the tool has `approvals`, but no resolver declares that it asks for approval, so no call waits. Add { asks: 'approval' } to the resolver that asks, or remove `approvals`.",
      },
    ]);
    expect(findingsIn(pay).map(({ code }) => code)).not.toContain('unused-desk');
  });

  it('hints at an approval of a value that is not pinned', () => {
    expect(findingsIn(asking({ name: 'price' }))).toEqual([
      {
        level: 'hint',
        code: 'unpinned-approval',
        definition: 'settle',
        message:
          "'pair' asks to approve what 'price' returns, which is computed again in each call. If it changes, the approval is lost. Add `pin`.",
      },
    ]);
    expect(findingsIn(asking({ name: 'price', pin: z.number() }))).toEqual([]);
    expect(findingsIn(asking({ name: 'user' }))).toEqual([]);
  });
});

describe('the timeline', () => {
  it('shows that a call waits, and who has answered', async () => {
    const tool = payTool([], { approvals: desk, resolve: { secondPair: secondPair() } });
    const answers = { secondPair: approvedBy('bob') };
    const { events } = await run(tool, INVOICE as never, { answers });
    const drawn = timeline(events);
    expect(drawn).toContain('asks for approval: Pay a supplier');
    expect(drawn).toContain('answered by an approver, in an earlier round');
  });
});
