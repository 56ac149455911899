/**
 * Counts the definitions made and installed in this process. The counts reveal two mistakes that
 * nothing else shows: a definition made again for every request, and definitions that are never
 * installed.
 */
import type { Logger } from '../log.js';
import { warnManyDefinitions } from '../call/operator.js';

/** The count that causes a warning. Tests and hot reloading make a definition less often. */
const MANY = 100;

/** The maximum number of counted names. More names than this are generated. */
const MOST_NAMES = 1000;

interface Counted {
  readonly name: string;
  readonly metadata: object;
}

let made = 0;
let installed = 0;
const known = new WeakSet<object>();
const byName = new Map<string, number>();

export function noteMade(): void {
  made += 1;
}

/**
 * Counts a definition that was installed, and warns if its name is defined again and again. A copy
 * that a test installs shares the metadata of its original, so it counts as the same definition.
 */
export function noteInstalled({ name, metadata }: Counted, logger: Logger): void {
  installed += 1;
  if (known.has(metadata)) return;
  known.add(metadata);
  const times = (byName.get(name) ?? 0) + 1;
  if (times === 1 && byName.size >= MOST_NAMES) return;
  byName.set(name, times);
  if (times === MANY) warnManyDefinitions(logger, name, times);
}

/** Returns true if definitions were made but none was installed. */
export function nothingInstalled(): boolean {
  return made > 0 && installed === 0;
}
