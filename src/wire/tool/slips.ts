/**
 * Slips of the pen in the fields of a tool. What is not ours goes to the SDK as it is, so that its
 * new fields work at once; a misspelt one of ours would go there too, and be ignored.
 */

const FIELDS = [
  'inputSchema',
  'outputSchema',
  'resolve',
  'guards',
  'title',
  'description',
  'annotations',
  'icons',
  'scopeChallenge',
  '_meta',
];

/** What authors write when they think of another library. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  input: 'inputSchema',
  output: 'outputSchema',
  schema: 'inputSchema',
  parameters: 'inputSchema',
  argsSchema: 'inputSchema',
  inject: 'resolve',
  deps: 'resolve',
  dependencies: 'resolve',
  needs: 'resolve',
};

/** A field that cannot be meant as it is written. */
export interface Slip {
  readonly written: string;
  readonly meant: string;
}

/** The first field that is nearly one of ours. */
export function findSlip(fields: readonly string[]): Slip | undefined {
  for (const written of fields) {
    if (FIELDS.includes(written)) continue;
    const other = Object.hasOwn(OTHER_NAMES, written) ? OTHER_NAMES[written] : undefined;
    const meant = other ?? FIELDS.find((field) => isNear(written, field));
    if (meant !== undefined) return { written, meant };
  }
  return undefined;
}

const NEAR = 2;

function isNear(written: string, field: string): boolean {
  return editDistance(written.toLowerCase(), field.toLowerCase()) <= NEAR;
}

/** How many letters have to be added, dropped or replaced to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of Array.from(from).entries()) {
    const next = [line + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
