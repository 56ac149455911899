/**
 * One call as its client sees it: the tokens, the prices in the questions, the answer, and the
 * history of all requests. Once a call is answered, it never asks again and has no other answer. If
 * the store failed when the call ended, later replies may say that it is in progress or unknown.
 */
import type { CallAnswer, CallAsk } from '../history/onceCall.js';
import type { Operation } from '../history/sequential.js';
import type { Call, Reply } from '../jsonRpc.js';

/** The arguments of a call. */
export interface Payment {
  readonly order: string;
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly fails: boolean;
  /** When the payment kills its process: before the effect, after it, or never. */
  readonly deadly: 'before' | 'after' | 'never';
}

/** A token and its question. */
export interface Token {
  readonly state: string;
  readonly asks: 'account' | 'approval';
  /** The number of times that it was sent. */
  sent: number;
}

/** The answer that a client sends with a token. */
export type Answer = 'yes' | 'no' | 'nothing' | 'nonsense';

/** The kind of a reply. */
export type Said = 'asked' | 'in_progress' | 'outcome_unknown' | 'store_unavailable' | 'answered';

/** What a reply says about the call. An answer is not in the table, because it has a text. */
const MEANING: Readonly<Record<Exclude<Said, 'answered'>, CallAnswer>> = {
  asked: { said: 'asked' },
  in_progress: { said: 'claimed' },
  outcome_unknown: { said: 'claimed' },
  store_unavailable: { said: 'nothing' },
};

/** A reply that contradicts an earlier one. */
export class Contradiction extends Error {}

/** A call. */
export class Flow {
  readonly tokens: Token[] = [];
  readonly shown = new Set<number>();
  /** The answer as JSON, for comparison byte by byte. Undefined until the call is answered. */
  answer: string | undefined;
  /** True if the last reply said that the outcome is unknown. */
  unknown = false;
  /** True if an answer came after the outcome had been unknown. */
  late = false;
  /** The rounds after the first one, which begins the call. */
  readonly history: Operation<CallAsk, CallAnswer>[] = [];

  constructor(readonly payment: Payment) {}

  /** True if the call is answered or its outcome is unknown. */
  get over(): boolean {
    return this.answer !== undefined || this.unknown;
  }

  /** Returns the first round. */
  start(): Call {
    return { method: 'tools/call', params: { name: 'pay', arguments: this.payment } };
  }

  /** Returns a later round. */
  round(token: Token, answer: Answer): Call {
    token.sent += 1;
    const { state, asks } = token;
    const { method, params } = this.start();
    const inputResponses = answer === 'nothing' ? {} : { [asks]: ANSWERS[asks][answer] };
    return { method, params: { ...params, requestState: state, inputResponses } };
  }

  /** Notes a round without an answer. It may have had an effect, or may have one later. */
  noteCut(from: number): void {
    this.history.push({ ask: 'request', answer: undefined, from, to: Infinity });
  }

  /** Notes the answer to a round. */
  note(said: Said, { result }: Reply, from: number): void {
    const text = JSON.stringify(result);
    const run = /"run":"([^"]+)"|by run ([0-9a-f-]+)/.exec(text)?.slice(1).find(Boolean);
    const answer = said === 'answered' ? ({ said: 'ended', text, run } as const) : MEANING[said];
    this.history.push({ ask: 'request', answer, from, to: Date.now() });
  }

  /**
   * Returns the function for the reply to the next request, which must not contradict an answer
   * that is known when the request is sent.
   *
   * @throws {Contradiction} From the returned function. An undocumented reply throws another error.
   */
  expect(): (reply: Reply) => Said {
    const isAnswered = this.answer !== undefined;
    return (reply) => {
      const said = readReply(reply);
      if (isAnswered && said === 'asked')
        throw new Contradiction(`the call moved backwards: ${JSON.stringify(reply)}`);
      if (said !== 'store_unavailable') this.take(said, reply.result ?? {});
      return said;
    };
  }

  private take(said: Said, result: Result): void {
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
      throw new Contradiction(`the first answer was ${this.answer}, and a later one ${answer}`);
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

/** @throws Error If the reply is undocumented. */
function readReply({ result, error }: Reply): Said {
  if (result === undefined)
    throw new Error(`the server returned an error: ${JSON.stringify(error)}`);
  if (result.requestState !== undefined) return 'asked';
  const reason = (result._meta as Result | undefined)?.['mcp-resolve/once'];
  if (reason === undefined) return 'answered';
  if (isSaid(reason)) return reason;
  throw new Error(`the reply has an undocumented reason: ${JSON.stringify(result)}`);
}

function isSaid(reason: unknown): reason is Said {
  return typeof reason === 'string' && Object.hasOwn(MEANING, reason);
}
