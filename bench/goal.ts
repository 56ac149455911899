/** A goal, and what measuring it gives. */
import type { Effort, Ratio } from './measure/compare.js';

/** One figure, beside what it has to be. */
export interface Figure {
  /** What is measured against what, in a line. */
  readonly name: string;
  readonly value: number;
  /** What the value is in: `x` for ratios. */
  readonly unit: string;
  /** The middle half of all rounds, where there are rounds. */
  readonly spread?: readonly [number, number];
  /** The best against the best: a second opinion. */
  readonly best?: number;
  /** The opponent against itself. Off by more than a tenth, the figure is not judged. */
  readonly same?: number;
  /** What it must be, and what it should be. Absent where a figure is only told. */
  readonly bar?: number;
  readonly goal?: number;
  readonly better: 'lower' | 'higher';
}

/** Something to measure. */
export interface Goal {
  /** A number, such as `Q1`, or a word. */
  readonly id: string;
  readonly title: string;
  readonly measure: (bench: Bench) => Promise<readonly Figure[]>;
}

/** What a goal measures with. */
export interface Bench {
  readonly effort: Effort;
  /** Whether two minutes have to do for everything. */
  readonly quick: boolean;
  /** Says what is being measured. */
  readonly progress: (text: string) => void;
}

/** What a figure has to be. */
export interface Limits {
  readonly bar: number;
  readonly goal?: number;
}

/** A ratio as a figure: how much of the opponent's time is taken; less is better. */
export function shareOf(name: string, ratio: Ratio, limits?: Limits): Figure {
  const { median, spread, best, same } = ratio;
  return { name, value: median, unit: 'x', spread, best, same, ...limits, better: 'lower' };
}

/** How far the opponent may be off from itself. */
const TOLERATED = 0.1;

export type Verdict = 'goal' | 'bar' | 'missed' | 'not judged' | '';

/** What is to be said of a figure. */
export function verdictOf({ value, same = 1, bar, goal, better }: Figure): Verdict {
  if (bar === undefined && goal === undefined) return '';
  if (Math.abs(same - 1) > TOLERATED) return 'not judged';
  const meets = (limit: number | undefined): boolean =>
    limit !== undefined && (better === 'lower' ? value <= limit : value >= limit);
  if (meets(goal)) return 'goal';
  return meets(bar) ? 'bar' : 'missed';
}
