/**
 * A limit that all users share: on bytes, on sessions that are being opened, or on subscriptions.
 *
 * No user holds more than a quarter of it, whether or not there are others, so one user cannot use
 * up what the others need. The limit forgets a user who holds nothing.
 */
import type { User } from './users.js';

/** The limit that has no room: that of one user or one session, or that of all users together. */
export type FullLimit = 'own' | 'whole';

/** The part of a limit that one user or one session may hold. */
export interface Share {
  /** Holds an amount. If it does not fit, it holds nothing and returns the limit that is full. */
  hold(amount: number): FullLimit | undefined;
  release(amount: number): void;
}

/** A limit with a share for each user. */
export class SharedLimit {
  private held = 0;
  private readonly heldBy = new Map<User, number>();

  private readonly quarter: number;

  constructor(private readonly max: number) {
    this.quarter = quarterOf(max);
  }

  shareOf(user: User): Share {
    return {
      hold: (amount) => {
        const own = this.heldBy.get(user) ?? 0;
        if (own + amount > this.quarter) return 'own';
        if (this.held + amount > this.max) return 'whole';
        this.add(user, amount);
        return undefined;
      },
      release: (amount) => {
        if (amount > 0) this.add(user, -amount);
      },
    };
  }

  private add(user: User, amount: number): void {
    const own = (this.heldBy.get(user) ?? 0) + amount;
    this.held += amount;
    if (own === 0) this.heldBy.delete(user);
    else this.heldBy.set(user, own);
  }
}

/** Returns the part of a limit that one user may hold. It is never so small that nothing fits. */
export function quarterOf(max: number): number {
  return Math.max(1, Math.floor(max / 4));
}

/** A part of a user's share, with a limit of its own. */
export class LimitedShare implements Share {
  private held = 0;

  constructor(
    private readonly max: number,
    private readonly share: Share,
  ) {}

  hold(amount: number): FullLimit | undefined {
    if (this.held + amount > this.max) return 'own';
    const full = this.share.hold(amount);
    if (full === undefined) this.held += amount;
    return full;
  }

  release(amount: number): void {
    this.held -= amount;
    this.share.release(amount);
  }
}
