/**
 * Slips of the pen in the fields of a definition. What is not ours goes to the SDK as it is, so
 * that its new fields work at once; a misspelt one of ours would go there too, and be ignored.
 */

/** The fields that a kind of definition has. */
export type Fields = readonly string[];

const COMMON = [
  'resolve',
  'guards',
  'hideWhenCannotAsk',
  'title',
  'description',
  'icons',
  'scopeChallenge',
  '_meta',
];

/** The fields of a tool. */
export const TOOL_FIELDS: Fields = [
  'inputSchema',
  'outputSchema',
  'once',
  'annotations',
  ...COMMON,
];

/** The fields of a prompt. */
export const PROMPT_FIELDS: Fields = ['argsSchema', ...COMMON];

/** The fields of a resource. */
export const RESOURCE_FIELDS: Fields = [
  'variables',
  'mimeType',
  'size',
  'annotations',
  'cacheHint',
  ...COMMON,
];

/** What authors write when they think of another library, or of another kind of definition. */
const OTHER_NAMES: Readonly<Record<string, Fields>> = {
  input: ['inputSchema', 'argsSchema', 'variables'],
  output: ['outputSchema'],
  schema: ['inputSchema', 'argsSchema', 'variables'],
  parameters: ['inputSchema', 'argsSchema', 'variables'],
  argsSchema: ['inputSchema', 'variables'],
  inputSchema: ['argsSchema', 'variables'],
  variables: ['inputSchema', 'argsSchema'],
  args: ['argsSchema', 'inputSchema', 'variables'],
  arguments: ['argsSchema', 'inputSchema', 'variables'],
  inject: ['resolve'],
  deps: ['resolve'],
  dependencies: ['resolve'],
  needs: ['resolve'],
};

/** A field that only other kinds of definition have; it would be ignored. */
export function findForeign(written: readonly string[], fields: Fields): string | undefined {
  const all = [...TOOL_FIELDS, ...PROMPT_FIELDS, ...RESOURCE_FIELDS];
  return written.find((name) => all.includes(name) && !fields.includes(name));
}

/** A field that cannot be meant as it is written. */
export interface Slip {
  readonly written: string;
  readonly meant: string;
}

/** The first field that is nearly one of ours. */
export function findSlip(written: readonly string[], fields: Fields): Slip | undefined {
  for (const name of written) {
    if (fields.includes(name)) continue;
    const others = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
    const meant =
      others?.find((field) => fields.includes(field)) ??
      fields.find((field) => isNear(name, field));
    if (meant !== undefined) return { written: name, meant };
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
