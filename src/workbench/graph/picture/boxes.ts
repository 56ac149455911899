/** What is laid out: boxes with sizes, and wires between them. */

/** A box to be placed. */
export interface Box {
  readonly width: number;
  readonly height: number;
  /** Boxes of a later phase stand to the right of all boxes of an earlier one. */
  readonly phase: number;
}

/** A wire between two boxes; its ends are so far from their upper edges. */
export interface Wire {
  readonly from: number;
  readonly fromOffset: number;
  readonly to: number;
  readonly toOffset: number;
}

/** What is to be laid out. Wires go from boxes to others that stand later in the list. */
export interface Graph {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

/** The largest of some numbers, however many there are, and at least `least`. */
export function largest(numbers: readonly number[], least = 0): number {
  return numbers.reduce((one, other) => (other > one ? other : one), least);
}
