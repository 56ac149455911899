/** Resolvers that ask without `asks`, which the compiler cannot see in plain JavaScript. */
import { confirm, defineTool, elicitUrl, resolver, toolHandler } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { eras } from '../support/eras.js';

const answers = { approved: accept({ confirm: true }) };
const lineAbout = (tool: string, kind = 'form'): string =>
  `'${tool}': the resolver 'approved' asks, but does not declare it, so explain() shows it as computed. Add { asks: '${kind}' } to its options.`;

/** Collects log lines. */
function collect() {
  const lines: string[] = [];
  return { lines, warn: (line: string) => lines.push(line) };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('on the %s era', (era) => {
  test('the log says once for each resolver what to add', async () => {
    const approved = resolver({}, (): unknown => confirm('Sure?'));
    const one = defineTool('one', { resolve: { approved } }, () => 'one');
    const two = defineTool('two', { resolve: { approved } }, () => 'two');
    const logger = collect();
    const call = async (tool: typeof one): Promise<string> =>
      (await run(tool, {}, { era, answers, install: { logger } })).text;

    expect([await call(one), await call(one), await call(two)]).toEqual(['one', 'one', 'two']);
    expect(logger.lines.filter((line) => line.includes('declare'))).toEqual([lineAbout('one')]);
  });

  test('the log names a link, and a question with a fallback', async () => {
    const approved = resolver({}, (): unknown =>
      elicitUrl('Pay here.', 'https://shop.example/pay', { otherwise: true }),
    );
    const pay = defineTool('pay', { resolve: { approved } }, () => 'paid');
    const logger = collect();
    const { text } = await run(pay, {}, { era, capabilities: {}, install: { logger } });

    expect(text).toBe('paid');
    expect(logger.lines).toContain(lineAbout('pay', 'url'));
  });

  test('run() writes the line to standard error, and nothing for a declared question', async () => {
    const written = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const name = `test_${era}`;
    const silent = resolver({}, (): unknown => confirm('Sure?'));
    const declared = resolver({}, (): unknown => confirm('Sure?'), { asks: 'form' });
    for (const approved of [silent, declared]) {
      await run(
        defineTool(name, { resolve: { approved } }, () => 'done'),
        {},
        { era, answers },
      );
    }

    expect(written.mock.calls).toEqual([[`mcp-resolve: ${lineAbout(name)}`]]);
  });
});

test('a function of toolHandler() logs the line, too', async () => {
  const logger = collect();
  const approved = resolver({}, (): unknown => confirm('Sure?', { otherwise: false }));
  const tool = defineTool('handled', { resolve: { approved } }, () => 'done');
  await toolHandler(tool, { logger })({}, { mcpReq: { signal: new AbortController().signal } });

  expect(logger.lines).toContain(lineAbout('handled'));
});
