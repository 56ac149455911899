/**
 * Makes invisible characters visible in the text that a user reads. The arguments in a question
 * come from the model, which may have read them on a hostile page. A bidirectional override can
 * reverse the digits of an amount, and a zero-width character can make two account names look the
 * same.
 *
 * Tabs and line breaks stay, and so do joiners and variation selectors where scripts and emoji need
 * them.
 */

/** Joiners shape letters in these scripts, so they are part of a word there. */
const JOINING_SCRIPTS = [
  'Arabic',
  'Bengali',
  'Devanagari',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Khmer',
  'Malayalam',
  'Mongolian',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Syriac',
  'Tamil',
  'Telugu',
];

const LETTER = `[${JOINING_SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')}]`;

/** The joiners and variation selectors that belong to the characters around them. */
const NEEDED = [
  String.raw`(?<=${LETTER}\p{M}*)[\u200C\u200D](?=${LETTER})`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180D\u180F]`,
  // The flag of a region, such as Scotland.
  String.raw`(?<=\u{1F3F4}[\u{E0020}-\u{E007E}]*)[\u{E0020}-\u{E007F}]`,
].join('|');

const INVISIBLE = new RegExp(
  [
    String.raw`(?!${NEEDED})\p{Default_Ignorable_Code_Point}`,
    // Control characters, except tabs and line breaks. Line separators and annotations.
    String.raw`(?!\t|\n|\r\n)[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]`,
  ].join('|'),
  'gu',
);

/** Returns the text with every invisible character written as its code, such as `\u{202E}`. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, codeOf);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).toUpperCase().padStart(4, '0')}}`;
}
