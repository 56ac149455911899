/**
 * Finds text that was configured instead of a key by mistake: a variable or a command that no shell
 * replaced, a reference to a secret, a placeholder of a documentation page, and quotes around a
 * key.
 *
 * Every pattern needs a character that hexadecimal, base64 and base64url do not have, so a random
 * key in these encodings is never refused. A passphrase can contain any character. Inside of one,
 * only text that a shell would have replaced counts as a mistake.
 */

/** Returns what is wrong with a key and what to do about it, as the end of a sentence. */
export function findKeyMistake(key: string | Uint8Array): string | undefined {
  const text = textOf(key);
  return MISTAKES.find(({ patterns }) => patterns.some((pattern) => pattern.test(text)))?.sentence;
}

const MISTAKES: readonly { readonly sentence: string; readonly patterns: readonly RegExp[] }[] = [
  {
    sentence: 'is in quotes, which would be part of the key. Remove them.',
    patterns: [/^(["']).*\1$/s],
  },
  {
    sentence:
      'contains a variable that was not replaced, such as ${NAME}, {{NAME}}, $NAME or %NAME%. Check how the key is passed to the process.',
    patterns: [
      /\$\{\{?\s*\w[\w.]{2,}.*?\}/s,
      /\{\{-?\s*[.$\w][\w.]{2,}.*?\}\}/s,
      // One variable and nothing else.
      /^\$(?:env:)?[a-z_]\w*$/i,
      /^%[\w.-]+%$/,
      // NAME_OF_SEVERAL_WORDS, anywhere.
      /\$(?:env:)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)/,
      /%[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+%/,
      // NAME as a word of its own, in text without other special characters.
      /^[\w\s.,:/\\@=+$-]*(?<!\w)\$[A-Z][A-Z0-9]{3,}(?!\w)[\w\s.,:/\\@=+$-]*$/,
      /^[\w\s.,:/\\@=+-]*(?<!\w)%[A-Z][A-Z0-9]{3,}%[\w\s.,:/\\@=+-]*$/,
    ],
  },
  {
    sentence:
      'contains a command that was not run, such as $(cat key). Check how the key is passed to the process.',
    patterns: [
      /^\$\(.+\)$/s,
      /^`.+`$/s,
      // A command with an argument, anywhere.
      /\$\(\s*[a-z./~][\w./~-]+\s[^()]+\)/,
      /`\s*[a-z./~][\w./~-]+\s[^`]+`/,
    ],
  },
  {
    sentence:
      'is a reference to a secret that was not resolved, such as op://vault/item. Check how the key is passed to the process.',
    patterns: [/^[a-z][a-z0-9+.-]*:\/\/\S+$/i, /^@Microsoft\.\w+\(/i, /^arn:aws[\w-]*:/],
  },
  {
    sentence: 'is a placeholder, such as <your-secret-key>. Replace it with a key.',
    patterns: [/^<[^<>]+>$/, /<[a-z]{2,}(?:[-_ ][a-z]{2,})+>/i],
  },
  {
    sentence: 'is a placeholder, such as change-me. Replace it with a key.',
    patterns: [/(?:change|replace)[-_ ]?(?:me|this)/i],
  },
];

/** Bytes that are text. Random bytes are not. */
const PRINTABLE = /^[\x20-\x7e\s]*$/;

/** Text with special characters only at its ends, as in `$(cat key)`. */
const SPECIAL_AT_ENDS = /^[^\w\s]{1,3}[\w\s.:/+=~|,"-]*[^\w\s]{0,2}$/;

/**
 * Returns the text to look at. Bytes count as text only as a whole, because random ones that happen
 * to be printable can contain anything.
 */
function textOf(key: string | Uint8Array): string {
  if (typeof key === 'string') return key.trim();
  const text = new TextDecoder().decode(key).trim();
  return PRINTABLE.test(text) && SPECIAL_AT_ENDS.test(text) ? text : '';
}
