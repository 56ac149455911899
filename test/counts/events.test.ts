/**
 * What nobody listens to costs nothing. Every resolver's event says how long it took, and every
 * call's end, too: so where events are made, a clock is read, and where none is read, none is
 * made.
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
const sure = resolver({ price, rate }, (values) => confirm(`${values.price * values.rate}?`));
const gift = resolver({ sure }, () => confirm('As a gift?'));
const pay = defineTool('pay', { resolve: { price, sure, gift: outcome(gift) } }, () => 'paid');

/** Calls a tool that runs, restores, asks, and is told yes and no; counts looks at the clock. */
async function looksAtClock(era: Era, options: InstallOptions = {}): Promise<number> {
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
  it('no event is made where nobody listens', async () => {
    expect(await looksAtClock(era)).toBe(0);
  });

  // So that the test above can fail.
  it('for every listener the clock is read, and that is seen', async () => {
    const events: CallEvent[] = [];
    const looks = await looksAtClock(era, { onEvent: (event) => void events.push(event) });
    const types = new Set(events.map(({ type }) => type));
    const expected = ['started', 'ran', 'asked', 'answered', 'declined', 'completed'];
    expect(types).toEqual(new Set(era === 'modern' ? [...expected, 'restored'] : expected));
    const timed = events.filter((event) => 'durationMs' in event);
    expect(looks).toBe(2 * timed.length);
  });
});
