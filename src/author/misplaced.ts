/**
 * Finds resolvers, outcomes, arguments and questions inside a value that an author's function
 * returned. They would neither run nor be asked, and the action that they should guard would run
 * anyway.
 */
import { ToolError } from '../errors.js';
import { kindOf } from './brand.js';
import type { Kind } from './brand.js';
import { confirm, elicit, elicitUrl, listRoots, sample } from './question.js';
import { isPlainObject } from '../values.js';

/** The levels of arrays and plain objects to search, and the members of each. */
const LEVELS = 3;
const MEMBERS = 64;

const MISPLACED = {
  question: { label: 'a question', remedy: 'Return the question itself.' },
  resolver: {
    label: 'a resolver',
    remedy: 'Add it to the needs, or to `resolve` of the tool, and use its value.',
  },
  outcome: {
    label: 'outcome()',
    remedy: 'Add it to the needs, or to `resolve` of the tool, and use its value.',
  },
  arg: {
    label: 'arg()',
    remedy: 'Add it to the needs, or to `resolve` of the tool, and use its value.',
  },
} as const satisfies Partial<Record<Kind, { label: string; remedy: string }>>;

/** The functions that create questions. An author may return one and forget to call it. */
const ASKING: readonly unknown[] = [elicit, confirm, elicitUrl, sample, listRoots];

const UNCALLED = {
  label: 'a function that asks, without calling it',
  remedy: 'Call it and return the question.',
};

const RETURNED_ERROR = { label: 'a ToolError', remedy: 'Throw it instead.' };

/** A misplaced object, for messages. */
export interface Misplaced {
  /** The kind of the object, and its place. */
  readonly label: string;
  readonly remedy: string;
}

/**
 * Finds the first question, resolver, `outcome()` or `arg()` that is a value or inside it. A
 * returned `ToolError` is misplaced, too.
 */
export function findMisplaced(value: unknown): Misplaced | undefined {
  if (typeof value === 'function') return ASKING.includes(value) ? UNCALLED : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const found = value instanceof ToolError ? RETURNED_ERROR : kindOfMisplaced(value);
  if (found !== undefined) return found;
  const inside = findInside(value, LEVELS);
  return inside && { ...inside, label: `${inside.label} inside another value` };
}

function kindOfMisplaced(value: unknown): Misplaced | undefined {
  const kind = kindOf(value);
  return kind !== undefined && kind in MISPLACED
    ? MISPLACED[kind as keyof typeof MISPLACED]
    : undefined;
}

function findInside(value: unknown, levels: number): Misplaced | undefined {
  if (levels === 0 || kindOf(value) !== undefined) return undefined;
  for (const member of firstMembers(value)) {
    if (typeof member !== 'object' || member === null) continue;
    const found = kindOfMisplaced(member) ?? findInside(member, levels - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstMembers(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.slice(0, MEMBERS);
  if (!isPlainObject(value)) return [];
  // Reads descriptors, because calling a getter may have side effects.
  return Object.keys(value)
    .slice(0, MEMBERS)
    .map((name): unknown => Object.getOwnPropertyDescriptor(value, name)?.value);
}
