/** A map whose entries expire, so that it does not grow without limit. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { value: V; until: number }>();

  constructor(private readonly milliseconds = 10 * 60_000) {}

  get(key: string): V | undefined {
    this.#dropExpired();
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: V): V {
    this.#entries.set(key, { value, until: Date.now() + this.milliseconds });
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Drops expired entries. The oldest entries come first. */
  #dropExpired(): void {
    for (const [key, { until }] of this.#entries) {
      if (until > Date.now()) return;
      this.#entries.delete(key);
    }
  }
}
