/**
 * The graph of a layout, and the slots of its columns. A box has a slot in one column. A wire has a
 * slot in each column that it passes, and shares it with the other wires from its point.
 */

/** A box to place. */
export interface Box {
  readonly width: number;
  readonly height: number;
  /** Boxes of a later phase are to the right of all boxes of an earlier phase. */
  readonly phase: number;
}

/** A wire between two boxes, given by their indices. Offsets count from a box's upper edge. */
export interface Wire {
  readonly from: number;
  readonly fromOffset: number;
  readonly to: number;
  readonly toOffset: number;
}

/** The input of a layout. Boxes are sorted by phase, and wires lead to boxes later in the array. */
export interface Graph {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

/** A place in a column, for a box or for wires that pass the column. */
export interface Slot {
  readonly isBox: boolean;
  readonly height: number;
  /** The width of the box, and at the end the width of the column. */
  width: number;
  readonly before: Joint[];
  readonly after: Joint[];
  /** The position of the slot in its column, counted from the top. */
  rank: number;
  x: number;
  y: number;
}

/** One end of a piece of wire between two neighbouring columns. */
export interface Joint {
  /** The slot at the other end. */
  readonly slot: Slot;
  readonly ownOffset: number;
  readonly otherOffset: number;
}

/** The slots that a wire connects and passes. */
export interface Path {
  readonly wire: Wire;
  readonly from: Slot;
  readonly passed: readonly Slot[];
  readonly to: Slot;
}

export type Columns = readonly (readonly Slot[])[];

export interface Slots {
  readonly columns: Columns;
  /** The slots of the boxes, in the order of the boxes. */
  readonly boxes: readonly Slot[];
  /** The paths, in the order of the wires. */
  readonly paths: readonly Path[];
}

/** The height of a slot for wires, which pass it in the middle. */
export const PASSAGE = 8;

/** Creates the slots of all columns, in the order of the boxes and wires, and joins them. */
export function slotsOf(graph: Graph, columnOf: readonly number[]): Slots {
  const boxes = graph.boxes.map((box) => newSlot({ ...box, isBox: true }));
  const columns: Slot[][] = Array.from({ length: largest(columnOf, -1) + 1 }, () => []);
  for (const [index, slot] of boxes.entries()) columns[columnOf[index] ?? 0]?.push(slot);
  // The slots that earlier wires from the same point pass, one for each column.
  const trunks = new Map<string, Slot[]>();
  const paths = graph.wires.flatMap((wire): Path[] => {
    const from = boxes[wire.from];
    const to = boxes[wire.to];
    if (from === undefined || to === undefined) return [];
    const point = `${wire.from}:${wire.fromOffset}`;
    const trunk = trunks.get(point) ?? [];
    trunks.set(point, trunk);
    const between = columns.slice((columnOf[wire.from] ?? 0) + 1, columnOf[wire.to]);
    for (const column of between.slice(trunk.length)) {
      const slot = newSlot({ isBox: false, width: 0, height: PASSAGE });
      join(lastOf(trunk, from, wire), { slot, offset: PASSAGE / 2 });
      column.push(slot);
      trunk.push(slot);
    }
    const passed = trunk.slice(0, between.length);
    join(lastOf(passed, from, wire), { slot: to, offset: wire.toOffset });
    return [{ wire, from, passed, to }];
  });
  return { columns, boxes, paths };
}

interface WireEnd {
  readonly slot: Slot;
  readonly offset: number;
}

/** Returns the end from which a wire continues after the slots it has passed. */
function lastOf(passed: readonly Slot[], from: Slot, { fromOffset }: Wire): WireEnd {
  const slot = passed.at(-1);
  return slot === undefined ? { slot: from, offset: fromOffset } : { slot, offset: PASSAGE / 2 };
}

function join(from: WireEnd, to: WireEnd): void {
  from.slot.after.push({ slot: to.slot, ownOffset: from.offset, otherOffset: to.offset });
  to.slot.before.push({ slot: from.slot, ownOffset: to.offset, otherOffset: from.offset });
}

function newSlot({ isBox, width, height }: Pick<Slot, 'isBox' | 'width' | 'height'>): Slot {
  return { isBox, width, height, before: [], after: [], rank: 0, x: 0, y: 0 };
}

/** Returns the largest number, but at least `least`. */
export function largest(numbers: readonly number[], least = 0): number {
  return numbers.reduce((one, other) => (other > one ? other : one), least);
}
