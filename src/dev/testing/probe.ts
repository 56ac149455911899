/**
 * The attacks that a dishonest client could try with the state it carries between rounds, each as
 * one line of a test. Probes use the modern era, because a legacy client carries no state.
 */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { requestOf } from '../../client/target.js';
import { isObject } from '../../values.js';
import type { AnyDefinition } from '../../definition/definitions.js';
import {
  agedSeal,
  answerHonestly,
  answerWrongly,
  handOver,
  leaveUnanswered,
  replay,
  swapArguments,
  tamper,
} from './attacks.js';
import { runAttack } from './misuse.js';
import type { AttackSpec, Misuse } from './misuse.js';
import { CALLER_OPTIONS, checkRunOptions } from './runOptions.js';
import type { CallerOptions } from './runOptions.js';
import { subjectOf } from './subject.js';
import type { ArgumentsFor, CallOf, ResultOf } from './subject.js';

/** The options of all probes. */
export interface ProbeOptions extends CallerOptions {
  /** The round whose token is misused, counted from 1. Default: 1. */
  readonly round?: number;
}

/** The options of `probe.swappedArguments`. */
export interface SwappedOptions<Args> extends ProbeOptions {
  /** Other valid arguments, or the uri of another resource. */
  readonly otherArgs: Args;
}

/** The options of `probe.otherUser`. */
export interface OtherUserOptions extends ProbeOptions {
  /** The caller that finishes the call. Default: the same token with another subject. */
  readonly otherUser?: Pick<CallerOptions, 'authInfo' | 'headers'>;
}

/** The options of `probe.wrongShape`. */
export interface WrongShapeOptions extends ProbeOptions {
  /** Wrong answers by wire key, sent unchanged. Default: every field has a wrong type. */
  readonly wrong?: Readonly<Record<string, unknown>>;
}

/** The ways to misuse a token. */
export interface Probe {
  /** Changes one character of the token. */
  readonly tampered: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, ProbeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** Finishes the call with other arguments. */
  readonly swappedArguments: <const D extends AnyDefinition>(
    definition: D,
    args: ArgumentsFor<D>,
    options: SwappedOptions<ArgumentsFor<D>>,
  ) => Promise<Misuse<ResultOf<D>>>;

  /** Finishes the call as another user. */
  readonly otherUser: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, OtherUserOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** Sends the answers after the token has expired. */
  readonly expired: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, ProbeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /**
   * Sends the last round again after the call has ended. If the tool is defined with `once`, the
   * body does not run again and `result` is the recorded result.
   */
  readonly replayed: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, Omit<ProbeOptions, 'round'>>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** Continues the call without answers. */
  readonly unanswered: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, ProbeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** Answers the questions with values that do not fit. */
  readonly wrongShape: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, WrongShapeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;
}

/**
 * Plays a call honestly up to a round, misuses that round's token once, and reports if the body
 * ran.
 *
 * @example
 *
 * ```ts
 * const answers = { approved: accept({ confirm: true }) };
 * const { refused } = await probe.tampered(payInvoice, { invoice: 'INV-2' }, { answers });
 * expect(refused).toBe(true);
 * ```
 */
export const probe: Probe = Object.freeze<Probe>({
  tampered: (definition, ...[args, options = {}]) =>
    runProbe({ name: 'tampered', definition, args, options }, { attack: tamper }),

  swappedArguments: (definition, args, options) => {
    if (!isObject(options) || !('otherArgs' in options)) return Promise.reject(noOtherArgs());
    const other = { definition, args: options.otherArgs, overrides: [], caller: 'probe' };
    const attack = swapArguments(() => requestOf(subjectOf(other).target));
    return runProbe({ name: 'swappedArguments', definition, args, options }, { attack });
  },

  otherUser: (definition, ...[args, options = {}]) => {
    const { otherUser, ...given } = options;
    const authInfo = given.authInfo ?? (otherUser === undefined ? A_USER : undefined);
    const honest = authInfo === undefined ? given : { ...given, authInfo };
    const other = otherUser ?? { authInfo: asAnotherUser(authInfo) };
    const attack = handOver({ ...given, ...other });
    return runProbe({ name: 'otherUser', definition, args, options: honest }, { attack });
  },

  expired: (definition, ...[args, options = {}]) =>
    runProbe(
      { name: 'expired', definition, args, options },
      { attack: answerHonestly, reseal: (seal) => agedSeal(seal, options.round ?? 1) },
    ),

  replayed: (definition, ...[args, options = {}]) =>
    runProbe({ name: 'replayed', definition, args, options }, { attack: replay }),

  unanswered: (definition, ...[args, options = {}]) =>
    runProbe({ name: 'unanswered', definition, args, options }, { attack: leaveUnanswered }),

  wrongShape: (definition, ...[args, options = {}]) => {
    const { wrong, ...given } = options;
    const attack = answerWrongly(wrong);
    return runProbe({ name: 'wrongShape', definition, args, options: given }, { attack });
  },
});

interface ProbedCall {
  readonly name: keyof Probe;
  readonly definition: AnyDefinition;
  readonly args: unknown;
  readonly options: ProbeOptions;
}

/** Runs a probe. `Misuse<never>` is assignable to the return type of every probe above. */
async function runProbe(
  { name, definition, args, options }: ProbedCall,
  spec: Omit<AttackSpec, 'options'>,
): Promise<Misuse<never>> {
  const caller = `probe.${name}`;
  checkRunOptions(
    caller,
    options,
    name === 'swappedArguments' ? [...OPTIONS, 'otherArgs'] : OPTIONS,
  );
  const { overrides = [] } = options;
  const subject = subjectOf({ definition, args, overrides, caller });
  return (await runAttack(subject, { options, ...spec })) as Misuse<never>;
}

const OPTIONS: readonly string[] = [...CALLER_OPTIONS, 'round'] satisfies (keyof ProbeOptions)[];

function noOtherArgs(): TypeError {
  return new TypeError(
    "probe.swappedArguments(): `otherArgs` is required, as in { otherArgs: { invoice: 'INV-1' }, answers }.",
  );
}

const A_USER: Partial<AuthInfo> = { extra: { sub: 'a user' } };

/** Changes only the user, so that nothing else can cause a refusal. */
function asAnotherUser(authInfo: Partial<AuthInfo> = {}): Partial<AuthInfo> {
  return { ...authInfo, extra: { ...authInfo.extra, sub: 'another user' } };
}
