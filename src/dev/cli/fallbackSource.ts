/**
 * Reads `otherwise` in the source code of a resolver. The value is created when the resolver runs,
 * and running it could have effects.
 */
import type { ResolverFn } from '../../author/model.js';
import { withoutTexts } from './perRequest.js';

/** The effect of the fallbacks of a function on a client that cannot be asked. */
export type FallbackEffect = 'approves' | 'unreadable' | 'harmless';

/** Reads the fallbacks of all questions that a function creates. */
export function fallbackIn(fn: ResolverFn): FallbackEffect {
  // Loaders such as tsx wrap functions to keep their names.
  const code = withoutTexts(Function.prototype.toString.call(fn)).replace(
    /(?:\/\*[^*]*\*\/\s*)?\b__name\(/g,
    NAMED,
  );
  if (YES.test(code)) return 'approves';
  const calls = [...code.matchAll(/\bconfirm\s*\)?\s*\(/g)];
  const options = calls.map(({ 0: head, index }) => argumentsAt(code, index + head.length)[1]);
  return options.every(isReadable) ? 'harmless' : 'unreadable';
}

/** A mark in place of `__name(`, which the patterns below pass over. */
const NAMED = '@(';

/** A fallback of `true`, or a function that only returns it, also as minifiers write it. */
const YES =
  /\botherwise\b["']?\]?\s*(?::\s*(?:@\()?(?:async\b\s*)?(?:function\b[^(]*)?)?(?:\(\s*\)\s*(?:=>\s*)?)?(?:\{\s*return\s*)?(?:\btrue\b|!0)/;

/** `otherwise` as a method, or with `false` or a function as its value. */
const FALLBACK =
  /^(?:(?:async\s+)?otherwise\s*\(|otherwise\s*:\s*(?:@\()?(?:(?:false|!1)$|(?:async\b|function\b|\(.*=>)))/s;

/** Any other property with a plain name. Strings are blanked out, so a quoted name is empty. */
const OTHER = /^(?!otherwise\b)\w+\s*(?:[:(]|$)/;

/** Returns true for no options, and for an object literal that shows its fallback. */
function isReadable(options: string | undefined): boolean {
  if (options === undefined || options === '' || options === 'undefined') return true;
  const isKnown = (one: string): boolean => one === '' || FALLBACK.test(one) || OTHER.test(one);
  return options.startsWith('{') && argumentsAt(options, 1).every(isKnown);
}

/** Returns the parts between commas, from a position to the bracket that closes it. */
function argumentsAt(code: string, start: number): string[] {
  const parts = [''];
  let depth = 0;
  for (const mark of code.slice(start)) {
    if (/[)\]}]/.test(mark) && depth === 0) break;
    if (/[([{]/.test(mark)) depth += 1;
    if (/[)\]}]/.test(mark)) depth -= 1;
    if (mark === ',' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + mark);
  }
  return parts.map((part) => part.trim());
}
