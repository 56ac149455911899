/**
 * Calls a definition through an SDK client and an SDK server, with scripted answers. The same
 * function serves both eras.
 */
import type { Client, Tool as ListedTool } from '@modelcontextprotocol/client';
import type { Answer } from '../../client/answers.js';
import { startCall } from '../../client/startCall.js';
import type { Call } from '../../client/startCall.js';
import type { CallOptions } from '../../client/sendRound.js';
import type { AnyDefinition } from '../../definition/definitions.js';
import { AnswerScript } from './answerScript.js';
import { keyOfPushed, questionFrom } from './askedQuestion.js';
import type { InputRequest } from './askedQuestion.js';
import { connect } from './connection.js';
import { Approvers } from './approvers.js';
import { checkRunOptions, MAX_ROUNDS, RUN_OPTIONS } from './runOptions.js';
import type { RunOptions } from './runOptions.js';
import { createRun, protocolErrorOf } from './runResult.js';
import type { Ending, Run } from './runResult.js';
import { subjectOf } from './subject.js';
import type { CallOf, ResultOf, Subject } from './subject.js';
import { createTestServers } from './testServer.js';

/**
 * Calls a tool or a prompt with arguments, or a resource at a uri, as a client would. Uses the
 * SDK's own client and server in this process, and `answers` for the questions. If the call ends
 * with a protocol error, the {@link Run} holds it.
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
 * @throws {Error} If a question has no scripted answer, or a scripted answer has no question.
 * @throws {TypeError} If the first argument is not a definition, or the others are invalid.
 */
export async function run<const D extends AnyDefinition>(
  definition: D,
  ...[args, options = {}]: CallOf<D, RunOptions>
): Promise<Run<ResultOf<D>>> {
  checkRunOptions('run', options, RUN_OPTIONS);
  const { overrides = [], approvals } = options;
  const subject = subjectOf({ definition, args, overrides, approvals, caller: 'run' });
  return (await runSubject(subject, options)) as Run<ResultOf<D>>;
}

async function runSubject(subject: Subject, options: RunOptions): Promise<Run> {
  const { era = 'modern', overrides = [], maxRounds = MAX_ROUNDS } = options;
  const { desk } = subject;
  const script = new AnswerScript(subject.name, options.answers);
  const { factory, events, reported } = createTestServers(subject, options);
  const answer = (request: InputRequest): Promise<Answer> => {
    const key = keyOfPushed(events, request);
    return script.answer(questionFrom(request, { key, round: 1 }));
  };
  const { client, close } = await connect({ era, factory, caller: options, answer });
  try {
    const { ending, rounds } = await callUntilDecided(client, subject, {
      ...{ script, maxRounds },
      approvers: desk && new Approvers(desk, script, options.approvals !== undefined),
    });
    script.assertNoFailure();
    const { questions } = script;
    const overridden = new Set(overrides.map(({ resolver }) => resolver));
    const parts = { era, ending, rounds, questions, events, reported, overridden };
    const finished = createRun(subject, parts);
    if (options.unused !== 'allow') script.assertAllUsed(finished);
    return finished;
  } finally {
    await close();
  }
}

interface Conversation {
  readonly script: AnswerScript;
  readonly maxRounds: number;
}

/** Makes a call again each time that somebody has decided on its requests. */
async function callUntilDecided(
  client: Client,
  subject: Subject,
  conversation: Conversation & { readonly approvers: Approvers | undefined },
): Promise<Conversed> {
  const { approvers, maxRounds } = conversation;
  let rounds = 0;
  for (;;) {
    const said = await converse(client, subject, conversation);
    rounds += said.rounds;
    if (!(await approvers?.decide(said.ending.result))) return { ending: said.ending, rounds };
    if (rounds > maxRounds) throw new Error(neverApproved(subject, rounds));
  }
}

function neverApproved({ name }: Subject, rounds: number): string {
  return `'${name}' made a new request for approval in each of ${rounds} calls. Build its text and facts from arguments and pinned values, without timestamps or random ids.`;
}

interface Conversed {
  readonly ending: Ending;
  readonly rounds: number;
}

/** Runs a call to its end, round by round. */
async function converse(
  client: Client,
  subject: Subject,
  { script, maxRounds }: Conversation,
): Promise<Conversed> {
  let rounds = 1;
  try {
    let call = await startSubject(client, subject);
    while (!call.done) {
      if (rounds > maxRounds)
        throw new Error(endless(subject, Object.keys(call.questions), rounds));
      const answers = await script.answerAll(call.questions, rounds);
      rounds += 1;
      call = await call.answer(answers);
    }
    return { ending: { result: call.result }, rounds };
  } catch (error) {
    script.assertNoFailure();
    return { ending: { error: protocolErrorOf(error) }, rounds };
  }
}

/** Sends the first round of a call. The options apply to every round. */
export async function startSubject(
  client: Client,
  { target }: Subject,
  options: CallOptions = {},
): Promise<Call> {
  if ('resource' in target) return startCall(client, target, options);
  if ('prompt' in target) return startCall(client, target, options);
  const toolDefinition = await findListed(client, target.name);
  return startCall(client, target, { ...options, ...(toolDefinition && { toolDefinition }) });
}

/** Finds a tool in `tools/list`. Its definition says which arguments go into headers. */
async function findListed(client: Client, name: string): Promise<ListedTool | undefined> {
  const { tools } = await client.listTools();
  return tools.find((tool) => tool.name === name);
}

function endless({ name }: Subject, keys: readonly string[], rounds: number): string {
  const open = keys.map((key) => `'${key}'`).join(', ');
  return `'${name}' still asks ${open} in round ${rounds}, but clients give up after ${rounds - 1} rounds of questions (\`maxRounds\`). Use the same wording for a question in every round, or shorten the chain of questions.`;
}
