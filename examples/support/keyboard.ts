/**
 * Lets a user fill in forms in the terminal, with one prompt per field.
 *
 * Enter takes the default, `d` declines the form, and `c` cancels it. A value of the wrong type is
 * asked for again. Ctrl-C and Ctrl-D cancel the form and every later one.
 */
import { createInterface } from 'node:readline/promises';
import type { ElicitResult } from '@modelcontextprotocol/client';

import { accept, cancel, decline, type Form } from './connect.js';

type Field = Form['requestedSchema']['properties'][string];
type Value = string | number | boolean;

/** The reason to ask for a value again. */
class Again extends Error {}

export class Keyboard {
  readonly #lines = createInterface({ input: process.stdin, output: process.stdout });
  readonly #ended = new AbortController();

  constructor() {
    this.#lines.once('close', () => {
      this.#ended.abort();
    });
  }

  /** True after Ctrl-C or Ctrl-D. */
  get ended(): boolean {
    return this.#ended.signal.aborted;
  }

  close(): void {
    this.#lines.close();
  }

  /** Reads a line, or returns `undefined` after Ctrl-C or Ctrl-D. */
  async ask(prompt: string): Promise<string | undefined> {
    if (this.ended) return undefined;
    try {
      return (await this.#lines.question(prompt, { signal: this.#ended.signal })).trim();
    } catch {
      process.stdout.write('\n');
      return undefined;
    }
  }

  /** Fills in a form. `indent` precedes every prompt. */
  async fillIn({ requestedSchema }: Form, indent: string): Promise<ElicitResult> {
    const content: Record<string, Value> = {};
    const { properties, required = [] } = requestedSchema;
    for (const [name, field] of Object.entries(properties)) {
      const prompt = `${indent}${name} (${describe(field)}): `;
      for (;;) {
        const line = await this.ask(prompt);
        if (line === undefined || line === 'c') return cancel;
        if (line === 'd') return decline;
        try {
          const value = line === '' ? field.default : read(field, line);
          if (value === undefined && required.includes(name))
            throw new Again('A value is required');
          if (value !== undefined) content[name] = value as Value;
          break;
        } catch (problem) {
          if (!(problem instanceof Again)) throw problem;
          process.stdout.write(`${indent}${problem.message}; d declines, c cancels.\n`);
        }
      }
    }
    return accept(content);
  }
}

function describe({ type, default: preset }: Field): string {
  const kind = type === 'boolean' ? 'y/n' : type === 'string' ? 'text' : type;
  return preset === undefined ? kind : `${kind}, Enter for ${JSON.stringify(preset)}`;
}

function read({ type }: Field, line: string): Value {
  if (type === 'boolean') {
    if (/^(y|yes|true)$/i.test(line)) return true;
    if (/^(n|no|false)$/i.test(line)) return false;
    throw new Again('Type y or n');
  }
  if (type !== 'number' && type !== 'integer') return line;
  if (type === 'integer' ? /^-?\d+$/.test(line) : Number.isFinite(Number(line)))
    return Number(line);
  throw new Again(`Type ${type === 'integer' ? 'a whole number' : 'a number'}`);
}
