/**
 * Counts what a handler is working on, so that its end can wait for it.
 *
 * In: the beginning and the end of each piece of work. Out: a promise for the moment when nothing
 * is left, which comes at the latest after a given time.
 */

/** The work in flight of one handler, whatever the era of the client. */
export class InFlight {
  readonly #work = new Set<symbol>();
  readonly #waiting = new Set<() => void>();

  /** Counts a piece of work until the returned function is called; calling it again does nothing. */
  enter(): () => void {
    const piece = Symbol();
    this.#work.add(piece);
    return () => {
      this.#work.delete(piece);
      if (this.#work.size === 0) this.#wakeAll();
    };
  }

  /** Resolves when nothing is in flight, at the latest after `timeoutMs`. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#work.size === 0 || timeoutMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
