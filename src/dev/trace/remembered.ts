/** Remembers a few things for a while: what is oldest goes first, when there are too many. */

/** How much is remembered. */
export interface Bounds {
  readonly atMost: number;
  readonly forMs: number;
}

interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

/** A map that cannot grow without end. */
export class Remembered<V> {
  private readonly entries = new Map<string, Entry<V>>();

  constructor(private readonly bounds: Bounds) {}

  /** What is remembered under a key, unless that was too long ago. */
  get(key: string, now: number): V | undefined {
    const entry = this.entries.get(key);
    return entry !== undefined && now < entry.until ? entry.value : undefined;
  }

  /** Remembers a value; it is the youngest now. */
  set(key: string, value: V, now: number): void {
    this.entries.delete(key);
    this.entries.set(key, { value, until: now + this.bounds.forMs });
    for (const [oldest, { until }] of this.entries) {
      if (this.entries.size <= this.bounds.atMost && now < until) return;
      this.entries.delete(oldest);
    }
  }
}
