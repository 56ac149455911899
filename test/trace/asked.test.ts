/** Tests that a question emits `asked` when it goes out, and not before. */
import { confirm, defineTool, resolver, ToolError } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';

describe.each(eras)('on the %s era', (era) => {
  const a = resolver({}, () => confirm('A?'), { asks: 'form' });
  const b = resolver({}, () => confirm('B?'), { asks: 'form' });
  const both = defineTool('both', { resolve: { a, b } }, () => 'done');

  test('a question that the client cannot answer emits no `asked`', async () => {
    const { events } = await run(both, {}, { era, capabilities: {} });

    expect(events.map(({ type }) => type)).toEqual(['started', 'ran', 'ran', 'completed']);
  });

  test('an open question emits no `asked` if another resolver throws', async () => {
    const fails = resolver({}, () => {
      throw new ToolError('no');
    });
    const tool = defineTool('t', { resolve: { a, fails } }, () => 'done');
    const { events } = await run(tool, {}, { era });

    expect(events.map(({ type }) => type)).toEqual(['started', 'ran', 'ran', 'completed']);
  });

  test('questions emit `asked` when they go out, together or one by one', async () => {
    const { events } = await run(both, {}, { era, answers: () => accept({ confirm: true }) });
    const steps = events.flatMap((event) =>
      event.type === 'asked' || event.type === 'answered'
        ? [`${event.type} ${event.resolver}`]
        : [],
    );

    expect(steps).toEqual(
      era === 'modern'
        ? ['asked a', 'asked b', 'answered a', 'answered b']
        : ['asked a', 'answered a', 'asked b', 'answered b'],
    );
  });
});
