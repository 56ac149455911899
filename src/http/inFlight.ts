/** Counts the work in flight of a handler, in both eras. `close()` of the handler waits for it. */
export class InFlight {
  private readonly work = new Set<symbol>();
  private readonly waiting = new Set<() => void>();

  /**
   * Counts a piece of work until the caller calls the returned function. A second call does
   * nothing.
   */
  enter(): () => void {
    const piece = Symbol();
    this.work.add(piece);
    return () => {
      this.work.delete(piece);
      if (this.work.size > 0) return;
      for (const wake of this.waiting) wake();
      this.waiting.clear();
    };
  }

  /** Resolves when nothing is in flight, or after `timeoutMs` at the latest. */
  async waitUntilIdle(timeoutMs: number): Promise<void> {
    if (this.work.size === 0 || timeoutMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
