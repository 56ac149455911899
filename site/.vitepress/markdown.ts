/** Changes how VitePress renders Markdown. */
import type { MarkdownRenderer } from 'vitepress';

/** Returns the anchor that GitHub gives to a heading. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Renders `mermaid` blocks with the component of the theme. */
export function mermaidFences(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, ...rest) ?? '';
    return `<MermaidDiagram source="${encodeURIComponent(token.content)}" />\n`;
  };
}

/** Puts an image that is written in HTML into a paragraph, as an image in Markdown is. */
export function imageParagraphs(md: MarkdownRenderer): void {
  const { html_block: block } = md.renderer.rules;
  md.renderer.rules.html_block = (tokens, index, ...rest) => {
    const html = block?.(tokens, index, ...rest) ?? '';
    return html.startsWith('<img ') ? `<p>${html}</p>\n` : html;
  };
}
