/**
 * Stops those who wait when a signal is aborted. To begin and to end listening costs more than a
 * small graph, and calls that follow each other can share a signal: so those who wait on a signal
 * stand in a ring with one listener, and the ring that was used last goes on listening when they
 * have left. All others stop then: Node keeps some signals alive for as long as anybody listens.
 */

/** One who waits. */
export interface Waiting {
  /** Its neighbours in the ring; itself where it does not wait. */
  before: Waiting;
  after: Waiting;
  /** Its ring, while it waits. */
  ring: Ring | undefined;
  /** Told that the signal was aborted. */
  stop(): void;
}

/** Those who wait on a signal. */
class Ring implements Waiting {
  before: Waiting = this;
  after: Waiting = this;
  readonly ring = undefined;
  isOver: boolean;

  constructor(readonly signal: AbortSignal) {
    this.isOver = signal.aborted;
    signal.addEventListener('abort', this);
  }

  /** As the listener of its signal. */
  handleEvent(): void {
    this.isOver = true;
    this.stop();
  }

  stop(): void {
    while (this.after !== this) {
      const who = this.after;
      leave(who);
      who.stop();
    }
  }

  /** Stops listening, unless somebody waits. */
  rest(): void {
    if (this.after === this) this.signal.removeEventListener('abort', this);
  }
}

/** The ring that was used last. */
let latest: Ring | undefined;

function ringOf(signal: AbortSignal): Ring {
  if (latest?.signal === signal) return latest;
  const previous = latest;
  latest = new Ring(signal);
  previous?.rest();
  return latest;
}

/** Has somebody stopped when a signal is aborted, or now if it was, until they {@link leave}. */
export function waitOn(signal: AbortSignal, who: Waiting): void {
  const ring = ringOf(signal);
  const last = ring.before;
  who.ring = ring;
  who.before = last;
  who.after = ring;
  last.after = who;
  ring.before = who;
  if (ring.isOver) ring.stop();
}

/** Nobody has to stop them any more. */
export function leave(who: Waiting): void {
  const { ring, before, after } = who;
  if (ring === undefined) return;
  before.after = after;
  after.before = before;
  who.before = who;
  who.after = who;
  who.ring = undefined;
  if (ring !== latest) ring.rest();
}
