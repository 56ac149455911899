/** How a test calls a definition, checked. */
import type { AuthInfo, ClientCapabilities } from '@modelcontextprotocol/server';
import { isObject } from '../../define/schema.js';
import type { InstallOptions } from '../../server/installOptions.js';
import { findSlip } from '../../server/definition/checkConfig.js';
import type { Answers } from './answers.js';
import type { Override } from './override.js';

/** The two eras of the protocol: 2026-07-28 and later, and before. */
export type Era = 'modern' | 'legacy';

/** Who calls, and who answers. */
export interface CallerOptions {
  /** What the client, the person and the model behind it answer. Default: nothing is answered. */
  readonly answers?: Answers;
  /** What the client declares. Default: everything, so that a question nobody scripted is seen. */
  readonly capabilities?: ClientCapabilities;
  /** The validated token of the caller, or as much of one as matters: `{ extra: { sub: 'ann' } }`. */
  readonly authInfo?: Partial<AuthInfo>;
  /** The headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The options of `install`, such as `seal` and `errors`. Default: a seal of the test's own. */
  readonly install?: Omit<InstallOptions, 'request'>;
  /** What stands for some of the resolvers; made with `override(resolver, value)`. */
  readonly overrides?: readonly Override[];
}

/** How a definition is called. */
export interface RunOptions extends CallerOptions {
  /** Default: modern. */
  readonly era?: Era;
  /** How many rounds of questions the client goes along with. Default: ten, as the SDK's client. */
  readonly maxRounds?: number;
  /** Whether answers may be scripted that nobody asks for. Default: they fail the test. */
  readonly unused?: 'allow' | 'fail';
}

/** The clients of the SDK give up after so many rounds of questions. */
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
  'unused',
] as const satisfies readonly (keyof RunOptions)[];

/**
 * Checks the options of a function of the kit.
 *
 * @throws {TypeError} If one of them is unknown, or cannot be what is meant.
 */
export function checkOptions(caller: string, options: unknown, known: readonly string[]): void {
  if (!isObject(options)) {
    throw new TypeError(`${caller}(): the options are an object: { ${known.join(', ')} }.`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = findSlip([unknown], known)?.meant;
    const hint = meant === undefined ? `known: ${known.join(', ')}` : `did you mean '${meant}'?`;
    throw new TypeError(`${caller}() has no option '${unknown}' (${hint}).`);
  }
  const problem = Object.entries(CHECKS).find(
    ([name, { holds }]) => options[name] !== undefined && !holds(options[name]),
  );
  if (problem !== undefined)
    throw new TypeError(`${caller}(): ${problem[0]} is ${problem[1].meant}.`);
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
      'an object of answers by wire key, { approved: accept(…) }, or a function of the question',
    // One answer alone has an action; under the key of a resolver of that name stands an answer.
    holds: (answers) =>
      typeof answers === 'function' || (isObject(answers) && typeof answers.action !== 'string'),
  },
  overrides: {
    meant: 'a list: [override(amountDue, 40)]',
    holds: (overrides) =>
      Array.isArray(overrides) &&
      overrides.every((one) => isObject(one) && typeof one.give === 'function'),
  },
  maxRounds: {
    meant: 'a whole number from 0',
    holds: (rounds) => Number.isInteger(rounds) && Number(rounds) >= 0,
  },
  round: {
    meant: 'a whole number from 1',
    holds: (round) => Number.isInteger(round) && Number(round) >= 1,
  },
  unused: {
    meant: "'allow' or 'fail'",
    holds: (unused) => unused === 'allow' || unused === 'fail',
  },
};
