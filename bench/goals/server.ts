/** What a server costs: P4 to P6, P9 and P10. */
import type { Goal } from '../goal.js';
import { loadGoals } from './load.js';
import { stateGoals } from './state.js';
import { toolsGoals } from './tools.js';

export const serverGoals: readonly Goal[] = [...loadGoals, ...stateGoals, ...toolsGoals];
