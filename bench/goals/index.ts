/** All goals, in their order. */
import type { Goal } from '../goal.js';
import { confirmGoals } from './confirm.js';
import { engineGoals } from './engine.js';
import { serverGoals } from './server.js';

const numberOf = ({ id }: Goal): number => Number(id.slice(1));

export const goals: readonly Goal[] = [...confirmGoals, ...engineGoals, ...serverGoals].sort(
  (a, b) => numberOf(a) - numberOf(b),
);
