/** How figures are written: into the tables of a terminal, and into files. */

/** Lines of cells as a table, each column as wide as its widest cell. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const widthOf = (column: number): number =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0));
  const widths = (lines[0] ?? []).map((_, column) => widthOf(column));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return padded.map((line) => line.join('  ').trimEnd()).join('\n');
}

/** For `JSON.stringify`, four digits: what comes after them is noise. */
export function rounded(_: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isInteger(value)) return value;
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
}
