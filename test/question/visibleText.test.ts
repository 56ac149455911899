/** Questions show the invisible characters of an argument, because the model chose the argument. */
import { argsOf, confirm, defineTool, elicitUrl, resolver } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { visibleText } from '../../src/question/visibleText.js';
import { eras } from '../support/eras.js';

describe('visibleText()', () => {
  test.each([
    ['a bidirectional override', 'pay \u202E001', String.raw`pay \u{202E}001`],
    ['an isolate', 'a\u2066b', String.raw`a\u{2066}b`],
    ['a zero-width space', 'ann\u200B', String.raw`ann\u{200B}`],
    ['a joiner between Latin letters', 'a\u200Db', String.raw`a\u{200D}b`],
    ['a variation selector after a letter', 'a\uFE0Fb', String.raw`a\u{FE0F}b`],
    ['a byte order mark', '\uFEFFa', String.raw`\u{FEFF}a`],
    ['a tag character', '\u{E0041}', String.raw`\u{E0041}`],
    ['a carriage return', 'a\rb', String.raw`a\u{000D}b`],
    ['a null character', 'a\0b', String.raw`a\u{0000}b`],
    ['an escape sequence', '\u001B[31m', String.raw`\u{001B}[31m`],
    ['a line separator', 'a\u2028b', String.raw`a\u{2028}b`],
    ['a variation selector between digits', '1\uFE0F2', String.raw`1\u{FE0F}2`],
    ['a non-joiner after a Latin accent', 'e\u0301\u200Cx', 'e\u0301' + String.raw`\u{200C}x`],
    ['a joiner between an emoji and a letter', '👍\u200Da', '👍' + String.raw`\u{200D}a`],
    ['an annotation', 'a\uFFF9b', String.raw`a\u{FFF9}b`],
    ['a Hangul filler', '\u3164', String.raw`\u{3164}`],
  ])('shows %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test.each([
    ['plain text with a line break and a tab', 'Pay 5 €?\n\tYes — déjà vu 日本'],
    ['emoji that are joined or have a variant', '👨‍👩‍👧 ❤️ 1️⃣ 👍🏽'],
    ['a Windows line break', 'a\r\nb'],
    ['the flag of a region', '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
    ['a variant of a Japanese character', '葛\u{E0100}'],
    ['Persian with a non-joiner', 'می‌خواهم'],
    ['Hindi with a joiner', 'क्‍ष'],
  ])('leaves %s', (_, text) => {
    expect(visibleText(text)).toBe(text);
  });
});

describe.each(eras)('on the %s era', (era) => {
  const Input = z.object({ to: z.string() });
  const { to } = argsOf(Input);

  test.each([
    ['a form', resolver({ to }, ({ to }) => confirm(`Pay ${to}?`))],
    ['a link', resolver({ to }, ({ to }) => elicitUrl(`Pay ${to}?`, 'https://bank.example/pay'))],
  ])('%s shows the invisible characters of an argument', async (_, ok) => {
    const tool = defineTool('pay', { inputSchema: Input, resolve: { ok } }, ({ to }) => to);
    const answers = { ok: accept({ confirm: true }) };
    const { questions, text } = await run(tool, { to: 'ann\u202E' }, { era, answers });

    expect(questions.map(({ message }) => message)).toEqual([String.raw`Pay ann\u{202E}?`]);
    // The body gets the argument itself.
    expect(text).toBe('ann\u202E');
  });
});
