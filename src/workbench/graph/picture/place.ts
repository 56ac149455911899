/**
 * Gives each slot its height on the page: where its wires would be straight, and where that is not
 * free, as near to it as the order of its column allows.
 */
import type { Slot } from './slots.js';

const SWEEPS = 40;

/** Places the slots of all columns, in place; the highest one is at 0. */
export function place(columns: readonly (readonly Slot[])[]): void {
  for (const column of columns) spread(column, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const inTurn = sweep % 2 === 0 ? columns : [...columns].reverse();
    for (const column of inTurn) spread(column, wantedBy);
  }
  const top = Math.min(...columns.flat().map(({ y }) => y), Infinity);
  for (const slot of columns.flat()) slot.y = Math.round(slot.y - top);
}

/**
 * Where a slot's wires would be straight on average; long wires should rather be than short ones. A
 * box lines up with its neighbours by its middle: what comes out stands higher on it than what goes
 * in, so straight wires would make every chain climb.
 */
function wantedBy(slot: Slot): number {
  const joints = [...slot.before, ...slot.after];
  if (joints.length === 0) return slot.y;
  const weights = joints.map((joint) => (slot.isBox || joint.slot.isBox ? 1 : 4));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const pull = joints.reduce((sum, joint, index) => {
    const straight = slot.isBox
      ? joint.slot.y + (joint.slot.height - slot.height) / 2
      : joint.slot.y + joint.otherOffset - joint.ownOffset;
    return sum + straight * (weights[index] ?? 0);
  }, 0);
  return pull / total;
}

/** A run of slots that touch, and the place that suits them together. */
interface Block {
  readonly slots: readonly Slot[];
  readonly sum: number;
  readonly count: number;
}

/**
 * Places a column: the least squares of all distances to where slots want to be, in their order and
 * without overlaps. Slots that get in each other's way become one block.
 */
function spread(column: readonly Slot[], wanted: (slot: Slot) => number): void {
  const offsets = stacked(column);
  const blocks: Block[] = [];
  for (const [index, slot] of column.entries()) {
    let block: Block = { slots: [slot], sum: wanted(slot) - (offsets[index] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break;
      blocks.pop();
      block = {
        slots: [...last.slots, ...block.slots],
        sum: last.sum + block.sum,
        count: last.count + block.count,
      };
    }
    blocks.push(block);
  }
  let index = 0;
  for (const { slots, sum, count } of blocks) {
    for (const slot of slots) slot.y = sum / count + (offsets[index++] ?? 0);
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
