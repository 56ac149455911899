/** All goals, in their order. */
import type { Goal } from '../goal.js';
import { confirmGoals } from './confirm.js';
import { serverGoals } from './server.js';

export const goals: readonly Goal[] = [...confirmGoals, ...serverGoals];
