/**
 * Probes: what a dishonest client could try with the state that it carries between rounds, each as
 * one line of a test. Tokens are of the modern era: a 2025 client has none.
 */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { isObject } from '../../define/schema.js';
import { canonicalJson } from '../../state/canonical.js';
import type { Answer } from '../../client/answers.js';
import { resumeCall } from '../../client/startCall.js';
import { requestOf } from '../../client/target.js';
import type { CallRequest } from '../../client/target.js';
import type { AnyDefinition } from '../server/definition/definitions.js';
import { agedSeal } from './agedSeal.js';
import { subjectOf } from './subject.js';
import type { ArgumentsFor, CallOf, ResultOf } from './subject.js';
import { attempt } from './misuse.js';
import type { Misuse, Trial, Trick } from './misuse.js';
import { CALLER_OPTIONS, checkOptions, MAX_ROUNDS } from './runOptions.js';
import type { CallerOptions } from './runOptions.js';
import { wrongAnswers } from './attacks.js';

/** How a call is made whose token is misused. */
export interface ProbeOptions extends CallerOptions {
  /** The round whose token is misused, counted from 1. Default: the first. */
  readonly round?: number;
}

/** What the call is finished with instead of its own arguments. */
export interface SwappedOptions<Args> extends ProbeOptions {
  /** Other arguments that are valid, or the uri of another resource. */
  readonly otherArgs: Args;
}

/** Who finishes the call. */
export interface OtherUserOptions extends ProbeOptions {
  /** Default: the same token with another subject. */
  readonly otherUser?: Pick<CallerOptions, 'authInfo' | 'headers'>;
}

/** What is answered instead of what fits. */
export interface WrongShapeOptions extends ProbeOptions {
  /** By wire key, sent as it is. Default: content in which every field has another type. */
  readonly wrong?: Readonly<Record<string, unknown>>;
}

/** The ways to misuse a token. */
export interface Probe {
  /** One character of the token is changed. */
  readonly tampered: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, ProbeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** The call is finished with other arguments than it was begun with. */
  readonly swappedArguments: <const D extends AnyDefinition>(
    definition: D,
    args: ArgumentsFor<D>,
    options: SwappedOptions<ArgumentsFor<D>>,
  ) => Promise<Misuse<ResultOf<D>>>;

  /** Somebody else finishes the call. */
  readonly otherUser: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, OtherUserOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** The answers come after the token has expired. */
  readonly expired: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, ProbeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /**
   * The last round is sent again after the call has ended. Where the tool says `once` the body does
   * not run again, and `result` is the recorded one.
   */
  readonly replayed: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, Omit<ProbeOptions, 'round'>>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** The call goes on without any answer. */
  readonly unanswered: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, ProbeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;

  /** The questions are answered with what does not fit them. */
  readonly wrongShape: <const D extends AnyDefinition>(
    definition: D,
    ...call: CallOf<D, WrongShapeOptions>
  ) => Promise<Misuse<ResultOf<D>>>;
}

