/**
 * Calls a definition through the real SDK: a client, a server, and a scripted person between them.
 * One function for both eras.
 */
import type { Client, Tool as ListedTool } from '@modelcontextprotocol/client';
import { startCall } from '../../client/startCall.js';
import type { Answer } from '../../client/answers.js';
import type { Call } from '../../client/startCall.js';
import type { AnyDefinition } from '../server/definition/definitions.js';
import { connect } from './connection.js';
import { subjectOf } from './subject.js';
import type { CallOf, ResultOf, Subject } from './subject.js';
import { checkOptions, MAX_ROUNDS, RUN_OPTIONS } from './runOptions.js';
import type { RunOptions } from './runOptions.js';
import { Person } from './answerScript.js';
import { keyOfPushed } from './pushed.js';
import { questionFrom } from './askedQuestion.js';
import type { InputRequest } from './askedQuestion.js';
import { protocolErrorOf, tellRun } from './runResult.js';
import type { Ending, Run } from './runResult.js';
import { setStage } from './testServer.js';

/**
 * Calls a tool or a prompt with arguments, or a resource at a uri, as a client would: through the
 * SDK's own client and server, in this process, with whatever `answers` say for the person behind
 * the client. What the call ends with is in the {@link Run}, a protocol error too.
 *
 * @example
 *
 * ```ts
 * const { text, questions } = await run(
 *   payInvoice,
 *   { invoice: 'INV-2' },
 *   { answers: { approved: accept({ confirm: true }) } },
 * );
 * ```
 *
 * @throws {Error} If a question comes that no answer is scripted for, or an answer is scripted that
 *   nobody asks for.
 * @throws {TypeError} If it cannot be called like this.
 */
export async function run<const D extends AnyDefinition>(
  definition: D,
  ...[args, options = {}]: CallOf<D, RunOptions>
): Promise<Run<ResultOf<D>>> {
  checkOptions('run', options, RUN_OPTIONS);
  const { overrides = [] } = options;
  const subject = subjectOf({ definition, args, overrides, caller: 'run' });
  return (await play(subject, options)) as Run<ResultOf<D>>;
}

async function play(subject: Subject, options: RunOptions): Promise<Run> {
  const { era = 'modern', overrides = [] } = options;
  const person = new Person(subject.name, options.answers);
  const { factory, events, reported } = setStage(subject, options);
  const answer = (request: InputRequest): Promise<Answer> => {
    const key = keyOfPushed(events, request);
    return person.answer(questionFrom(request, { key, round: 1 }));
  };
  const { client, close } = await connect({ era, factory, caller: options, answer });
  try {
    const { ending, rounds } = await converse(client, subject, {
      person,
      maxRounds: options.maxRounds ?? MAX_ROUNDS,
    });
    person.assertPlayed();
    const overridden = new Set(overrides.map(({ resolver }) => resolver));
    const { questions } = person;
    const story = { era, ending, rounds, questions, events, reported, overridden };
    const told = tellRun(subject, story);
    if (options.unused !== 'allow') person.assertUsed(told);
    return told;
  } finally {
    await close();
  }
}

interface Conversation {
  readonly person: Person;
  readonly maxRounds: number;
}

/** Goes through a call to its end, round by round. */
async function converse(
  client: Client,
  subject: Subject,
  { person, maxRounds }: Conversation,
): Promise<{ readonly ending: Ending; readonly rounds: number }> {
  let rounds = 1;
  const answering = { person, round: () => rounds };
  try {
    let call = await begin(client, subject);
    while (!call.done) {
      if (rounds > maxRounds)
        throw new Error(endless(subject, Object.keys(call.questions), rounds));
      const answers = await answersTo(call.questions, answering);
      rounds += 1;
      call = await call.answer(answers);
    }
    return { ending: { result: call.result }, rounds };
  } catch (error) {
    person.assertPlayed();
    return { ending: { error: protocolErrorOf(error) }, rounds };
  }
}

/** Sends the first round of a call. */
export async function begin(client: Client, { target }: Subject): Promise<Call> {
  if ('resource' in target) return startCall(client, target);
  if ('prompt' in target) return startCall(client, target);
  const toolDefinition = await listed(client, target.name);
  return startCall(client, target, toolDefinition && { toolDefinition });
}

/** Clients know a tool from its listing, which also says what goes into headers. */
async function listed(client: Client, name: string): Promise<ListedTool | undefined> {
  const { tools } = await client.listTools();
  return tools.find((tool) => tool.name === name);
}

/** Answers the questions of a round, one after the other. */
export async function answersTo(
  questions: Readonly<Record<string, InputRequest>>,
  { person, round }: { readonly person: Person; readonly round: () => number },
): Promise<Record<string, Answer>> {
  const answers: [string, Answer][] = [];
  for (const [key, request] of Object.entries(questions)) {
    const question = questionFrom(request, { key, round: round() });
    answers.push([key, await person.answer(question)]);
  }
  return Object.fromEntries(answers);
}

function endless({ name }: Subject, keys: readonly string[], rounds: number): string {
  const open = keys.map((key) => `'${key}'`).join(', ');
  return `'${name}' still asks ${open} in round ${rounds}, where clients give up (maxRounds is ${rounds - 1}). Is a question worded anew each time, or is the chain of questions that long?`;
}
