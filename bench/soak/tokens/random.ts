/** Repeatable randomness: the same seed makes the same choices. */

/** A source of choices (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** Returns an integer from 0 to 2^32 - 1. */
  uint32(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** Returns an integer from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor((this.uint32() / 2 ** 32) * bound);
  }

  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Returns a length up to `longest`. All magnitudes are equally likely, so long ones are rare. */
  length(longest: number): number {
    return Math.floor(2 ** ((this.uint32() / 2 ** 32) * Math.log2(longest + 1)));
  }

  /** Returns true with this probability in percent. */
  percent(chance: number): boolean {
    return this.below(100) < chance;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] as T;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.uint32() & 0xff);
  }

  /** Returns a string over an alphabet. */
  text(length: number, alphabet: string): string {
    let text = '';
    for (let at = 0; at < length; at += 1) text += alphabet.charAt(this.below(alphabet.length));
    return text;
  }
}
