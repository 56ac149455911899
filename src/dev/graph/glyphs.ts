/**
 * Makes an author's strings safe to show and estimates their width. Replaces characters that
 * control a terminal or break a document. The estimate is on the wide side, because fonts differ
 * and nothing may overflow.
 */

/** Control characters, lone surrogates and characters that XML does not allow. */
const UNSHOWABLE =
  /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns a string on one line, with unsafe characters replaced. */
export function showable(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(UNSHOWABLE, '\ufffd');
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Splits a string into graphemes, the characters that a reader sees. */
export function graphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** East Asian wide characters, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Returns true if a character takes two columns in a terminal. */
export function isWide(grapheme: string): boolean {
  return WIDE.test(grapheme);
}

/** Returns the number of columns that a string takes in a terminal. */
export function columnsOf(text: string): number {
  return graphemes(text).reduce((sum, grapheme) => sum + (isWide(grapheme) ? 2 : 1), 0);
}
