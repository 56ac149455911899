/** What the tools for developers say about approvals: `explain`, `check` and the timeline. */
import { defineTool, resolver } from 'mcp-resolve';
import { explain } from 'mcp-resolve/graph';
import { approvedBy, run, timeline } from 'mcp-resolve/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { findingsIn } from '../../src/dev/cli/rules.js';
import { approval } from 'mcp-resolve/approvals';
import { INVOICE, payTool, secondPair } from './bank.js';
import { testDesk } from './callers.js';

const { desk } = testDesk();
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
