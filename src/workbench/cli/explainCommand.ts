/** `mcp-resolve explain`: prints the definitions of a module. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../errors.js';
import type { AnyDefinition } from '../../wire/install/definitions.js';
import { explain } from '../graph/explain.js';
import type { Explanation } from '../graph/explanation.js';
import { mermaidOf } from '../graph/mermaid.js';
import { drawing } from '../graph/picture/draw.js';
import { textOf } from '../graph/text.js';
import type { ExplainCommand, Format } from './commandLine.js';
import { Failure } from './failure.js';
import { didYouMean } from './near.js';

/**
 * Explains definitions. Gives what is to be printed.
 *
 * @throws {@link Failure} If what is asked for cannot be given.
 */
export function runExplain(
  command: ExplainCommand,
  definitions: readonly AnyDefinition[],
  color: boolean,
): string {
  const { out, format } = command;
  const explanations = chosen(command, definitions).map((definition) => explain(definition));
  if (out === undefined) {
    if (isPicture(format)) assertOne(explanations, format, 'name one');
    return `${printed(explanations, format, color)}\n`;
  }
  if (isFolder(out)) {
    return explanations
      .map((one) => written(path.join(out, fileName(one, format)), printed([one], format, false)))
      .join('');
  }
  if (isPicture(format)) assertOne(explanations, format, `name one, or a folder: --out ${out}/`);
  return written(out, printed(explanations, format, false));
}

/** @throws {@link Failure} If there is none, or none of the name. */
export function chosen(
  { file, name }: { readonly file: string; readonly name: string | undefined },
  definitions: readonly AnyDefinition[],
): readonly AnyDefinition[] {
  if (definitions.length === 0) {
    throw new Failure(
      `${file} defines nothing: there is no defineTool(), definePrompt() or defineResource() in it or in what it imports. ` +
        'If a function makes the definitions, export it and name it: --factory buildTools',
    );
  }
  if (name === undefined) return definitions;
  const named = definitions.filter((definition) => definition.name === name);
  if (named.length > 0) return named;
  const names = [...new Set(definitions.map((definition) => definition.name))];
  throw new Failure(`${file} has no definition '${name}' ${didYouMean(name, names)}.`);
}

function isPicture(format: Format): boolean {
  return format === 'svg' || format === 'mermaid';
}

function assertOne(explanations: readonly Explanation[], format: Format, remedy: string): void {
  if (explanations.length === 1) return;
  const names = explanations.map(({ name }) => name).join(', ');
  throw new Failure(`--format ${format} draws one definition: ${remedy} (there is ${names}).`);
}

function printed(explanations: readonly Explanation[], format: Format, color: boolean): string {
  switch (format) {
    case 'text':
      return explanations.map((one) => textOf(one, color)).join('\n\n\n');
    case 'json':
      return JSON.stringify(explanations, null, 2);
    case 'mermaid':
      return explanations.map(mermaidOf).join('\n\n');
    case 'svg':
      return explanations.map(drawing).join('\n').trimEnd();
  }
}

function isFolder(out: string): boolean {
  if (/[/\\]$/.test(out)) return true;
  return statSync(out, { throwIfNoEntry: false })?.isDirectory() === true;
}

const ENDINGS: Readonly<Record<Format, string>> = {
  text: 'txt',
  json: 'json',
  mermaid: 'mmd',
  svg: 'svg',
};

function fileName({ name }: Explanation, format: Format): string {
  return `${name.replace(/[^\p{L}\p{N}._-]+/gu, '_')}.${ENDINGS[format]}`;
}

/** @throws {@link Failure} If it cannot be written. */
function written(file: string, content: string): string {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${content}\n`);
    return `${file}\n`;
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${messageOf(error)}`);
  }
}
