/** What somebody may have meant. */
import { findSlip } from '../../server/definition/checkConfig.js';

/** A hint at the name that is nearest to what was written, or at all of them. */
export function didYouMean(written: string, names: readonly string[], prefix = ''): string {
  const meant = names.find((name) => isPartOf(written, name)) ?? findSlip([written], names)?.meant;
  if (meant !== undefined) return `(did you mean ${prefix}${meant}?)`;
  return `(there is ${listed(names.map((name) => `${prefix}${name}`))})`;
}

/** The beginning of a name says what is meant, and so does a long part of it. */
function isPartOf(written: string, name: string): boolean {
  const [part, whole] = [written.toLowerCase(), name.toLowerCase()];
  return (part.length > 2 && whole.startsWith(part)) || (part.length > 4 && whole.includes(part));
}

const SHOWN = 12;

function listed(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).join(', ')}${more}`;
}
