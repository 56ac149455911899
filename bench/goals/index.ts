/** All goals, in their order, and at last what is only told. */
import type { Goal } from '../goal.js';
import { confirmGoals } from './confirm.js';
import { engineGoals } from './engine.js';
import { serverGoals } from './server.js';
import { tracesGoals } from './traces.js';

const numberOf = ({ id }: Goal): number => Number(id.slice(1));

const numbered = [...confirmGoals, ...engineGoals, ...serverGoals].sort(
  (a, b) => numberOf(a) - numberOf(b),
);

export const goals: readonly Goal[] = [...numbered, ...tracesGoals];
