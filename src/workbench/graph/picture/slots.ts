/**
 * The places in the columns: one for each box, and one for each wire that passes a column. Wires
 * from one point share their places, so that they run as one line until they part.
 */
import { largest } from './boxes.js';
import type { Graph, Wire } from './boxes.js';

/** A place in a column. */
export interface Slot {
  readonly column: number;
  readonly width: number;
  readonly height: number;
  readonly isBox: boolean;
  readonly before: Joint[];
  readonly after: Joint[];
  /** Its number in the column, from above. */
  rank: number;
  /** Set last. */
  y: number;
}

/** Where a wire leads to, and where it is fixed at either end. */
export interface Joint {
  readonly slot: Slot;
  readonly ownOffset: number;
  readonly otherOffset: number;
}

/** All places of a graph. */
export interface Slots {
  readonly columns: Slot[][];
  /** In the order of the boxes. */
  readonly ofBoxes: readonly Slot[];
  /** For each wire, the places that it passes. */
  readonly ofWires: readonly (readonly Slot[])[];
}

/** The height of a place for a wire. */
const PASSAGE = 8;

/** Makes the places of a graph, in the order of its boxes and wires. */
export function slotsOf({ boxes, wires }: Graph, columnOf: readonly number[]): Slots {
  const ofBoxes = boxes.map(({ width, height }, index) => {
    return makeSlot({ column: columnOf[index] ?? 0, width, height, isBox: true });
  });
  const columns: Slot[][] = Array.from({ length: largest(columnOf, -1) + 1 }, () => []);
  for (const slot of ofBoxes) columns[slot.column]?.push(slot);
  const trunks = new Map<string, Slot[]>();
  const ofWires = wires.map((wire) => {
    const key = `${wire.from}:${wire.fromOffset}`;
    const trunk = trunks.get(key) ?? [];
    trunks.set(key, trunk);
    return thread(wire, { ofBoxes, columns, trunk });
  });
  return { columns, ofBoxes, ofWires };
}

interface Threading {
  readonly ofBoxes: readonly Slot[];
  readonly columns: readonly Slot[][];
  /** The places of earlier wires from the same point, one in each column. */
  readonly trunk: Slot[];
}

/** Leads a wire through the columns between its boxes. */
function thread(wire: Wire, { ofBoxes, columns, trunk }: Threading): Slot[] {
  const from = ofBoxes[wire.from];
  const to = ofBoxes[wire.to];
  if (from === undefined || to === undefined) return [];
  const passed = to.column - from.column - 1;
  let last: End = { slot: from, offset: wire.fromOffset };
  for (let step = 0; step < passed; step += 1) {
    const known = trunk[step];
    const slot = known ?? passage(from.column + 1 + step);
    const end = { slot, offset: PASSAGE / 2 };
    if (known === undefined) {
      trunk.push(slot);
      columns[slot.column]?.push(slot);
      join(last, end);
    }
    last = end;
  }
  join(last, { slot: to, offset: wire.toOffset });
  return trunk.slice(0, passed);
}

interface End {
  readonly slot: Slot;
  readonly offset: number;
}

function join(from: End, to: End): void {
  from.slot.after.push({ slot: to.slot, ownOffset: from.offset, otherOffset: to.offset });
  to.slot.before.push({ slot: from.slot, ownOffset: to.offset, otherOffset: from.offset });
}

function passage(column: number): Slot {
  return makeSlot({ column, width: 0, height: PASSAGE, isBox: false });
}

function makeSlot(given: Pick<Slot, 'column' | 'width' | 'height' | 'isBox'>): Slot {
  return { ...given, before: [], after: [], rank: 0, y: 0 };
}
