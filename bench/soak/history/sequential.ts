/**
 * Decides whether the answers of a concurrent history have a sequential explanation: an order of
 * the operations that respects real time, in which a machine gives the same answers one after the
 * other.
 *
 * ```
 * writer A   ├── put 1 ──────────┤ true
 * writer B       ├── put 2 ───────────?           killed: it may take effect at any time, or never
 * reader C             ├─ get ─┤ 2
 *                                                  one order: put 1, put 2, get
 * ```
 *
 * The search tries every operation that can be next and remembers what it has tried. An operation
 * that leaves the machine as it is can always be next as soon as its answer fits, so the search
 * only branches where operations with effects overlap.
 */

/** One operation of a history. */
export interface Operation<Ask, Answer> {
  readonly ask: Ask;
  /** The answer, or `undefined` if it is unknown. Then the operation may have had no effect. */
  readonly answer: Answer | undefined;
  /** The time at which it began, in milliseconds. */
  readonly from: number;
  /** The time at which its answer arrived. `Infinity` if the answer is unknown. */
  readonly to: number;
}

/** The sequential behaviour that must explain a history. A state is a JSON value. */
export interface Machine<State, Ask, Answer> {
  readonly start: State;
  /**
   * Returns the states that can follow, and none if the machine never gives this answer in this
   * state. For an unknown answer, it returns the states that the operation may cause.
   */
  readonly step: (state: State, operation: Operation<Ask, Answer>) => readonly State[];
}

/** The result of a search. A search that reaches its limit is undecided. */
export type Verdict = 'explained' | 'unexplained' | 'undecided';

/** The number of positions after which a search ends undecided. */
const MOST_POSITIONS = 100_000;

/** Searches for a sequential explanation of a history. */
export function explain<State, Ask, Answer>(
  machine: Machine<State, Ask, Answer>,
  history: readonly Operation<Ask, Answer>[],
  mostPositions = MOST_POSITIONS,
): Verdict {
  const operations = history
    .toSorted((one, other) => one.from - other.from)
    .map((operation, id) => ({ ...operation, id }));
  return new Search(machine, mostPositions).from(operations, machine.start);
}

type Numbered<Ask, Answer> = Operation<Ask, Answer> & { readonly id: number };

class Search<State, Ask, Answer> {
  /** The positions from which no order was found. */
  private readonly tried = new Set<string>();

  constructor(
    private readonly machine: Machine<State, Ask, Answer>,
    private readonly mostPositions: number,
  ) {}

  /** Searches for an order of the operations that are left, which are sorted by their begin. */
  from(operations: readonly Numbered<Ask, Answer>[], state: State): Verdict {
    const left = this.withoutIdle(operations, state);
    if (left.every(({ to }) => to === Infinity)) return 'explained';
    const position = JSON.stringify([state, left.map(({ id }) => id)]);
    if (this.tried.has(position)) return 'unexplained';
    if (this.tried.size >= this.mostPositions) return 'undecided';
    this.tried.add(position);
    for (const operation of nextOf(left)) {
      const others = left.filter((other) => other !== operation);
      for (const next of this.machine.step(state, operation)) {
        const verdict = this.from(others, next);
        if (verdict !== 'unexplained') return verdict;
      }
    }
    return 'unexplained';
  }

  /** Removes the operations that can be next and leave the state as it is. */
  private withoutIdle(
    operations: readonly Numbered<Ask, Answer>[],
    state: State,
  ): readonly Numbered<Ask, Answer>[] {
    let left = operations;
    for (;;) {
      const idle = nextOf(left).filter((operation) => this.isIdle(operation, state));
      if (idle.length === 0) return left;
      left = left.filter((operation) => !idle.includes(operation));
    }
  }

  /** An operation without an answer may also take effect later, so it is never idle. */
  private isIdle(operation: Numbered<Ask, Answer>, state: State): boolean {
    if (operation.answer === undefined) return false;
    const [next, ...others] = this.machine.step(state, operation);
    return others.length === 0 && JSON.stringify(next) === JSON.stringify(state);
  }
}

/** Returns the operations that began before any other has ended, those with an answer first. */
function nextOf<Ask, Answer>(
  operations: readonly Numbered<Ask, Answer>[],
): readonly Numbered<Ask, Answer>[] {
  const firstEnd = operations.reduce((first, { to }) => Math.min(first, to), Infinity);
  const end = operations.findIndex(({ from }) => from > firstEnd);
  const next = end === -1 ? operations : operations.slice(0, end);
  return next.toSorted((one, other) => (one.to < other.to ? -1 : one.to > other.to ? 1 : 0));
}
