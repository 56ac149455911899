/** `mcp-resolve explain`: prints the definitions of a module, or writes them to files. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../errors.js';
import type { AnyDefinition } from '../../definition/definitions.js';
import { explanationOf } from '../graph/explain.js';
import type { Explanation } from '../graph/explanation.js';
import { formatExplanation } from '../graph/format.js';
import type { ExplainFormat } from '../graph/format.js';
import type { ExplainCommand } from './commandLine.js';
import { CommandFailure } from '../load/failure.js';
import { chosen } from '../load/findDefinitions.js';

/**
 * Explains definitions and returns the output to print.
 *
 * @throws {@link CommandFailure} If the name, the format or the file does not fit the definitions.
 */
export function runExplain(
  command: ExplainCommand,
  definitions: readonly AnyDefinition[],
  color: boolean,
): string {
  const { out, format } = command;
  const explanations = chosen(command, definitions).map((one) => explanationOf(one));
  if (out === undefined) {
    if (isPicture(format)) assertOne(explanations, format);
    return `${printAll(explanations, format, color)}\n`;
  }
  if (isFolder(out)) {
    const names = fileNames(explanations, format);
    return explanations
      .map((one, index) =>
        writeFile(path.join(out, names[index] ?? ''), printAll([one], format, false)),
      )
      .join('');
  }
  if (isPicture(format)) {
    assertOne(explanations, format, `, or write all of them to a folder: --out ${out}/`);
  }
  return writeFile(out, printAll(explanations, format, false));
}

function isPicture(format: ExplainFormat): boolean {
  return format === 'svg' || format === 'mermaid';
}

function assertOne(
  explanations: readonly Explanation[],
  format: ExplainFormat,
  remedy = '.',
): void {
  if (explanations.length === 1) return;
  const names = explanations.map(({ name }) => name).join(', ');
  throw new CommandFailure(
    `--format ${format} draws a single definition. Add its name (${names})${remedy}`,
  );
}

function printAll(
  explanations: readonly Explanation[],
  format: ExplainFormat,
  color: boolean,
): string {
  if (format === 'json') return JSON.stringify(explanations, null, 2);
  const gap = format === 'text' ? '\n\n\n' : '\n\n';
  return explanations
    .map((one) => formatExplanation(one, format, color))
    .join(gap)
    .trimEnd();
}

function isFolder(out: string): boolean {
  if (/[/\\]$/.test(out)) return true;
  try {
    return statSync(out).isDirectory();
  } catch {
    // The path does not exist yet. Writing to it shows if it is valid.
    return false;
  }
}

const ENDINGS: Readonly<Record<ExplainFormat, string>> = {
  text: 'txt',
  json: 'json',
  mermaid: 'mmd',
  svg: 'svg',
};

/** Returns a name for each file, with a number if two definitions share a name. */
function fileNames(explanations: readonly Explanation[], format: ExplainFormat): string[] {
  const taken = new Set<string>();
  return explanations.map(({ name }) => {
    const stem = name.replace(/[^\p{L}\p{N}._-]+/gu, '_');
    let free = stem;
    for (let next = 2; taken.has(free.toLowerCase()); next += 1) free = `${stem}-${next}`;
    taken.add(free.toLowerCase());
    return `${free}.${ENDINGS[format]}`;
  });
}

/**
 * Writes a file and returns its path as a line to print.
 *
 * @throws {@link CommandFailure} If the file cannot be written.
 */
function writeFile(file: string, content: string): string {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${content}\n`);
    return `${file}\n`;
  } catch (error) {
    throw new CommandFailure(`${file} cannot be written: ${messageOf(error)}`);
  }
}
