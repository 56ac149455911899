/** What somebody may have meant. */
import { findSlip } from '../../wire/definition/slips.js';

/** A hint at the name that is nearest to what was written, or at all of them. */
export function didYouMean(written: string, names: readonly string[], prefix = ''): string {
  const meant = names.find((name) => isPartOf(written, name)) ?? findSlip([written], names)?.meant;
  if (meant !== undefined) return `(did you mean ${prefix}${meant}?)`;
  return `(there is ${listed(names.map((name) => `${prefix}${name}`))})`;
}

/** Three letters of a longer name say what is meant. */
const ENOUGH = 3;

function isPartOf(written: string, name: string): boolean {
  return written.length >= ENOUGH && name.toLowerCase().includes(written.toLowerCase());
}

const SHOWN = 12;

function listed(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).join(', ')}${more}`;
}
