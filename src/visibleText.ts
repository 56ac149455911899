/**
 * Makes invisible characters visible in the text that a user reads. The arguments in a question
 * come from the model, which may have read them on a hostile page. A bidirectional override can
 * reverse the digits of an amount, and a zero-width character can make two account names look the
 * same.
 *
 * Tabs and line breaks stay, and so do joiners and variation selectors where scripts and emoji need
 * them. One pass reads each character with its neighbours only, so that the work grows with the
 * length of a text.
 */

/** Joiners shape letters in these scripts, so they are part of a word there. */
const JOINING_SCRIPTS = [
  'Adlam',
  'Arabic',
  'Bengali',
  'Devanagari',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Khmer',
  'Malayalam',
  'Mandaic',
  'Mongolian',
  'Myanmar',
  'Nko',
  'Oriya',
  'Sinhala',
  'Syriac',
  'Tamil',
  'Telugu',
];

const INVISIBLE = `[${[
  String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}`,
  // Control characters, except tabs and line feeds. Line separators.
  String.raw`\0-\x08\v-\x1F\x7F-\x9F\u2028\u2029`,
  // Annotations, and the place of an embedded object.
  String.raw`\uFFF9-\uFFFC`,
  // An empty Braille pattern, a note without a head, blank hieroglyphs.
  String.raw`\u2800\u{1D159}\u{13441}\u{13442}`,
  // Joiners, fillers and selectors of Tifinagh, Brahmi, Egyptian, Khitan and Duployan.
  String.raw`\u2D7F\u{1107F}\u{13430}-\u{13440}\u{16FE4}\u{1BC9D}`,
].join('')}]`;

/** Returns a pattern for the visible characters of scripts. */
function lettersOf(...scripts: readonly string[]): string {
  const names = scripts.map((script) => String.raw`\p{Script=${script}}`);
  return `(?!${INVISIBLE})[${names.join('')}]`;
}

const LETTER = lettersOf(...JOINING_SCRIPTS);

/** The invisible characters that belong to the characters around them. */
const NEEDED = [
  String.raw`${LETTER}[\u200C\u200D]${LETTER}`,
  String.raw`${lettersOf('Tifinagh')}\u2D7F${lettersOf('Tifinagh')}`,
  String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]\u200D\p{Extended_Pictographic}`,
  String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F]`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  String.raw`${lettersOf('Mongolian')}[\u180B-\u180F]`,
].join('|');

const IS_INVISIBLE = new RegExp(`^${INVISIBLE}$`, 'u');
const IS_NEEDED = new RegExp(`^(?:${NEEDED})`, 'u');
const IS_LETTER = new RegExp(`^${LETTER}$`, 'u');
const IS_MARK = /^\p{M}$/u;

/**
 * The sequences that stay as they are: a Windows line break, and the flags of England, Scotland and
 * Wales. Fonts draw the tags of other regions as a black flag, so those would hide text.
 */
const WHOLE = ['\r\n', ...['gbeng', 'gbsct', 'gbwls'].map(flagOf)];

function flagOf(region: string): string {
  const tags = Array.from(region, (letter) => 0xe0000 + letter.charCodeAt(0));
  return String.fromCodePoint(0x1f3f4, ...tags, 0xe007f);
}

/**
 * Returns the text with every invisible character written as its code, such as `\u{202E}`. If the
 * result is longer than `longest`, it is cut between characters and ends in `…`.
 */
export function visibleText(text: string, longest = Infinity): string {
  if (text.length <= longest && isOrdinary(text)) return text;
  let shown = '';
  let before = '';
  for (let at = 0; at < text.length;) {
    const character = wholeAt(text, at) ?? characterAt(text, at);
    at += character.length;
    const isVisible = !IS_INVISIBLE.test(character);
    const stays = isVisible || IS_NEEDED.test(before + character + characterAt(text, at));
    const written = stays ? character : codeOf(character);
    if (shown.length + written.length > longest) return `${shown}…`;
    shown += written;
    // The marks of a letter may stand between it and its joiner.
    const isMark = isVisible && IS_MARK.test(character) && IS_LETTER.test(before);
    if (!isMark) before = stays ? character : '';
  }
  return shown;
}

/** Returns true if a text has only printable ASCII characters, tabs and line feeds, as most have. */
function isOrdinary(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7e || (code < 0x20 && code !== 0x09 && code !== 0x0a)) return false;
  }
  return true;
}

function wholeAt(text: string, at: number): string | undefined {
  return WHOLE.find((sequence) => text.startsWith(sequence, at));
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).toUpperCase().padStart(4, '0')}}`;
}
