/**
 * Gives each slot its height on the page: where its wires would be straight, and where that is not
 * free, as near to it as the order of its column allows.
 */
import type { Slot } from './slots.js';

/** There and back, as often as there is time: fewer times where there is much to do. */
const MOST_SWEEPS = 40;
const LEAST_SWEEPS = 8;
const STEPS = 40_000;

/** Places the slots of all columns, in place; the highest one is at 0. */
export function place(columns: readonly (readonly Slot[])[]): void {
  const all = columns.flat();
  for (const column of columns) spread(column, () => 0);
  const sweeps = Math.max(LEAST_SWEEPS, Math.min(MOST_SWEEPS, STEPS / (all.length + 1)));
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const inTurn = sweep % 2 === 0 ? columns : [...columns].reverse();
    for (const column of inTurn) spread(column, wantedBy);
  }
  const top = all.reduce((least, { y }) => Math.min(least, y), Infinity);
  for (const slot of all) slot.y = Math.round(slot.y - top);
}

/**
 * Where a slot's wires would be straight on average; long wires should rather be than short ones. A
 * box lines up with its neighbours by its middle: what comes out stands higher on it than what goes
 * in, so straight wires would make every chain climb.
 */
function wantedBy(slot: Slot): number {
  let pull = 0;
  let weights = 0;
  for (const joint of [...slot.before, ...slot.after]) {
    const straight = slot.isBox
      ? joint.slot.y + (joint.slot.height - slot.height) / 2
      : joint.slot.y + joint.otherOffset - joint.ownOffset;
    const weight = slot.isBox || joint.slot.isBox ? 1 : 4;
    pull += straight * weight;
    weights += weight;
  }
  return weights === 0 ? slot.y : pull / weights;
}

/** A run of slots that touch, and the place that suits them together. */
interface Block {
  /** How many slots. */
  readonly count: number;
  readonly sum: number;
}

/**
 * Places a column: the least squares of all distances to where slots want to be, in their order and
 * without overlaps. Slots that get in each other's way become one block.
 */
function spread(column: readonly Slot[], wanted: (slot: Slot) => number): void {
  const offsets = stacked(column);
  const blocks: Block[] = [];
  for (const [index, slot] of column.entries()) {
    let block: Block = { sum: wanted(slot) - (offsets[index] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break;
      blocks.pop();
      block = { sum: last.sum + block.sum, count: last.count + block.count };
    }
    blocks.push(block);
  }
  const places = blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  for (const [index, slot] of column.entries()) {
    slot.y = (places[index] ?? 0) + (offsets[index] ?? 0);
  }
}

/** How far down each slot is if the column is packed. */
function stacked(column: readonly Slot[]): number[] {
  let bottom = 0;
  return column.map((slot, index) => {
    const above = column[index - 1];
    const top = above === undefined ? 0 : bottom + gapBetween(above, slot);
    bottom = top + slot.height;
    return top;
  });
}

function gapBetween(above: Slot, below: Slot): number {
  if (above.isBox && below.isBox) return 28;
  return above.isBox || below.isBox ? 16 : 6;
}
