/** The failures of the command, and the hints in their messages. */
import { findMisspelling } from '../../definition/checkConfig.js';

/** The exit codes for success, findings and failure. */
export const EXIT = { fine: 0, found: 1, failed: 2 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error for the user of the command, printed without a stack. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
    /** A stable code for the problem, if there is one. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** The names that a user can choose from. */
export interface Choice {
  /** The title of the list of names. */
  readonly title: string;
  readonly names: readonly string[];
  /** A prefix that users type before a name. */
  readonly prefix?: string;
}

/** Returns a sentence that suggests the closest name, or lists the names. */
export function didYouMean(written: string, { title, names, prefix = '' }: Choice): string {
  const meant =
    names.find((name) => isPartOf(written, name)) ?? findMisspelling([written], names)?.meant;
  if (meant !== undefined) return `Did you mean '${prefix}${meant}'?`;
  return `${title}: ${joinNames(names.map((name) => `${prefix}${name}`))}.`;
}

/** Returns true for the beginning of a name, or a long part of it. */
function isPartOf(written: string, name: string): boolean {
  const [part, whole] = [written.toLowerCase(), name.toLowerCase()];
  return (part.length > 2 && whole.startsWith(part)) || (part.length > 4 && whole.includes(part));
}

const SHOWN = 12;

function joinNames(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).join(', ')}${more}`;
}
