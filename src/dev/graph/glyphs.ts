/**
 * Text from an author, made fit to be shown: without what would steer a terminal or break a
 * document, and with an idea of how wide it comes out. The idea is on the wide side, because fonts
 * differ and nothing may overflow.
 */

/** Control characters, halves of characters and what XML does not have. */
const UNSHOWABLE =
  /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text on one line, in which everything can be shown. */
export function showable(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(UNSHOWABLE, '\ufffd');
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text as the characters that a reader sees. */
export function graphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** East Asian wide characters, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Whether a character takes two places in a terminal. */
export function isWide(grapheme: string): boolean {
  return WIDE.test(grapheme);
}

/** How many places a text takes in a terminal. */
export function columnsOf(text: string): number {
  return graphemes(text).reduce((sum, grapheme) => sum + (isWide(grapheme) ? 2 : 1), 0);
}
