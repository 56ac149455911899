/** Formats figures for tables in a terminal, and for files. */

/** Returns lines of cells as a table. Each column is as wide as its widest cell. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const widthOf = (column: number): number =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0));
  const widths = (lines[0] ?? []).map((_, column) => widthOf(column));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return padded.map((line) => line.join('  ').trimEnd()).join('\n');
}

/** A replacer for `JSON.stringify` that keeps four digits. Further digits are noise. */
export function rounded(_: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isInteger(value)) return value;
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
}
