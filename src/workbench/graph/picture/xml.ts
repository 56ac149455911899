/** Text inside a document. */
import { showable } from '../glyphs.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text without what XML does not have, and with everything escaped that means something in it. */
export function escaped(text: string): string {
  return showable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A text element. */
export function textAt(
  { x, y }: { readonly x: number; readonly y: number },
  style: string,
  text: string,
): string {
  return `<text class="${style}" x="${x}" y="${y}">${escaped(text)}</text>`;
}
