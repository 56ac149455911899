/**
 * The cheats of the page. Each takes one dishonest step with a call that the user has just made,
 * and explains the outcome. The steps are those of `probe`.
 */
import { accept } from '../../../client/answers.js';
import { resumeCall } from '../../../client/startCall.js';
import type { Call, OpenCall } from '../../../client/startCall.js';
import { requestOf } from '../../../client/target.js';
import { explain } from '../../graph/explain.js';
import { approvalsOf } from '../../testing/approvers.js';
import { answerHonestly, handOver, swapArguments, tamper } from '../../testing/attacks.js';
import type { Attack, AttackContext } from '../../testing/misuse.js';
import { attempt } from '../../testing/misuse.js';
import { startSubject } from '../../testing/run.js';
import { changeOne } from '../changeOne.js';
import { explainCheat } from '../cheatWords.js';
import type { AuthData, CheatName, CheatReport, Outline, RunNews, WireNews } from '../protocol.js';
import { decideAt } from './runDesk.js';
import { callerOf, LiveRun, PATIENCE } from './liveRun.js';

/** Takes a dishonest step after a run, and reports its outcome. */
export async function cheatWith(
  run: LiveRun,
  cheat: CheatName,
  outline: Outline,
): Promise<CheatReport> {
  const heard = listen(run);
  try {
    const { sent, step, on = run } = await STEPS[cheat](run, outline);
    const before = on.subject.bodyRuns();
    const reported = on.servers.reported.length;
    const end = await attempt(step);
    const bodyRuns = on.subject.bodyRuns() - before;
    const errors = on.servers.reported.slice(reported).map(({ message }) => message);
    const approvals = approvalsOf(end.result)?.state;
    const outcome = { ...end, bodyRuns, approvals, once: outline.explanation.once };
    if (on !== run) await on.stop();
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
  };
  return { log, wire, end: () => (run.tell = tell) };
}

interface Step {
  /** The step in words. */
  readonly sent: string;
  readonly step: () => Promise<Call>;
  /** The run whose body may run. Default: the run of the page. */
  readonly on?: LiveRun;
}

const STEPS: Readonly<Record<CheatName, (run: LiveRun, outline: Outline) => Promise<Step>>> = {
  replay: async (run) => ({
    sent: isByDesk(run)
      ? 'The approved call once more.'
      : 'The last round once more: the same answers and the same state.',
    step: isByDesk(run)
      ? () => startSubject(run.clientOfRun(), run.subject, PATIENCE)
      : await prepare(run, answerHonestly),
  }),

  swap: async (run, { schema }) => {
    const { args, words } = changeOne(run.spec.args, schema);
    const subject = run.prepare(args);
    if (isByDesk(run)) {
      const step = () => startSubject(run.clientOfRun(), subject, PATIENCE);
      return { sent: `The approved call, with ${words}.`, step };
    }
    const attack = swapArguments(() => requestOf(subject.target));
    return { sent: `The approval of this call, with ${words}.`, step: await prepare(run, attack) };
  },

  spoil: async (run) => ({
    sent: 'The honest answers, with one letter of the state changed.',
    step: await prepare(run, tamper),
  }),

  otherUser: async (run) => {
    const authInfo = callerOf(asAnotherUser(run.spec.authInfo));
    if (isByDesk(run)) {
      const client = await run.connectAs({ authInfo });
      const step = () => startSubject(client, run.subject, PATIENCE);
      return { sent: 'The approved call, with the token of another user.', step };
    }
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
    if (run.requests.length > 0) {
      const on = await decidedCopy(run);
      const step = both(() => startSubject(on.clientOfRun(), on.subject, PATIENCE));
      return { sent: 'A new call with the same approval, in two requests at once.', step, on };
    }
    const last = await replayToLast(run);
    const step = both(() => last.call.answer(last.answers));
    return { sent: 'A new call, and its last answer in two requests at the same time.', step };
  },
};

/** Returns true if approvals stopped the call and no token did, so a cheat sends whole calls. */
function isByDesk({ requests, rounds }: LiveRun): boolean {
  return requests.length > 0 && rounds.length === 0;
}

/** Sends a request twice at the same time. Reports the one that was refused, if one was. */
function both(send: () => Promise<Call>): () => Promise<Call> {
  return async () => {
    const [one, other] = await Promise.allSettled([send(), send()]);
    if (one.status === 'rejected') throw one.reason;
    if (other.status === 'rejected') throw other.reason;
    const { value } = other;
    return value.done && approvalsOf(value.result) !== undefined ? value : one.value;
  };
}

/** Makes the call again on a desk of its own, with the same answers and the same decisions. */
async function decidedCopy(run: LiveRun): Promise<LiveRun> {
  const answers = run.rounds.map((round) => round.answers);
  const copy = new LiveRun(run.definition, run.spec, (news) => {
    if (news.type === 'asks') queueMicrotask(() => copy.answer(answers.shift() ?? {}));
    run.tell(news);
  });
  await copy.play();
  for (const decision of run.decisions) {
    const { resolver } = run.requests.find(({ id }) => id === decision.id) ?? {};
    const request = copy.requests.find((one) => one.resolver === resolver);
    if (request === undefined || copy.subject.desk === undefined) continue;
    await decideAt(copy.subject.desk, request, { ...decision, id: request.id });
  }
  return copy;
}

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
