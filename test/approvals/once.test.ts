/** Tools with both `approvals` and `once`, which may have one store. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from 'mcp-resolve';

import { eras } from '../support/eras.js';
import { clientOf, idOf, INVOICE, payTool, waitingOf } from './bank.js';
import { testDesk, yes } from './callers.js';

describe.each(eras)('a tool with once on %s', (era) => {
  it('runs its approved call, and says afterwards that the approval is used', async () => {
    const store = memoryStore({ singleProcess: true });
    const { desk } = testDesk({ store });
    const paid: unknown[] = [];
    const client = await clientOf(era, payTool(paid, { approvals: desk, once: store }));
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toHaveLength(1);
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({ state: 'used' });
  });
});
