/** The options of the kit's functions, and their checks. */
import type { AuthInfo, ClientCapabilities } from '@modelcontextprotocol/server';
import type { ApprovalDesk } from '../../approvals/desk.js';
import { isKind } from '../../author/brand.js';
import { isObject } from '../../values.js';
import type { InstallOptions } from '../../host/installOptions.js';
import { findMisspelling } from '../../definition/checkConfig.js';
import { knownOptions, unknownOption } from '../../options.js';
import type { ScriptedAnswers } from './answerScript.js';
import type { Override } from './override.js';

/** The eras of the protocol. `modern` is 2026-07-28 and later, `legacy` is everything before. */
export type Era = 'modern' | 'legacy';

/** The options that every function of the kit takes: the caller, and the answers. */
export interface CallerOptions {
  /** The answers of the client, its user and its model. Default: none. */
  readonly answers?: ScriptedAnswers;
  /**
   * The client's capabilities. Default: all, so that a question without an answer fails the test.
   */
  readonly capabilities?: ClientCapabilities;
  /** The caller's validated token, or the relevant part of it: `{ extra: { sub: 'ann' } }`. */
  readonly authInfo?: Partial<AuthInfo>;
  /** The headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The options of `install`, such as `seal` and `errors`. Default: an ephemeral seal. */
  readonly install?: Omit<InstallOptions, 'request'>;
  /** Replacements for resolvers, made with `override(resolver, value)`. */
  readonly overrides?: readonly Override[];
}

/** The options of `run`. */
export interface RunOptions extends CallerOptions {
  /** The era of the client. Default: modern. */
  readonly era?: Era;
  /** The maximum number of rounds with questions. Default: ten, as in the SDK's client. */
  readonly maxRounds?: number;
  /**
   * The desk of tools with approvals, to decide in the test itself or in several runs. Default: a
   * desk of its own for each run, so that no test notifies anybody.
   */
  readonly approvals?: ApprovalDesk;
  /** Allows or fails a test with unused scripted answers. Default: `'fail'`. */
  readonly unused?: 'allow' | 'fail';
}

/** The number of question rounds after which SDK clients give up. */
export const MAX_ROUNDS = 10;

/** The names of the options that every function of the kit takes. */
export const CALLER_OPTIONS = [
  'answers',
  'capabilities',
  'authInfo',
  'headers',
  'install',
  'overrides',
] as const satisfies readonly (keyof CallerOptions)[];

/** The names of the options that `run` takes. */
export const RUN_OPTIONS = [
  'era',
  ...CALLER_OPTIONS,
  'maxRounds',
  'approvals',
  'unused',
] as const satisfies readonly (keyof RunOptions)[];

/**
 * Checks the options of a function of the kit.
 *
 * @throws {TypeError} If an option is unknown or has an invalid value.
 */
export function checkRunOptions(caller: string, options: unknown, known: readonly string[]): void {
  if (!isObject(options)) {
    throw new TypeError(`${caller}(): the options must be an object. ${knownOptions(known)}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = findMisspelling([unknown], known)?.meant;
    const hint = meant === undefined ? knownOptions(known) : `Did you mean '${meant}'?`;
    throw unknownOption(`${caller}()`, unknown, hint);
  }
  const problem = Object.entries(CHECKS).find(
    ([name, { holds }]) => options[name] !== undefined && !holds(options[name]),
  );
  if (problem !== undefined)
    throw new TypeError(`${caller}(): \`${problem[0]}\` must be ${problem[1].meant}.`);
}

interface Check {
  readonly meant: string;
  readonly holds: (value: unknown) => boolean;
}

const CHECKS: Readonly<Record<string, Check>> = {
  era: {
    meant: "'modern' or 'legacy'",
    holds: (era) => era === 'modern' || era === 'legacy',
  },
  answers: {
    meant:
      'an object of answers by wire key, such as { approved: accept(…) }, or a function that answers a question',
    // A string `action` marks a single answer. For a resolver named `action` it is not a string.
    holds: (answers) =>
      typeof answers === 'function' || (isObject(answers) && typeof answers.action !== 'string'),
  },
  approvals: {
    meant: 'a desk, made with approvalDesk({ store })',
    holds: (desk) => isKind(desk, 'desk'),
  },
  overrides: {
    meant: 'an array of overrides, such as [override(amountDue, 40)]',
    holds: (overrides) =>
      Array.isArray(overrides) &&
      overrides.every((one) => isObject(one) && typeof one.give === 'function'),
  },
  maxRounds: {
    meant: 'a non-negative integer',
    holds: (rounds) => Number.isInteger(rounds) && Number(rounds) >= 0,
  },
  round: {
    meant: 'a positive integer',
    holds: (round) => Number.isInteger(round) && Number(round) >= 1,
  },
  unused: {
    meant: "'allow' or 'fail'",
    holds: (unused) => unused === 'allow' || unused === 'fail',
  },
};
