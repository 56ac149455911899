/** The goals of the benchmark, and the figures that measuring one returns. */
import type { Effort, Ratio } from './measure/compare.js';

/** A figure with its limits. */
export interface Figure {
  /** The two ways that are compared, in one line. */
  readonly name: string;
  readonly value: number;
  /** The unit of the value. `x` for ratios. */
  readonly unit: string;
  /** The middle half of all rounds, if there are rounds. */
  readonly spread?: readonly [number, number];
  /** The ratio of the best slices, as a cross-check. */
  readonly best?: number;
  /**
   * The A/A ratio: the other way against itself. The figure is not judged if it is off by over 10
   * %.
   */
  readonly same?: number;
  /** The limit that the figure must meet, and the one that it should meet. A figure may have none. */
  readonly bar?: number;
  readonly goal?: number;
  readonly better: 'lower' | 'higher';
}

/** A goal: a group of figures that are measured together. */
export interface Goal {
  /** A number, such as `Q1`, or a word. */
  readonly id: string;
  /** The name of several goals, which measures all of them. */
  readonly group?: 'http' | 'languages';
  readonly title: string;
  readonly measure: (bench: Bench) => Promise<readonly Figure[]>;
}

/** True for the goals with a number, which are measured on every version of Node. */
export const isNumbered = ({ id }: Pick<Goal, 'id'>): boolean => /^Q\d/.test(id);

/** Sorts goals. Those with a number come first. */
export function byOrder(a: Pick<Goal, 'id'>, b: Pick<Goal, 'id'>): number {
  const key = (goal: Pick<Goal, 'id'>): string => `${isNumbered(goal) ? 0 : 1} ${goal.id}`;
  return key(a).localeCompare(key(b), 'en', { numeric: true });
}

/** The means of measuring a goal. */
export interface Bench {
  readonly effort: Effort;
  /** True if the figures only have to show that the benchmark works. */
  readonly quick: boolean;
  /** Prints what is being measured. */
  readonly progress: (text: string) => void;
}

/** The limits of a figure. */
export interface Limits {
  readonly bar: number;
  readonly goal?: number;
}

/** Returns a ratio as a figure: our share of the other way's time. Lower is better. */
export function shareOf(name: string, ratio: Ratio, limits?: Limits): Figure {
  const { median, spread, best, same } = ratio;
  return { name, value: median, unit: 'x', spread, best, same, ...limits, better: 'lower' };
}

/** The largest tolerated difference of an A/A ratio from 1. */
const TOLERATED = 0.1;

export type Verdict = 'goal' | 'bar' | 'missed' | 'not judged' | '';

/** Compares a figure with its limits. */
export function verdictOf({ value, same = 1, bar, goal, better }: Figure): Verdict {
  if (bar === undefined && goal === undefined) return '';
  if (Math.abs(same - 1) > TOLERATED) return 'not judged';
  const meets = (limit: number | undefined): boolean =>
    limit !== undefined && (better === 'lower' ? value <= limit : value >= limit);
  if (meets(goal)) return 'goal';
  return meets(bar) ? 'bar' : 'missed';
}
