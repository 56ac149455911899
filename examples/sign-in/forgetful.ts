/** A map that forgets its entries after a while, so that nothing piles up in a server. */
export class ForgetfulMap<V> {
  readonly #entries = new Map<string, { value: V; until: number }>();

  constructor(private readonly milliseconds = 10 * 60_000) {}

  get(key: string): V | undefined {
    this.#forget();
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: V): V {
    this.#entries.set(key, { value, until: Date.now() + this.milliseconds });
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** The oldest entries stand first. */
  #forget(): void {
    for (const [key, { until }] of this.#entries) {
      if (until > Date.now()) return;
      this.#entries.delete(key);
    }
  }
}