/**
 * Plays a call honestly up to a round, misuses that round's token once, and tells whether the body
 * ran for it.
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
    tried({ name: 'tampered', definition, args, options }, { trick: tamper }),

  swappedArguments: (definition, args, options) => {
    if (!isObject(options) || !('otherArgs' in options)) return Promise.reject(noOtherArgs());
    const other = { definition, args: options.otherArgs, overrides: [], caller: CALLER };
    const trick = swap(() => requestOf(subjectOf(other).target));
    return tried({ name: 'swappedArguments', definition, args, options }, { trick });
  },

  otherUser: (definition, ...[args, options = {}]) => {
    const { otherUser, ...given } = options;
    const authInfo = given.authInfo ?? (otherUser === undefined ? SOMEBODY : undefined);
    const honest = { ...given, ...(authInfo !== undefined && { authInfo }) };
    const other = otherUser ?? { authInfo: somebodyElse(authInfo) };
    const trick = handOver({ ...given, ...other });
    return tried({ name: 'otherUser', definition, args, options: honest }, { trick });
  },

  expired: (definition, ...[args, options = {}]) =>
    tried(
      { name: 'expired', definition, args, options },
      { trick: goOn, reseal: (seal) => agedSeal(seal, options.round ?? 1) },
    ),

  replayed: (definition, ...[args, options = {}]) =>
    tried({ name: 'replayed', definition, args, options }, { trick: replay }),

  unanswered: (definition, ...[args, options = {}]) =>
    tried(
      { name: 'unanswered', definition, args, options },
      { trick: ({ call }) => Promise.resolve(() => call.answer({})) },
    ),

  wrongShape: (definition, ...[args, options = {}]) => {
    const { wrong, ...given } = options;
    const trick: Trick = ({ call }) => {
      const answers = { ...wrongAnswers(call.questions), ...wrong } as Record<string, Answer>;
      return Promise.resolve(() => call.answer(answers));
    };
    return tried({ name: 'wrongShape', definition, args, options: given }, { trick });
  },
});

const CALLER = 'probe';

interface Probed {
  readonly name: keyof Probe;
  readonly definition: AnyDefinition;
  readonly args: unknown;
  readonly options: ProbeOptions;
}

/** Its result is of the definition's kind, which every signature above says. */
async function tried(
  { name, definition, args, options }: Probed,
  trial: Omit<Trial, 'options'>,
): Promise<Misuse<never>> {
  const caller = `${CALLER}.${name}`;
  checkOptions(caller, options, [
    ...OPTIONS,
    ...(name === 'swappedArguments' ? ['otherArgs'] : []),
  ]);
  const { overrides = [] } = options;
  const subject = subjectOf({ definition, args, overrides, caller });
  return (await attempt(subject, { options, ...trial })) as Misuse<never>;
}

const OPTIONS: readonly string[] = [...CALLER_OPTIONS, 'round'] satisfies (keyof ProbeOptions)[];

const tamper: Trick = async ({ client, call, answersTo }) => {
  const answers = await answersTo(call);
  const { requestState = '', ...saved } = call.toJSON();
  const changed = withOtherLetter(requestState);
  return () => resumeCall(client, { ...saved, requestState: changed }).answer(answers);
};

/** Another letter in the middle: the last one of a token may hold bits that nobody reads. */
function withOtherLetter(token: string): string {
  const middle = Math.floor(token.length / 2);
  const letter = token[middle] === 'A' ? 'B' : 'A';
  return `${token.slice(0, middle)}${letter}${token.slice(middle + 1)}`;
}

function noOtherArgs(): TypeError {
  return new TypeError(
    `${CALLER}.swappedArguments() needs other arguments to finish the call with: { otherArgs: { invoice: 'INV-1' }, answers }.`,
  );
}

function swap(requestOfOther: () => CallRequest): Trick {
  return async ({ client, call, answersTo }) => {
    const answers = await answersTo(call);
    const saved = call.toJSON();
    const { params } = requestOfOther();
    if (canonicalJson(params) === canonicalJson(saved.params)) {
      throw new TypeError(`${CALLER}.swappedArguments(): otherArgs are the same arguments.`);
    }
    return () => resumeCall(client, { ...saved, params }).answer(answers);
  };
}

function handOver(other: CallerOptions): Trick {
  return async ({ call, answersTo, connectAs }) => {
    const answers = await answersTo(call);
    const client = await connectAs(other);
    return () => resumeCall(client, call.toJSON()).answer(answers);
  };
}

const SOMEBODY: Partial<AuthInfo> = { extra: { sub: 'somebody' } };

/** Everything the same but the person, so that nothing else can be what refuses them. */
function somebodyElse(authInfo: Partial<AuthInfo> = {}): Partial<AuthInfo> {
  return { ...authInfo, extra: { ...authInfo.extra, sub: 'somebody else' } };
}

const goOn: Trick = async ({ call, answersTo }) => {
  const answers = await answersTo(call);
  return () => call.answer(answers);
};

const replay: Trick = async ({ call, answersTo }) => {
  let last = call;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const sent = last;
    const answers = await answersTo(sent);
    const next = await sent.answer(answers);
    if (next.done) return () => sent.answer(answers);
    last = next;
  }
  throw new Error(`The call still asks after ${MAX_ROUNDS} rounds, so its end cannot be replayed.`);
};
