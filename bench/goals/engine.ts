/** What the engine alone is held to: P7, P8 and P11 to P13. */
import type { Goal } from '../goal.js';
import { compilerGoals } from './compiler.js';
import { graphGoals } from './graph.js';
import { largeGoals } from './large.js';
import { waitingGoals } from './waiting.js';

export const engineGoals: readonly Goal[] = [
  ...graphGoals,
  ...waitingGoals,
  ...largeGoals,
  ...compilerGoals,
];
