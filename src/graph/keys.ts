/**
 * Wire keys: the names of questions in `inputRequests` and in the state. They come from the
 * definition alone, so that a retry can land on any worker, and are never function names, which
 * bundlers change.
 */

/** Hands out unique names: `base`, then `base#1`, `base#2` … */
export class WireKeys {
  private readonly taken = new Set<string>();
  private readonly lastNumber = new Map<string, number>();

  /** The next free name on this base. */
  take(base: string): string {
    let key = base;
    let number = this.lastNumber.get(base) ?? 0;
    while (this.taken.has(key)) key = `${base}#${++number}`;
    this.taken.add(key);
    this.lastNumber.set(base, number);
    return key;
  }
}
