/** Formats an explanation: as text for a terminal, JSON, a Mermaid flowchart or an SVG picture. */
import type { Explanation } from './explanation.js';
import { mermaidOf } from './mermaid.js';
import { drawGraph } from './picture/draw.js';
import { explanationText } from './text.js';

/** The formats of an explanation. */
export const FORMATS = ['text', 'json', 'mermaid', 'svg'] as const;

/** One of the formats of an explanation. */
export type ExplainFormat = (typeof FORMATS)[number];

/** Formats an explanation. `color` applies to text. */
export function formatExplanation(
  explanation: Explanation,
  format: ExplainFormat,
  color: boolean,
): string {
  switch (format) {
    case 'text':
      return explanationText(explanation, color);
    case 'json':
      return JSON.stringify(explanation, null, 2);
    case 'mermaid':
      return mermaidOf(explanation);
    case 'svg':
      return drawGraph(explanation);
  }
}
