/**
 * How often definitions are made and installed in this process. Made again for every request, or
 * made and never installed: both are mistakes that show nowhere else.
 */
import { warnManyDefinitions } from './operatorWarnings.js';

/** More often than tests and hot reloading make one and the same definition. */
const MANY = 100;

/** Names are counted as long as there are not too many of them to be written by hand. */
const MOST_NAMES = 1000;

interface Counted {
  readonly name: string;
  readonly metadata: object;
}

let made = 0;
let installed = 0;
const known = new WeakSet<object>();
const byName = new Map<string, number>();

/** Notes that a definition was made. */
export function noteMade(): void {
  made += 1;
}

/**
 * Notes that a definition was installed, and warns when its name keeps coming back anew. The copies
 * that a test installs have the metadata of what they are copies of.
 */
export function noteInstalled({ name, metadata }: Counted): void {
  installed += 1;
  if (known.has(metadata)) return;
  known.add(metadata);
  const times = (byName.get(name) ?? 0) + 1;
  if (times === 1 && byName.size >= MOST_NAMES) return;
  byName.set(name, times);
  if (times === MANY) warnManyDefinitions(name, times);
}

/** Whether definitions were made, and not one was installed. */
export function nothingInstalled(): boolean {
  return made > 0 && installed === 0;
}
