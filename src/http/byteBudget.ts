/**
 * A limit on the bytes that requests may hold in memory at the same time.
 *
 * A budget can have a parent. Bytes then count against both, so one session cannot use what all
 * sessions share.
 */
export class ByteBudget {
  private held = 0;

  constructor(
    private readonly max: number,
    private readonly parent?: ByteBudget,
  ) {}

  /** Holds bytes and returns true. If they do not fit, it holds nothing and returns false. */
  tryHold(bytes: number): boolean {
    if (this.held + bytes > this.max) return false;
    if (this.parent?.tryHold(bytes) === false) return false;
    this.held += bytes;
    return true;
  }

  /** Releases bytes that were held. */
  release(bytes: number): void {
    this.held -= bytes;
    this.parent?.release(bytes);
  }
}
