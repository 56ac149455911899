/**
 * One call as its client sees it: the tokens that it was given, the prices that it was shown, and
 * what it was answered. A call goes forward only:
 *
 * ```
 * open ──► claimed ──► answered
 *  asks     in progress,  the same answer
 *           or unknown    for ever
 * ```
 */
import type { Call, Reply } from '../jsonRpc.js';

/** The arguments of a call. */
export interface Payment {
  readonly order: string;
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly fails: boolean;
  /** Whether its process is to die in it: before the effect, or after it. */
  readonly deadly: 'before' | 'after' | 'never';
}

/** A token, and what is asked with it. */
export interface Token {
  readonly state: string;
  readonly asks: 'account' | 'approval';
  /** How often it has been sent. */
  sent: number;
}

/** What a client sends with a token. */
export type Answer = 'yes' | 'no' | 'nothing' | 'nonsense';

/** What a reply says of its call. */
export type Said = 'asked' | 'in_progress' | 'outcome_unknown' | 'store_unavailable' | 'answered';

/** How far a call has come, as a reply shows it. A store that is away says nothing. */
const PROGRESS: Readonly<Record<Said, number>> = {
  asked: 0,
  in_progress: 1,
  outcome_unknown: 1,
  store_unavailable: Infinity,
  answered: 2,
};

/** A reply that contradicts an earlier one. */
export class Contradiction extends Error {}

/** A call. */
export class Flow {
  readonly tokens: Token[] = [];
  readonly shown = new Set<number>();
  /** Its answer, once it has one: as JSON, to compare it byte by byte. */
  answer: string | undefined;
  /** Whether the last that was heard of it is that nobody knows. */
  unknown = false;
  /** Whether nobody knew, and then somebody did. */
  late = false;
  private progress = 0;

  constructor(readonly payment: Payment) {}

  /** Whether there is nothing more to hear of it. */
  get over(): boolean {
    return this.answer !== undefined || this.unknown;
  }

  /** The first round. */
  start(): Call {
    return { method: 'tools/call', params: { name: 'pay', arguments: this.payment } };
  }

  /** A later round. */
  round(token: Token, answer: Answer): Call {
    token.sent += 1;
    const { state, asks } = token;
    const { method, params } = this.start();
    const inputResponses = answer === 'nothing' ? {} : { [asks]: ANSWERS[asks][answer] };
    return { method, params: { ...params, requestState: state, inputResponses } };
  }

  /**
   * Gives what takes in the reply to a request that is about to be sent: what is known now must not
   * be forgotten then.
   *
   * @throws {Contradiction} From what it gives; another error for a reply that is none of those
   *   that there can be.
   */
  expect(): (reply: Reply) => Said {
    const { progress } = this;
    return (reply) => {
      const said = readReply(reply);
      if (PROGRESS[said] < progress) {
        throw new Contradiction(`it has gone back: ${JSON.stringify(reply)}`);
      }
      this.take(said, reply.result ?? {});
      return said;
    };
  }

  private take(said: Said, result: Result): void {
    if (said === 'store_unavailable') return;
    this.progress = Math.max(this.progress, PROGRESS[said]);
    if (said === 'asked') this.keep(result);
    else if (said === 'answered') this.settle(JSON.stringify(result));
    else this.unknown = said === 'outcome_unknown' && this.answer === undefined;
  }

  private keep({ requestState, inputRequests }: Result): void {
    const asks = Object.hasOwn(inputRequests as object, 'account') ? 'account' : 'approval';
    const cents = /Pay (\d+) cents/.exec(JSON.stringify(inputRequests))?.[1];
    if (cents !== undefined) this.shown.add(Number(cents));
    if (this.tokens.length < MOST_TOKENS) {
      this.tokens.push({ state: String(requestState), asks, sent: 0 });
    }
  }

  private settle(answer: string): void {
    if (this.answer !== undefined && this.answer !== answer) {
      throw new Contradiction(`it was answered ${this.answer} and then ${answer}`);
    }
    this.late ||= this.unknown;
    this.unknown = false;
    this.answer = answer;
  }
}

const MOST_TOKENS = 8;

const ANSWERS = {
  account: {
    yes: { action: 'accept', content: { account: 'savings' } },
    no: { action: 'decline' },
    nonsense: { action: 'accept', content: { account: [1] } },
  },
  approval: {
    yes: { action: 'accept', content: { confirm: true } },
    no: { action: 'decline' },
    nonsense: { action: 'accept', content: { confirm: 'perhaps' } },
  },
} as const;

type Result = Readonly<Record<string, unknown>>;

/** @throws Error If it is none of those that there can be. */
function readReply({ result, error }: Reply): Said {
  if (result === undefined) throw new Error(`an error: ${JSON.stringify(error)}`);
  if (result.requestState !== undefined) return 'asked';
  const reason = (result._meta as Result | undefined)?.['mcp-resolve/once'];
  if (reason === undefined) return 'answered';
  if (isSaid(reason)) return reason;
  throw new Error(`an error that has no place here: ${JSON.stringify(result)}`);
}

function isSaid(reason: unknown): reason is Said {
  return typeof reason === 'string' && Object.hasOwn(PROGRESS, reason);
}
