/**
 * Tests that a server without a listener creates no events. The event of a resolver and the end of
 * a call contain a duration, so creating them reads the clock. The tests count those reads.
 */
import { confirm, defineTool, outcome, resolver } from 'mcp-resolve';
import type { CallEvent, InstallOptions } from 'mcp-resolve';
import { accept, decline, type Era } from 'mcp-resolve/testing';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';

const price = resolver({}, () => 100, { pin: z.number() });
const rate = resolver({}, () => Promise.resolve(2));
const sure = resolver({ price, rate }, (values) => confirm(`${values.price * values.rate}?`), {
  asks: 'form',
});
const gift = resolver({ sure }, () => confirm('As a gift?'), { asks: 'form' });
const pay = defineTool('pay', { resolve: { price, sure, gift: outcome(gift) } }, () => 'paid');

/** Calls a tool that emits every type of event, and counts how often the clock is read. */
async function countClockReads(era: Era, options: InstallOptions = {}): Promise<number> {
  const answers = [accept({ confirm: true }), decline()];
  const { text } = await connectClient(era, serving([pay], options), { elicit: answers });
  const clock = vi.spyOn(performance, 'now');
  try {
    expect(await text('pay')).toBe('paid');
    return clock.mock.calls.length;
  } finally {
    clock.mockRestore();
  }
}

describe.each(eras)('on the %s era', (era) => {
  it('a call without a listener reads no clock', async () => {
    expect(await countClockReads(era)).toBe(0);
  });

  // Proves that the test above can fail.
  it('a call with a listener reads the clock for each event and twice for each duration', async () => {
    const events: CallEvent[] = [];
    const reads = await countClockReads(era, { onEvent: (event) => void events.push(event) });
    const types = new Set(events.map(({ type }) => type));
    const expected = ['started', 'ran', 'asked', 'answered', 'declined', 'completed'];
    expect(types).toEqual(new Set(era === 'modern' ? [...expected, 'restored'] : expected));
    const timed = events.filter((event) => 'durationMs' in event);
    expect(reads).toBe(events.length + 2 * timed.length);
  });
});
