/** All goals: those with a number in its order, then the others. */
import type { Goal } from '../goal.js';
import { compilerGoals } from './compiler.js';
import { confirmGoals } from './confirm.js';
import { digestGoals } from './digest.js';
import { loadGoals } from './load.js';
import { onceGoals } from './once.js';
import { sizeGoals } from './size.js';
import { stateGoals } from './state.js';
import { toolsGoals } from './tools.js';
import { tracesGoals } from './traces.js';
import { waitingGoals } from './waiting.js';

const all: readonly Goal[] = [
  ...confirmGoals,
  ...toolsGoals,
  ...waitingGoals,
  ...stateGoals,
  ...compilerGoals,
  ...sizeGoals,
  ...loadGoals,
  ...digestGoals,
  ...tracesGoals,
  ...onceGoals,
];

const isNumbered = ({ id }: Goal): boolean => /^Q\d/.test(id);

export const goals: readonly Goal[] = [
  ...all.filter(isNumbered),
  ...all.filter((goal) => !isNumbered(goal)),
];
