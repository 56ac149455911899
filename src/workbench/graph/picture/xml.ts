/** Text inside a document. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text with everything escaped that means something in XML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A text element. */
export function textAt(
  { x, y }: { readonly x: number; readonly y: number },
  style: string,
  text: string,
): string {
  return `<text class="${style}" x="${x}" y="${y}">${escaped(text)}</text>`;
}
