/** The parts that every definition has: a name, a configuration and a body, checked in that order. */
import { kindOf } from '../../define/brand.js';
import { isPlainObject } from '../../define/schema.js';
import { InvalidGraphError } from '../../errors.js';
import { noteMade } from './definitionCounts.js';
import { findForeign, findSlip } from './slips.js';
import type { Fields } from './slips.js';

/** What kind of definition is being made, in the words of its errors. */
export interface PartsWording {
  readonly what: 'Tool' | 'Prompt' | 'Resource';
  /** How a good one is written. */
  readonly example: string;
  readonly fields: Fields;
}

/** The parts of a definition, as they were given. */
export interface Parts {
  readonly name: unknown;
  readonly config: unknown;
  readonly body: unknown;
}

/** @throws {@link InvalidGraphError} If one of the parts cannot be what it is meant to be. */
export function assertParts({ name, config, body }: Parts, wording: PartsWording): void {
  const { what, example, fields } = wording;
  if (typeof name !== 'string' || name === '') {
    throw invalid(what.toLowerCase(), `${what}: its name comes first: ${example}.`);
  }
  if (!isPlainObject(config) || kindOf(config) !== undefined) {
    throw invalid(name, `${what} '${name}': its configuration, an object, is missing: ${example}.`);
  }
  if (typeof body !== 'function') {
    throw invalid(name, `${what} '${name}' has no body: its function comes last: ${example}.`);
  }
  const slip = findSlip(Object.keys(config), fields);
  if (slip !== undefined) {
    throw invalid(
      name,
      `${what} '${name}' has no field '${slip.written}': did you mean '${slip.meant}'?`,
    );
  }
  const foreign = findForeign(Object.keys(config), fields);
  if (foreign !== undefined) {
    const problem = `has no field '${foreign}', which only other kinds of definition have.`;
    throw invalid(name, `${what} '${name}' ${problem}`);
  }
  noteMade();
}

function invalid(name: string, message: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', message, [name]);
}
