/**
 * The two states of a call, told apart by `done`.
 *
 * ```
 *  startCall ──┬──► FinishedCall { done: true, result }
 *              │            ▲
 *              └──► OpenCall { done: false, questions }  ◄── resumeCall
 *                       │   ▲                                     ▲
 *             answer(…) └───┘      JSON.stringify(call) ──────────┘
 * ```
 */
import type { Answers } from './answers.js';
import type { CallOptions } from './sendRound.js';
import type { OpenQuestions } from './openQuestions.js';
import type { SavedCall } from './savedCall.js';
import type { CallMethod, CallParams, CallResults } from './target.js';

/** A call that came to its end. */
export interface FinishedCall<M extends CallMethod = CallMethod> {
  readonly done: true;
  readonly method: M;
  readonly params: CallParams[M];
  /** The server's result; of a tool also one with `isError`. */
  readonly result: CallResults[M];
}

/**
 * A call that waits for answers. It holds no connection and no timer, so it can wait for as long as
 * its server honours it, here or, as JSON, anywhere else.
 */
export interface OpenCall<M extends CallMethod = CallMethod> {
  readonly done: false;
  readonly method: M;
  readonly params: CallParams[M];
  /** What the server asks, by wire key. */
  readonly questions: OpenQuestions;
  /**
   * Sends the next round: these answers, and the server's state as it came. What is not answered is
   * asked again, or taken as the server sees fit.
   *
   * A round without questions is the server's wish to be asked again later: wait a little (the
   * SDK's own loop waits 250 ms) and continue with `answer({})`.
   *
   * The same open call can be answered more than once, for instance when a reply was lost or an
   * answer was refused: each time the server takes up the call from here. Whether a call that was
   * finished may be finished again is the server's decision.
   *
   * @throws {TypeError} If a key was not asked or an answer is no result; nothing is sent then.
   * @throws {ProtocolError} If the server refuses the round, for instance its state.
   */
  readonly answer: (answers: Answers, options?: CallOptions) => Promise<Call<M>>;
  /**
   * The call as plain data, for `JSON.stringify(call)`. It holds the arguments, and the state with
   * which the call can be finished: store it as you would store a session.
   */
  readonly toJSON: () => SavedCall<M>;
}

/** A call after a round: finished, or open. */
export type Call<M extends CallMethod = CallMethod> =
  { [K in M]: FinishedCall<K> }[M] | OpenCall<M>;
