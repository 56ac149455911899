/**
 * Key rotation in three phases. Every process gets the keys of a phase before the next one begins.
 * The last phase begins after every token of the old key has expired.
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

/** Returns the phases that replace a key with the next one. */
export function phasesBetween(old: string, next: string): readonly [Phase, Phase, Phase] {
  return [
    { name: '[old, new]', keys: [old, next] },
    { name: '[new, old]', keys: [next, old] },
    { name: '[new]', keys: [next] },
  ];
}
