/** Gives each box a column. */
import type { Box, Graph, Wire } from './boxes.js';

/** The column of each box, counted from the left without gaps. */
export function columnsOf({ boxes, wires }: Graph): number[] {
  const before = grouped(wires, ({ to }) => to);
  const after = grouped(wires, ({ from }) => from);
  const columns = leftmost(boxes, before);
  // A box that needs nothing stands next to the first one that uses it, unless its phase forbids.
  for (let index = boxes.length - 1; index >= 0; index -= 1) {
    const uses = (after.get(index) ?? []).map(({ to }) => columns[to] ?? 0);
    if (before.has(index) || uses.length === 0) continue;
    const limit = endOfPhase(index, boxes, columns);
    columns[index] = Math.max(columns[index] ?? 0, Math.min(limit, ...uses.map((use) => use - 1)));
  }
  return withoutGaps(columns);
}

function leftmost(boxes: readonly Box[], before: ReadonlyMap<number, readonly Wire[]>): number[] {
  const columns: number[] = [];
  let phase = boxes[0]?.phase ?? 0;
  let start = 0;
  for (const [index, box] of boxes.entries()) {
    if (box.phase > phase) {
      phase = box.phase;
      start = Math.max(-1, ...columns) + 1;
    }
    const needs = (before.get(index) ?? []).map(({ from }) => (columns[from] ?? 0) + 1);
    columns.push(Math.max(start, ...needs));
  }
  return columns;
}

/** The last column that a box can have without leaving its phase. */
function endOfPhase(index: number, boxes: readonly Box[], columns: readonly number[]): number {
  const later = columns.filter((_, other) => {
    return (boxes[other]?.phase ?? 0) > (boxes[index]?.phase ?? 0);
  });
  return Math.min(Infinity, ...later) - 1;
}

function withoutGaps(columns: readonly number[]): number[] {
  const used = [...new Set(columns)].sort((a, b) => a - b);
  const places = new Map(used.map((column, place) => [column, place]));
  return columns.map((column) => places.get(column) ?? 0);
}

function grouped(wires: readonly Wire[], by: (wire: Wire) => number): Map<number, Wire[]> {
  const groups = new Map<number, Wire[]>();
  for (const wire of wires) {
    const group = groups.get(by(wire));
    if (group === undefined) groups.set(by(wire), [wire]);
    else group.push(wire);
  }
  return groups;
}
