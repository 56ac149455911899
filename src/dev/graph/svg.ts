/** Draws a graph as an SVG picture. */
import type { AnyDefinition } from '../../definition/definitions.js';
import { explain } from './explain.js';
import type { ExplainOptions } from './explain.js';
import { drawing } from './picture/draw.js';

/**
 * Explains a definition as a self-contained SVG document, for light and dark backgrounds.
 *
 * @example
 *
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { explainSvg } from 'mcp-resolve/graph';
 *
 * await writeFile('refund_order.svg', explainSvg(refundOrder));
 * ```
 *
 * @throws {TypeError} If the value is not a definition.
 */
export function explainSvg(definition: AnyDefinition, options: ExplainOptions = {}): string {
  return drawing(explain(definition, options));
}
