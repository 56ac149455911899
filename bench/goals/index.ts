/** All goals in the order of their ids, then the figures without a goal. */
import type { Goal } from '../goal.js';
import { compilerGoals } from './compiler.js';
import { confirmGoals } from './confirm.js';
import { digestGoals } from './digest.js';
import { loadGoals } from './load.js';
import { sizeGoals } from './size.js';
import { stateGoals } from './state.js';
import { toolsGoals } from './tools.js';
import { tracesGoals } from './traces.js';
import { waitingGoals } from './waiting.js';

export const goals: readonly Goal[] = [
  ...confirmGoals,
  ...loadGoals,
  ...stateGoals,
  ...toolsGoals,
  ...waitingGoals,
  ...compilerGoals,
  ...sizeGoals,
  ...digestGoals,
  ...tracesGoals,
];
