/** All goals: those with a number in its order, then the others. */
import { byOrder, type Goal } from '../goal.js';
import { compilerGoals } from './compiler.js';
import { confirmGoals } from './confirm.js';
import { countsGoals } from './counts.js';
import { digestGoals } from './digest.js';
import { httpGoals } from './http.js';
import { languagesGoals } from './languages.js';
import { loadGoals } from './load.js';
import { memoryGoals } from './memory.js';
import { onceGoals } from './once.js';
import { sizeGoals } from './size.js';
import { stateGoals } from './state.js';
import { toolsGoals } from './tools.js';
import { tracesGoals } from './traces.js';
import { valuesGoals } from './values.js';
import { waitingGoals } from './waiting.js';

const all: readonly Goal[] = [
  ...confirmGoals,
  ...valuesGoals,
  ...languagesGoals,
  ...httpGoals,
  ...toolsGoals,
  ...waitingGoals,
  ...stateGoals,
  ...compilerGoals,
  ...sizeGoals,
  ...memoryGoals,
  ...countsGoals,
  ...loadGoals,
  ...digestGoals,
  ...tracesGoals,
  ...onceGoals,
];

export const goals: readonly Goal[] = all.toSorted(byOrder);
