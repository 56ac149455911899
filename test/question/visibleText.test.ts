/** Questions show the invisible characters of an argument, because the model chose the argument. */
import { argsOf, confirm, defineTool, elicitUrl, resolver } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { visibleText } from '../../src/visibleText.js';
import { eras } from '../support/eras.js';

const tags = (letters: string): string =>
  Array.from(letters, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
const flagOf = (region: string): string => `\u{1F3F4}${tags(region)}\u{E007F}`;
const hexOf = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

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
    ['an empty Braille pattern', 'a\u2800b', String.raw`a\u{2800}b`],
    ['a note without a head', '\u{1D159}', String.raw`\u{1D159}`],
    ['a blank hieroglyph', '\u{13441}', String.raw`\u{13441}`],
    ['a joiner of hieroglyphs', '\u{13000}\u{13430}', '\u{13000}' + String.raw`\u{13430}`],
    ['a Khitan filler', '\u{16FE4}', String.raw`\u{16FE4}`],
    ['a Brahmi number joiner', '\u{1107F}', String.raw`\u{1107F}`],
    ['a selector of Duployan letters', '\u{1BC9D}', String.raw`\u{1BC9D}`],
    ['the place of an object', 'a\uFFFCb', String.raw`a\u{FFFC}b`],
    ['a noncharacter', 'a\uFFFFb', String.raw`a\u{FFFF}b`],
    ['a variant of a Japanese character', '葛\u{E0100}', '葛' + String.raw`\u{E0100}`],
    ['a joiner of Tifinagh after a Latin letter', 'a\u2D7Fⴰ', String.raw`a\u{2D7F}ⴰ`],
    ['an Arabic letter mark', 'م\u061Cم', 'م' + String.raw`\u{061C}` + 'م'],
  ])('shows %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test.each([
    ['plain text with a line break and a tab', 'Pay 5 €?\n\tYes — déjà vu 日本'],
    ['emoji that are joined or have a variant', '👨‍👩‍👧 ❤️ 1️⃣ 👍🏽'],
    ['a Windows line break', 'a\r\nb'],
    ['the flag of England', flagOf('gbeng')],
    ['the flag of Scotland', flagOf('gbsct')],
    ['the flag of Wales, twice', `${flagOf('gbwls')}${flagOf('gbwls')}`],
    ['a pirate flag', '🏴‍☠️'],
    ['Persian with a non-joiner', 'می‌خواهم'],
    ['Hindi with a joiner', 'क्‍ष'],
    ['Mongolian with a variant', 'ᠭ᠋ᠠ'],
    ['Mongolian with a vowel separator', 'ᠨᠠ\u180Eᠠ'],
    ["N'Ko with a joiner", 'ߒ\u200Dߞ'],
    ['Adlam with a non-joiner', '𞤀\u200C𞤁'],
    ['Tifinagh with a joiner', 'ⴰ\u2D7Fⴱ'],
    ['a private-use character and a lone surrogate', '\uE000\uD800'],
  ])('leaves %s', (_, text) => {
    expect(visibleText(text)).toBe(text);
  });

  // Repeated invisible characters could carry a text of their own.
  test.each([
    ['a flag with letters', '🏴', tags('paybobinsteadofthenameonthisok'), ''],
    ['a flag that no font draws', '🏴', `${tags('ustx')}\u{E007F}`, ''],
    ['the flag of Scotland without its end', '🏴', tags('gbsct'), ''],
    ['the flag of Scotland with two ends', flagOf('gbsct'), '\u{E007F}', ''],
    ['a flag before a joiner', flagOf('gbsct'), '\u200D', '👩'],
    ['joiners between Arabic letters', 'م', '\u200D'.repeat(20), 'م'],
    ['a joiner and a non-joiner', 'م', '\u200C\u200D', 'م'],
    ['joiners after a Hindi virama', 'क्', '\u200D\u200D', 'ष'],
    ['joiners between emoji', '👨', '\u200D\u200D', '👩'],
    ['a joiner before a tag', '👨', '\u200D\u{E0061}', '👩'],
    ['a second selector of an emoji', '❤\uFE0F', '\uFE0F\uFE0E', ''],
    ['two selectors of a digit', '1', '\uFE0F\uFE0F', '\u20E3'],
    ['selectors after a Mongolian letter', 'ᠭ\u180B', '\u180C\u180B\u180D\u180F', ''],
    ['a joiner after a Mongolian selector', 'ᠭ\u180B', '\u200D', 'ᠭ'],
    ['joiners of Tifinagh', 'ⴰ', '\u2D7F\u2D7F', 'ⴱ'],
    ['a joiner after an Arabic letter mark', 'م', '\u061C\u200D', 'م'],
    ['a joiner before an invisible Khmer vowel', 'ក', '\u200D\u17B4', 'ក'],
    ['a joiner after a shown character', 'मा', '\uFE0F\u200D', 'म'],
  ])('shows %s', (_, before, hidden, after) => {
    const codes = Array.from(hidden, (one) => `\\u{${hexOf(one)}}`).join('');
    expect(visibleText(`${before}${hidden}${after}`)).toBe(`${before}${codes}${after}`);
  });

  test('returns at most a number of characters, and cuts between them', () => {
    expect(visibleText('abc', 3)).toBe('abc');
    expect(visibleText('abcd', 3)).toBe('abc…');
    expect(visibleText('ab👍', 3)).toBe('ab…');
    expect(visibleText('a\u202Eb', 4)).toBe('a…');
  });
});

describe.each(eras)('on the %s era', (era) => {
  const Input = z.object({ to: z.string() });
  const { to } = argsOf(Input);

  test.each([
    ['a form', resolver({ to }, ({ to }) => confirm(`Pay ${to}?`), { asks: 'form' })],
    [
      'a link',
      resolver({ to }, ({ to }) => elicitUrl(`Pay ${to}?`, 'https://bank.example/pay'), {
        asks: 'url',
      }),
    ],
  ])('%s shows the invisible characters of an argument', async (_, ok) => {
    const tool = defineTool('pay', { inputSchema: Input, resolve: { ok } }, ({ to }) => to);
    const answers = { ok: accept({ confirm: true }) };
    const { questions, text } = await run(tool, { to: 'ann\u202E' }, { era, answers });

    expect(questions.map(({ message }) => message)).toEqual([String.raw`Pay ann\u{202E}?`]);
    // The body gets the argument itself.
    expect(text).toBe('ann\u202E');
  });
});
