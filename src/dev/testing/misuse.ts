/**
 * Plays a call honestly up to one of its rounds, attacks that round's token, and reports the
 * outcome.
 */
import type { Client } from '@modelcontextprotocol/client';
import type { Answer } from '../../client/answers.js';
import type { Call, OpenCall } from '../../client/startCall.js';
import { isObject } from '../../values.js';
import { messageOf } from '../../errors.js';
import type { RequestStateSeal } from '../../host/requestStateSeal.js';
import { AnswerScript } from './answerScript.js';
import { connect } from './connection.js';
import type { Caller, Connection } from './connection.js';
import { shorten } from './formatQuestion.js';
import { startSubject } from './run.js';
import type { CallerOptions } from './runOptions.js';
import { protocolErrorOf, resultText } from './runResult.js';
import type { AnyResult, RunError } from './runResult.js';
import type { Subject } from './subject.js';
import { createTestServers } from './testServer.js';

/** The outcome of a misuse. */
export interface Misuse<Result = AnyResult> {
  /** True if the body did not run. */
  readonly refused: boolean;
  /** The protocol error that the server returned, if any. */
  readonly error: RunError | undefined;
  /** The result that the server returned, if any. For a refused replay, the recorded result. */
  readonly result: Result | undefined;
  /** The wire keys of the questions that the server asked again. */
  readonly asks: readonly string[];
  /** All text of the result, or the message of the protocol error. */
  readonly text: string;
}

/** Everything that an attack can use. */
export interface AttackContext {
  readonly client: Client;
  /** The open call, with its token. */
  readonly call: OpenCall;
  /** Returns the honest answers to a call's questions. */
  readonly answersTo: (call: OpenCall) => Promise<Record<string, Answer>>;
  /** Connects as another caller. */
  readonly connectAs: (caller: Caller) => Promise<Client>;
}

/** A way to misuse a token. Prepares the call honestly and returns the dishonest step. */
export type Attack = (context: AttackContext) => Promise<() => Promise<Call>>;

/** The parameters of {@link runAttack}. */
export interface AttackSpec {
  readonly options: CallerOptions & { readonly round?: number };
  readonly attack: Attack;
  /** Replaces the seal of the servers. */
  readonly reseal?: (seal: RequestStateSeal) => RequestStateSeal;
}

/** Runs an attack once. */
export async function runAttack(subject: Subject, spec: AttackSpec): Promise<Misuse> {
  const { factory } = createTestServers(subject, spec.options, spec.reseal);
  const connections: Connection[] = [];
  const connectAs = async (caller: Caller): Promise<Client> => {
    const answer = (): Promise<never> =>
      Promise.reject(
        new Error('The server pushed a question on the modern era, which does not push questions.'),
      );
    const connection = await connect({ era: 'modern', factory, caller, answer });
    connections.push(connection);
    return connection.client;
  };
  try {
    const step = await prepare(subject, spec, connectAs);
    const before = subject.bodyRuns();
    const end = await attempt(step);
    return { refused: subject.bodyRuns() === before, ...end };
  } finally {
    for (const { close } of connections.reverse()) await close();
  }
}

/** Plays the call honestly up to its round and returns the dishonest step. */
async function prepare(
  subject: Subject,
  { options, attack }: AttackSpec,
  connectAs: AttackContext['connectAs'],
): Promise<() => Promise<Call>> {
  const script = new AnswerScript(subject.name, options.answers);
  const client = await connectAs(options);
  let round = 1;
  const answersTo: AttackContext['answersTo'] = ({ questions }) =>
    script.answerAll(questions, round);
  try {
    let call = await startSubject(client, subject);
    for (; !call.done && round < (options.round ?? 1); round += 1) {
      call = await call.answer(await answersTo(call));
    }
    if (call.done) throw new Error(noToken(subject, round, resultText(call.result)));
    return await attack({ client, call, answersTo, connectAs });
  } catch (error) {
    script.assertNoFailure();
    throw honestFailure(subject, error);
  }
}

/** Takes the dishonest step and reports its outcome. */
export async function attempt(step: () => Promise<Call>): Promise<Omit<Misuse, 'refused'>> {
  const end = { error: undefined, result: undefined, asks: [], text: '' };
  try {
    const call = await step();
    if (!call.done) return { ...end, asks: Object.keys(call.questions) };
    return { ...end, result: call.result, text: resultText(call.result) };
  } catch (thrown) {
    const error = protocolErrorOf(thrown);
    return { ...end, error, text: error.message };
  }
}

function noToken({ name }: Subject, round: number, text: string): string {
  const where = round === 1 ? '' : ` in round ${round}`;
  return `'${name}' asks nothing${where}, so there is no token to misuse. It ended with '${shorten(text)}'. Pass arguments that make it ask${round === 1 ? '' : ', or an earlier `round`'}.`;
}

/** Wraps a protocol error that came before the dishonest step. */
function honestFailure({ name }: Subject, error: unknown): unknown {
  if (!isObject(error) || typeof error.code !== 'number') return error;
  const text = `'${name}' failed before its token could be misused: ${messageOf(error)}`;
  return new Error(text, { cause: error });
}
