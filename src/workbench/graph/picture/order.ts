/**
 * Orders the slots of each column so that few wires cross: each one moves to the mean of its
 * neighbours, column by column, there and back, and then changes places with the next one where
 * that helps. What crosses least is kept.
 */
import type { Joint, Slot } from './slots.js';

type Columns = Slot[][];

/** There and back, as often as there is time: fewer times where there is much to do. */
const MOST_SWEEPS = 24;
const LEAST_SWEEPS = 4;
const STEPS = 20_000;

/** Orders the slots of all columns, in place. */
export function order(columns: Columns): void {
  const given = copyOf(columns);
  const tries = [given, given.map((column) => [...column].reverse())].map(bestFrom);
  const best = tries.reduce((one, other) => (other.crossings < one.crossings ? other : one));
  for (const [index, column] of best.columns.entries()) columns[index] = column;
}

interface Try {
  readonly columns: Columns;
  readonly crossings: number;
}

/** The best order that the sweeps find from a given one. */
function bestFrom(start: Columns): Try {
  const columns = copyOf(start);
  columns.forEach(rank);
  const enough = STEPS / columns.reduce((sum, column) => sum + column.length, 1);
  const sweeps = Math.max(LEAST_SWEEPS, Math.min(MOST_SWEEPS, enough));
  let best: Try = { columns: start, crossings: crossings(columns) };
  for (let sweep = 0; sweep < sweeps && best.crossings > 0; sweep += 1) {
    const forth = sweep % 2 === 0;
    const inTurn = forth ? columns : [...columns].reverse();
    for (const column of inTurn) arrange(column, forth ? 'before' : 'after');
    for (const column of inTurn) exchange(column);
    const count = crossings(columns);
    if (count < best.crossings) best = { columns: copyOf(columns), crossings: count };
  }
  return best;
}

function copyOf(columns: Columns): Columns {
  return columns.map((column) => [...column]);
}

/** Tells each slot of a column where it stands. */
function rank(column: readonly Slot[]): void {
  for (const [place, slot] of column.entries()) slot.rank = place;
}

/** Moves each slot to the mean of its neighbours on one side; one without stays where it is. */
function arrange(column: Slot[], side: 'before' | 'after'): void {
  const wanted = new Map(
    column.map((slot) => {
      const sum = slot[side].reduce((total, joint) => total + placeOf(joint), 0);
      return [slot, slot[side].length === 0 ? slot.rank : sum / slot[side].length];
    }),
  );
  column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  rank(column);
}

/** Exchanges neighbours in a column wherever fewer of their wires cross then. */
function exchange(column: Slot[]): void {
  for (let index = 0; index + 1 < column.length; index += 1) {
    const upper = column[index];
    const lower = column[index + 1];
    if (upper === undefined || lower === undefined) continue;
    if (crossed(lower, upper) < crossed(upper, lower)) column.splice(index, 2, lower, upper);
  }
  rank(column);
}

/** How many of the wires of two slots cross, if the first one stands above. */
function crossed(upper: Slot, lower: Slot): number {
  return pairsCrossed(upper.before, lower.before) + pairsCrossed(upper.after, lower.after);
}

function pairsCrossed(upper: readonly Joint[], lower: readonly Joint[]): number {
  let count = 0;
  for (const joint of upper) {
    const place = placeOf(joint);
    for (const other of lower) if (placeOf(other) < place) count += 1;
  }
  return count;
}

/** Where a wire ends: the number of its slot, and how far down in it. */
function placeOf({ slot, otherOffset }: Joint): number {
  return slot.rank + otherOffset / (slot.height + 1);
}

/** How often wires cross between neighbouring columns. */
function crossings(columns: Columns): number {
  return columns.reduce((sum, column) => {
    const ends = column.flatMap(({ after }) =>
      [...after].sort((a, b) => a.ownOffset - b.ownOffset).map(placeOf),
    );
    return sum + inversions(ends);
  }, 0);
}

/** How many pairs of a list stand the wrong way round; counted while merging. */
function inversions(list: readonly number[]): number {
  if (list.length < 2) return 0;
  const middle = Math.floor(list.length / 2);
  const left = list.slice(0, middle);
  const right = list.slice(middle);
  let count = inversions(left) + inversions(right);
  left.sort((a, b) => a - b);
  right.sort((a, b) => a - b);
  let smaller = 0;
  for (const value of left) {
    while (smaller < right.length && (right[smaller] ?? 0) < value) smaller += 1;
    count += smaller;
  }
  return count;
}
