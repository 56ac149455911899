/**
 * Estimates the width of a string in the reader's font, which is unknown. The estimate follows the
 * widest fonts in common use, so that nothing overflows in a narrower one.
 */
import { graphemes, isWide } from '../glyphs.js';

/** A font and its size. */
export interface Face {
  readonly family: 'mono' | 'sans';
  readonly size: number;
}

/** Returns the width of a string in pixels. */
export function widthOf(text: string, { family, size }: Face): number {
  const ems = graphemes(text).reduce((sum, grapheme) => sum + emsOf(grapheme, family), 0);
  return Math.ceil(ems * size);
}

function emsOf(grapheme: string, family: Face['family']): number {
  if (isWide(grapheme)) return /\p{Emoji_Presentation}/u.test(grapheme) ? 1.3 : 1.03;
  if (!/^[\u0020-\u024f\u2010-\u2027\u2190-\u2199]/u.test(grapheme)) return 0.8;
  return family === 'mono' ? 0.615 : sansEms(grapheme);
}

function sansEms(letter: string): number {
  if (/[ijl.,:;|!'’·()[\]]/.test(letter)) return 0.39;
  if (/[\sfrt"/-]/.test(letter)) return 0.43;
  if (/[mwMW@%…→←]/.test(letter)) return 1;
  return /[A-Z&_=+<>~#]/.test(letter) ? 0.8 : 0.645;
}

/** The space for a string. */
export interface Room {
  readonly face: Face;
  readonly width: number;
  readonly lines: number;
}

/** Breaks a string into lines that fit. The last line ends with `…` if something is left out. */
export function fitText(text: string, { face, width, lines: most }: Room): string[] {
  const lines: string[] = [];
  let rest = graphemes(text);
  while (rest.length > 0 && lines.length < most) {
    const count = howMany(rest, face, width);
    const whole = count >= rest.length;
    const end = whole ? count : breakBefore(rest, count);
    const cut = !whole && lines.length === most - 1;
    lines.push(cut ? `${rest.slice(0, Math.max(1, count - 2)).join('')}…` : line(rest, end));
    rest = rest.slice(end);
    while (rest[0] === ' ') rest = rest.slice(1);
  }
  return lines;
}

function line(letters: readonly string[], end: number): string {
  return letters.slice(0, end).join('').trimEnd();
}

/** Returns the number of letters that fit, at least 1. */
function howMany(letters: readonly string[], face: Face, width: number): number {
  let ems = 0;
  const over = letters.findIndex((letter) => {
    ems += emsOf(letter, face.family);
    return ems * face.size > width;
  });
  return over === -1 ? letters.length : Math.max(1, over);
}

/** Returns the end of a line of at most `most` letters. Breaks between words, or inside a name. */
function breakBefore(letters: readonly string[], most: number): number {
  for (const joint of [/\s/, /[_\-.,:/]/]) {
    for (let end = most; end > most / 2; end -= 1) {
      if (joint.test(letters[end - 1] ?? '') || letters[end] === ' ') return end;
    }
  }
  return most;
}
