/**
 * Key rotation in three phases, each rolled out to every process before the next, and the last one
 * not before every token of the old key has expired.
 */
import { randomBytes } from 'node:crypto';

/** The keys of one phase. */
export interface Phase {
  readonly name: string;
  readonly keys: readonly string[];
}

export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** The phases that take a fleet from one key to the next. */
export function phasesBetween(old: string, next: string): readonly [Phase, Phase, Phase] {
  return [
    { name: '[old, new]', keys: [old, next] },
    { name: '[new, old]', keys: [next, old] },
    { name: '[new]', keys: [next] },
  ];
}
