/** What a server costs: P4 to P6, P9, P10 and P14. */
import type { Goal } from '../goal.js';
import { loadGoals } from './load.js';
import { sizeGoals } from './size.js';
import { stateGoals } from './state.js';
import { toolsGoals } from './tools.js';

export const serverGoals: readonly Goal[] = [
  ...loadGoals,
  ...stateGoals,
  ...toolsGoals,
  ...sizeGoals,
];
