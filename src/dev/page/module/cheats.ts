/**
 * The cheats of the page. Each takes one dishonest step with a call that the user has just made,
 * and explains the outcome. The steps are those of `probe`.
 */
import { accept } from '../../../client/answers.js';
import { resumeCall } from '../../../client/startCall.js';
import type { Call, OpenCall } from '../../../client/startCall.js';
import { requestOf } from '../../../client/target.js';
import { explain } from '../../graph/explain.js';
import { answerHonestly, handOver, swapArguments, tamper } from '../../testing/attacks.js';
import type { Attack, AttackContext } from '../../testing/misuse.js';
import { attempt } from '../../testing/misuse.js';
import { startSubject } from '../../testing/run.js';
import { changeOne } from '../changeOne.js';
import { explainCheat } from '../cheatWords.js';
import type { AuthData, CheatName, CheatReport, Outline, RunNews, WireNews } from '../protocol.js';
import { callerOf, PATIENCE } from './liveRun.js';
import type { LiveRun } from './liveRun.js';

/** Takes a dishonest step after a run, and reports its outcome. */
export async function cheatWith(
  run: LiveRun,
  cheat: CheatName,
  outline: Outline,
): Promise<CheatReport> {
  const heard = listen(run);
  try {
    const { sent, step } = await STEPS[cheat](run, outline);
    const before = run.subject.bodyRuns();
    const reported = run.servers.reported.length;
    const end = await attempt(step);
    const bodyRuns = run.subject.bodyRuns() - before;
    const errors = run.servers.reported.slice(reported).map(({ message }) => message);
    const outcome = { ...end, bodyRuns, once: outline.explanation.once };
    return {
      cheat,
      ...explainCheat(cheat, outcome),
      sent,
      received: receivedWords(end),
      log: [...new Set([...heard.log, ...errors])],
      bodyRuns,
      wire: heard.wire,
    };
  } finally {
    heard.end();
  }
}

/** Reports a step that could not be taken. */
export function impossible(cheat: CheatName, why: string): CheatReport {
  const nothing = { sent: 'Nothing.', received: 'Nothing.', log: [], bodyRuns: 0, wire: [] };
  return { cheat, verdict: 'impossible', why, ...nothing };
}

/** Takes the news of a run aside, so that the page keeps the honest run. */
function listen(run: LiveRun) {
  const { tell } = run;
  const log: string[] = [];
  const wire: WireNews[] = [];
  run.tell = (news: RunNews): void => {
    if (news.type === 'wire') wire.push(news);
    if (news.type === 'log') log.push(news.text);
    if (news.type === 'event' && news.event.type === 'rejected') {
      log.push(`rejected ${news.event.method}: ${news.event.reason}`);
    }
  };
  return { log, wire, end: () => (run.tell = tell) };
}

interface Step {
  /** The step in words. */
  readonly sent: string;
  readonly step: () => Promise<Call>;
}

const STEPS: Readonly<Record<CheatName, (run: LiveRun, outline: Outline) => Promise<Step>>> = {
  replay: async (run) => ({
    sent: 'The last round once more: the same answers and the same state.',
    step: await prepare(run, answerHonestly),
  }),

  swap: async (run, { schema }) => {
    const { args, words } = changeOne(run.spec.args, schema);
    const attack = swapArguments(() => requestOf(run.prepare(args).target));
    return { sent: `The approval of this call, with ${words}.`, step: await prepare(run, attack) };
  },

  spoil: async (run) => ({
    sent: 'The honest answers, with one letter of the state changed.',
    step: await prepare(run, tamper),
  }),

  otherUser: async (run) => {
    const authInfo = callerOf(asAnotherUser(run.spec.authInfo));
    const step = await prepare(run, handOver({ authInfo }));
    return { sent: 'The honest answers and the state, with the token of another user.', step };
  },

  unasked: async (run) => {
    const call = await startSubject(run.clientOfRun(), run.subject, PATIENCE);
    if (call.done) throw new TypeError('The call asked nothing this time.');
    const saved = call.toJSON();
    const questions = { ...saved.questions, [UNASKED]: ANY_QUESTION };
    const step = (): Promise<Call> =>
      resumeCall(run.clientOfRun(), { ...saved, questions }).answer({ [UNASKED]: accept() });
    return { sent: `A new call. Then an answer to '${UNASKED}', and none to its question.`, step };
  },

  hidden: (run) => {
    const { parameters } = explain(run.definition);
    const forged = Object.fromEntries(parameters.map(({ name }) => [name, true]));
    const subject = run.prepare({ ...run.spec.args, ...forged });
    const names = parameters.map(({ name }) => `${name}: true`).join(', ');
    const step = () => startSubject(run.clientOfRun(), subject, PATIENCE);
    return Promise.resolve({ sent: `A new call with ${names} among the arguments.`, step });
  },

  twice: async (run) => {
    const last = await replayToLast(run);
    const step = async (): Promise<Call> => {
      const both = await Promise.allSettled([
        last.call.answer(last.answers),
        last.call.answer(last.answers),
      ]);
      const [one, other] = both;
      const worse = other.status === 'rejected' ? other : one;
      if (worse.status === 'rejected') throw worse.reason;
      return worse.value;
    };
    return { sent: 'A new call, and its last answer in two requests at the same time.', step };
  },
};

const UNASKED = 'not_asked';
const ANY_QUESTION = { method: 'roots/list' } as const;

/** Prepares an attack on the last round of a run. */
function prepare(run: LiveRun, attack: Attack): Promise<() => Promise<Call>> {
  const { call, answers } = lastOf(run);
  const context: AttackContext = {
    client: run.clientOfRun(),
    call,
    answersTo: () => Promise.resolve(answers),
    connectAs: (caller) => run.connectAs(caller),
  };
  return attack(context);
}

function lastOf({ rounds }: LiveRun): LiveRun['rounds'][number] {
  const last = rounds.at(-1);
  if (last === undefined) throw new TypeError('The call asked nothing, so there is no state.');
  return last;
}

/** Makes the call again with the same answers, up to its last round of questions. */
async function replayToLast(run: LiveRun): Promise<LiveRun['rounds'][number]> {
  let call = await startSubject(run.clientOfRun(), run.subject, PATIENCE);
  for (const { answers } of run.rounds.slice(0, -1)) {
    if (call.done) break;
    call = await call.answer(answers);
  }
  if (call.done)
    throw new TypeError('The call ended earlier this time, so nothing can be sent twice.');
  const open: OpenCall = call;
  return { call: open, answers: lastOf(run).answers };
}

/** Changes only the user, so that nothing else can cause a refusal. */
function asAnotherUser(authInfo: AuthData = {}): AuthData {
  const { extra } = authInfo;
  return { ...authInfo, extra: { ...(extra as AuthData | undefined), sub: 'somebody else' } };
}

function receivedWords({ error, text, asks }: Awaited<ReturnType<typeof attempt>>): string {
  if (error !== undefined) return `Error ${error.code}: ${error.message}`;
  return asks.length > 0 ? `The question again: ${asks.join(', ')}` : text;
}
