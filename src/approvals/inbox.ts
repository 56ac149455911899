/**
 * The requests that wait for a group, so that its members find them. A call is stored before its
 * requests are listed here, so an entry may only be left over. Leftovers are not shown, and are
 * removed when somebody looks.
 */
import { canonicalJson } from '../state/canonical.js';
import { randomId } from '../platform.js';
import { personOf } from './parkedCall.js';
import type { StoredRequest } from './parkedCall.js';
import type { Records } from './records.js';

/** The limits of requests that wait. */
export interface InboxLimits {
  /** The maximum number of requests that wait for one group. */
  readonly maxOpen: number;
  /** The maximum number of requests of one requester that wait for one group. */
  readonly maxOpenPerRequester: number;
}

/** A request that waits. */
export interface Entry {
  readonly id: string;
  /** The key of its call. */
  readonly call: string;
  /** The requester, in the form that is the same for all ways to write it. */
  readonly of: string;
  readonly until: number;
}

/** The error of an inbox that has no room for another request. */
export class InboxFullError extends Error {}

/** A change of an inbox, and what happens to it. */
interface InboxChange {
  readonly decide: (entries: readonly Entry[]) => readonly Entry[];
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The inboxes of a desk. */
export class Inboxes {
  /** The changes that wait for the one that runs, by the key of their inbox. */
  private readonly waiting = new Map<string, InboxChange[]>();

  constructor(
    private readonly records: Records,
    private readonly limits: InboxLimits,
  ) {}

  /** Returns the requests that wait for a group, and perhaps some that wait no longer. */
  async list(group: string): Promise<readonly Entry[]> {
    return this.entriesIn(await this.records.get(keyOf(group)));
  }

  /**
   * Lists a request for each of its groups, or lists it longer.
   *
   * @throws {@link InboxFullError} If too many wait there.
   */
  async add(request: StoredRequest, call: string): Promise<void> {
    const { id, by, requester, expiresAt: until } = request;
    const entry = { id, call, of: personOf(requester), until };
    for (const group of by) {
      await this.change(group, (entries) => {
        const others = entries.filter((other) => other.id !== id);
        if (others.length === entries.length) this.assertRoom(others, entry.of);
        return [...others, entry];
      });
    }
  }

  /** Removes requests that no longer wait. */
  async remove(groups: readonly string[], ids: ReadonlySet<string>): Promise<void> {
    for (const group of new Set(groups)) {
      await this.change(group, (entries) =>
        entries.some(({ id }) => ids.has(id)) ? entries.filter(({ id }) => !ids.has(id)) : entries,
      );
    }
  }

  private assertRoom(entries: readonly Entry[], of: string): void {
    const { maxOpen, maxOpenPerRequester } = this.limits;
    const own = entries.filter((entry) => entry.of === of).length;
    if (entries.length >= maxOpen || own >= maxOpenPerRequester) throw new InboxFullError();
  }

  /** Changes the inbox of a group, unless the entries stay the same array. */
  private change(group: string, decide: InboxChange['decide']): Promise<void> {
    const key = keyOf(group);
    return new Promise((done, failed) => {
      const change = { decide, done, failed };
      const waiting = this.waiting.get(key);
      if (waiting !== undefined) waiting.push(change);
      else void this.runAll(key, [change]);
    });
  }

  /**
   * Makes changes, and then together all that have arrived in the meantime. If each call of a burst
   * wrote the record by itself, most writes would fail because another one was first.
   */
  private async runAll(key: string, first: readonly InboxChange[]): Promise<void> {
    for (let changes = first; changes.length > 0; changes = this.waiting.get(key) ?? []) {
      this.waiting.set(key, []);
      try {
        for (const settle of await this.make(key, changes)) settle();
      } catch (error) {
        for (const { failed } of changes) failed(error);
      }
    }
    this.waiting.delete(key);
  }

  /** Makes changes in one step. Returns a function for each that settles it. */
  private make(key: string, changes: readonly InboxChange[]): Promise<readonly (() => void)[]> {
    return this.records.change(key, (present) => {
      const before = this.entriesIn(present);
      let entries = before;
      const result = changes.map(({ decide, done, failed }) => {
        try {
          entries = decide(entries);
          return done;
        } catch (error) {
          return () => {
            failed(error);
          };
        }
      });
      if (entries === before) return { result };
      const value = JSON.stringify({ revision: randomId(), entries });
      return { value, until: Math.max(...entries.map(({ until }) => until), 0), result };
    });
  }

  /** Reads an inbox, without entries that have expired. */
  private entriesIn(text: string | undefined): readonly Entry[] {
    if (text === undefined) return [];
    const { entries } = JSON.parse(text) as { readonly entries: readonly Entry[] };
    const now = this.records.now();
    return entries.filter(({ until }) => now < until);
  }
}

/** Returns the key of a group's inbox. */
function keyOf(group: string): string {
  return `inbox/${group}`;
}

/** Returns the array without duplicates, in a form that equal groups share. */
export function sameGroups(groups: readonly string[]): string {
  return canonicalJson([...new Set(groups)].sort());
}
