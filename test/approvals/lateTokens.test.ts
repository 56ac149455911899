/** Tokens of a call that outlive its run, until the last one expires. */
import { confirm, requestStateSeal, resolver } from 'mcp-resolve';
import { approvalDesk } from 'mcp-resolve/approvals';
import { memoryStore } from 'mcp-resolve/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { questionsOf, textOf } from '../support/results.js';
import { clientOf, idOf, INVOICE, payTool, secondPair, waitingOf } from './bank.js';
import { HOUR, yes } from './callers.js';

const SURE = { sure: { action: 'accept', content: { confirm: true } } } as const;
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A payment that asks its caller, and a second pair of eyes. Its tokens live for two hours. */
async function payment({ withOnce }: { readonly withOnce: boolean }) {
  const store = memoryStore();
  const desk = approvalDesk({ store });
  const paid: { callId?: string }[] = [];
  const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
  const resolve = { sure, secondPair: secondPair() };
  const tool = payTool(paid, { approvals: desk, resolve, ...(withOnce && { once: store }) });
  const times = { ttlSeconds: 7200, maxFlowSeconds: 7200 };
  const seal = requestStateSeal.ephemeral({ principal: () => 'ann', ...times });
  const client = await clientOf('modern', tool, {
    seal,
    capabilities: { elicitation: { form: {} } },
  });
  const asked = questionsOf(await client.sendRound('pay', INVOICE));
  const answered = { requestState: asked.requestState, inputResponses: SURE };
  return { desk, paid, client, answered };
}

describe('a token of a call that has run (trap 17)', () => {
  it.each([true, false])(
    'never runs it again, as long as it lives (once: %s)',
    async (withOnce) => {
      const { desk, paid, client, answered } = await payment({ withOnce });
      const id = idOf((await client.sendRound('pay', INVOICE, answered)) as never);
      await desk.decide(id, yes('bob'));
      expect(textOf((await client.sendRound('pay', INVOICE, answered)) as never)).toBe('Paid.');
      const { expiresAt = 0 } = waitingOf((await client.sendRound('pay', INVOICE)) as never);
      expect(expiresAt - Date.now()).toBe(2 * HOUR + 10 * MINUTE);

      // Every minute until the token has expired.
      for (let minute = 1; minute < 120; minute += 1) {
        vi.setSystemTime(Date.now() + MINUTE);
        const replay = (await client.sendRound('pay', INVOICE, answered)) as never;
        if (withOnce) expect(textOf(replay)).toBe('Paid.');
        else expect(waitingOf(replay)).toMatchObject({ state: 'used' });
      }
      vi.setSystemTime(expiresAt - 1);
      const late = waitingOf((await client.sendRound('pay', INVOICE)) as never);
      expect(late).toMatchObject({ state: 'used' });
      await expect(client.sendRound('pay', INVOICE, answered)).rejects.toThrow(
        'Invalid or expired requestState',
      );
      vi.setSystemTime(expiresAt);
      await expect(client.sendRound('pay', INVOICE, answered)).rejects.toThrow(
        'Invalid or expired requestState',
      );
      expect(paid).toHaveLength(1);
    },
  );
});
