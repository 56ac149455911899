/**
 * Plays a call honestly up to one of its rounds, lets something be done with that round's token,
 * and tells what came of it.
 */
import type { Client } from '@modelcontextprotocol/client';
import { isObject } from '../../define/schema.js';
import { messageOf } from '../../errors.js';
import type { RequestStateSeal } from '../../server/requestStateSeal.js';
import type { Answer } from '../../client/answers.js';
import type { Call, OpenCall } from '../../client/startCall.js';
import { connect } from './connection.js';
import type { Caller, Connection } from './connection.js';
import type { Subject } from './subject.js';
import type { CallerOptions } from './runOptions.js';
import { Person } from './answerScript.js';
import type { AnyResult, RunError } from './runResult.js';
import { protocolErrorOf, textOf } from './runResult.js';
import { answersTo, begin } from './run.js';
import { shortened } from './formatQuestion.js';
import { setStage } from './testServer.js';

/** What came of a misuse. */
export interface Misuse<Result = AnyResult> {
  /** Whether the body did not run for it. */
  readonly refused: boolean;
  /** The protocol error that it got, if it was one. */
  readonly error: RunError | undefined;
  /** The result that it got, if there was one; for a replay that is refused, the recorded one. */
  readonly result: Result | undefined;
  /** The wire keys of what it was asked again, if it was. */
  readonly asks: readonly string[];
  /** All text of the result, or the message of the protocol error. */
  readonly text: string;
}

/** What a misuse has in its hands. */
export interface Hand {
  readonly client: Client;
  /** The open call, with its token. */
  readonly call: OpenCall;
  /** The honest answers to what a call asks. */
  readonly answersTo: (call: OpenCall) => Promise<Record<string, Answer>>;
  /** Connects as somebody else. */
  readonly connectAs: (caller: Caller) => Promise<Client>;
}

/** One way to misuse a token: prepares it honestly, and gives what is dishonest. */
export type Trick = (hand: Hand) => Promise<() => Promise<Call>>;

/** What a misuse is tried with. */
export interface Trial {
  readonly options: CallerOptions & { readonly round?: number };
  readonly trick: Trick;
  /** Puts another seal in the place of the one that would be used. */
  readonly reseal?: (seal: RequestStateSeal) => RequestStateSeal;
}

/** Tries a misuse, once. */
export async function attempt(subject: Subject, trial: Trial): Promise<Misuse> {
  const { options, reseal } = trial;
  const { factory } = setStage(subject, options, reseal);
  const connections: Connection[] = [];
  const connectAs = async (caller: Caller): Promise<Client> => {
    const answer = (): Promise<never> => Promise.reject(new Error('not of this era'));
    const connection = await connect({ era: 'modern', factory, caller, answer });
    connections.push(connection);
    return connection.client;
  };
  try {
    return await tried(subject, trial, connectAs);
  } finally {
    for (const { close } of connections.reverse()) await close();
  }
}

async function tried(
  subject: Subject,
  { options, trick }: Trial,
  connectAs: Hand['connectAs'],
): Promise<Misuse> {
  const { round = 1 } = options;
  const person = new Person(subject.name, options.answers);
  const client = await connectAs(options);
  let rounds = 1;
  const answering = { person, round: () => rounds };
  const honest: Hand['answersTo'] = ({ questions }) => answersTo(questions, answering);
  const open = async (): Promise<() => Promise<Call>> => {
    let call = await begin(client, subject);
    for (; !call.done && rounds < round; rounds += 1) call = await call.answer(await honest(call));
    if (call.done) throw new Error(noToken(subject, rounds, textOf(call.result)));
    return trick({ client, call, answersTo: honest, connectAs });
  };
  const misuse = await open().catch((error: unknown) => {
    person.assertPlayed();
    throw honestFailure(subject, error);
  });
  const before = subject.bodyRuns();
  const end = await misuse().then(endOf, (error: unknown) => errorEnd(protocolErrorOf(error)));
  return { refused: subject.bodyRuns() === before, ...end };
}

function endOf(call: Call): Omit<Misuse, 'refused'> {
  if (!call.done) {
    return { error: undefined, result: undefined, asks: Object.keys(call.questions), text: '' };
  }
  return { error: undefined, result: call.result, asks: [], text: textOf(call.result) };
}

function errorEnd(error: RunError): Omit<Misuse, 'refused'> {
  return { error, result: undefined, asks: [], text: error.message };
}

function noToken({ name }: Subject, round: number, text: string): string {
  const what = round === 1 ? 'asks nothing' : `asks nothing any more in round ${round}`;
  return `'${name}' ${what}, so there is no token to misuse. It ended with '${shortened(text)}'. Give arguments with which it asks${round === 1 ? '' : ', or an earlier round'}.`;
}

/** What went wrong before anything dishonest was done. */
function honestFailure({ name }: Subject, error: unknown): unknown {
  if (!isObject(error) || typeof error.code !== 'number') return error;
  const text = `'${name}' ended before its token could be misused: ${messageOf(error)}`;
  return new Error(text, { cause: error });
}
