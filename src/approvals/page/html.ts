/** HTML that is safe to combine: every string in a template is escaped. */
import { visibleText } from '../../visibleText.js';

/** A piece of HTML. */
export class Html {
  constructor(readonly text: string) {}
}

/** A part of a template. Strings are escaped, and `undefined` leaves nothing. */
export type Part = string | number | Html | readonly Html[] | undefined;

/** Creates HTML from a template. */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const written = parts.map((part, index) => write(part) + (pieces[index + 1] ?? ''));
  return new Html((pieces[0] ?? '') + written.join(''));
}

function write(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return visibleText(String(part)).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
