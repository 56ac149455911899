/** Reads the news of a run: its moments, its rounds, and the state of each resolver at a moment. */
import type { AskedKind } from '../../../author/context.js';
import type { CallEvent } from '../../../author/event.js';
import type { Explanation } from '../../graph/explanation.js';
import type { AskedQuestion } from '../../testing/askedQuestion.js';
import type {
  CheatName,
  CheatReport,
  RunEnding,
  RunNews,
  RunSpec,
  WaitingRequest,
  WireNews,
} from '../protocol.js';

/** The state of a resolver, or of the body, at a moment. */
export type NodeState =
  | 'idle'
  | 'running'
  | 'computed'
  | 'done'
  | 'pinned'
  | 'restored'
  | 'asked'
  | 'answered'
  | 'declined'
  | 'fell back'
  | 'failed'
  | 'skipped'
  | 'stopped';

/** A resolver, or the body, at a moment. */
export interface NodeView {
  readonly state: NodeState;
  readonly value?: string;
  readonly durationMs?: number;
}

/** Something that changes the graph. */
export interface Moment {
  readonly label: string;
  readonly news: Extract<RunNews, { type: 'event' | 'running' }>;
}

/** A part of a run that ends with a question or with the call. */
export interface Step {
  readonly label: string;
  /** The number of moments at its end. */
  readonly end: number;
}

/** A run, as far as it has come. */
export interface RunView {
  readonly spec: RunSpec;
  readonly moments: readonly Moment[];
  readonly steps: readonly Step[];
  readonly events: readonly CallEvent[];
  /** The open questions. */
  readonly questions: readonly AskedQuestion[];
  /** All questions and their answers, in order. */
  readonly answered: readonly Answered[];
  /** The requests for approval. */
  readonly requests: readonly WaitingRequest[];
  readonly decisions: readonly Decision[];
  readonly wire: readonly WireNews[];
  readonly log: readonly string[];
  readonly ending: RunEnding | undefined;
  /** True if the process that made the call has ended, so no cheat can use it. */
  readonly lost: boolean;
  readonly cheating: CheatName | undefined;
  readonly cheats: ReadonlyMap<CheatName, CheatReport>;
}

/** A decision on a request for approval, and its outcome. */
export type Decision = Extract<RunNews, { type: 'decided' }>;

/** A question and its answer. */
export interface Answered {
  readonly question: AskedQuestion;
  readonly answer: unknown;
}

/** Reads a run from its news. Returns `undefined` before the first one. */
export function viewOf(news: readonly RunNews[]): RunView | undefined {
  const [first] = news;
  if (first?.type !== 'began') return undefined;
  const { spec } = first;
  const moments = news.flatMap((one) => momentsOf(one));
  const events = news.flatMap((one) => (one.type === 'event' ? [one.event] : []));
  const cheating = news.findLast(({ type }) => type === 'cheating' || type === 'cheated');
  return {
    spec,
    moments,
    steps: stepsOf(moments, spec.era === 'legacy'),
    events,
    ...questionsIn(news),
    requests: news.findLast((one) => one.type === 'requests')?.requests ?? [],
    decisions: news.filter((one) => one.type === 'decided'),
    wire: news.filter((one) => one.type === 'wire'),
    log: news.flatMap((one) => (one.type === 'log' ? [one.text] : [])),
    ending: endingIn(news),
    lost: news.some(({ type }) => type === 'lost'),
    cheating: cheating?.type === 'cheating' ? cheating.cheat : undefined,
    cheats: new Map(
      news.flatMap((one) => (one.type === 'cheated' ? [[one.report.cheat, one.report]] : [])),
    ),
  };
}

/** Returns the end of the latest call of a run. A run whose process has ended was stopped. */
function endingIn(news: readonly RunNews[]): RunEnding | undefined {
  const latest = news.slice(news.findLastIndex(({ type }) => type === 'again') + 1);
  const [ending] = latest.flatMap((one) => (one.type === 'ended' ? [one.ending] : []));
  if (ending !== undefined || !news.some(({ type }) => type === 'lost')) return ending;
  return { end: 'stopped', text: 'The process of the module ended during the call.' };
}

function questionsIn(news: readonly RunNews[]): Pick<RunView, 'questions' | 'answered'> {
  let questions: readonly AskedQuestion[] = [];
  const answered: Answered[] = [];
  for (const one of news) {
    if (one.type === 'asks') questions = one.questions;
    if (one.type === 'ended' || one.type === 'lost') questions = [];
    if (one.type !== 'answers') continue;
    const given = one.answers;
    answered.push(...questions.map((question) => ({ question, answer: given[question.key] })));
    questions = [];
  }
  return { questions, answered };
}

function momentsOf(news: RunNews): Moment[] {
  if (news.type === 'running') return [{ label: `${news.resolver || 'the body'} starts`, news }];
  if (news.type !== 'event') return [];
  return [{ label: labelOf(news.event), news }];
}

function labelOf(event: CallEvent): string {
  switch (event.type) {
    case 'started':
      return event.resumed ? 'the client calls again' : 'the client calls';
    case 'ran':
      return `${event.resolver} ${{ value: 'returns a value', question: 'returns a question', error: 'throws' }[event.gave]}`;
    case 'restored':
      return `${event.resolver} is restored from its pin`;
    case 'asked':
      return `${event.resolver} asks`;
    case 'answered':
      return `${event.resolver} is answered`;
    case 'declined':
      return `${event.resolver}: ${event.action}`;
    case 'fellBack':
      return `${event.resolver} falls back`;
    case 'completed':
      return event.end === 'asked'
        ? 'the request ends, and the call waits'
        : `the call ${event.end}`;
    case 'rejected':
      return 'the state is rejected';
  }
}

/** Splits a run where it waits for the user. On the legacy era one request contains all rounds. */
function stepsOf(moments: readonly Moment[], legacy: boolean): Step[] {
  const steps: Step[] = [];
  const asked = new Map<string, AskedKind>();
  for (const [index, { news }] of moments.entries()) {
    if (news.type !== 'event') continue;
    const { event } = news;
    if (event.type === 'asked') asked.set(event.resolver, event.kind);
    const isApproval = [...asked.values()].includes('approval');
    const waits =
      event.type === 'completed'
        ? event.end === 'asked'
        : event.type === 'asked' && legacy && event.kind !== 'approval';
    if (!waits && event.type !== 'completed') continue;
    const verb = isApproval ? 'waits for' : 'asks';
    const end = waits ? `${verb} ${[...asked.keys()].join(', ')}` : endWords(event);
    steps.push({ label: `${steps.length + 1}: ${end}`, end: index + 1 });
    asked.clear();
  }
  return steps;
}

function endWords(event: CallEvent): string {
  if (event.type !== 'completed') return '';
  return event.replayed ? 'recorded result' : event.end;
}

/** The key of the body among the nodes. No resolver has this key. */
export const BODY_KEY = '';

/** The part of a definition that decides on states. */
export type Explained = Pick<Explanation, 'resolvers' | 'guards'>;

/** Returns the state of every resolver and of the body after a number of moments. */
export function nodesAt(
  moments: readonly Moment[],
  explained: Explained,
  isStopped = false,
): ReadonlyMap<string, NodeView> {
  const nodes = new Map<string, NodeView>();
  for (const { news } of moments) {
    if (news.type === 'running') nodes.set(news.resolver, { state: 'running' });
    else apply(news.event, nodes, explained);
  }
  if (isStopped) replaceRunning(nodes, 'stopped');
  return nodes;
}

function replaceRunning(nodes: Map<string, NodeView>, state: NodeState): void {
  for (const [key, node] of nodes) if (node.state === 'running') nodes.set(key, { state });
}

function apply(event: CallEvent, nodes: Map<string, NodeView>, explained: Explained): void {
  switch (event.type) {
    case 'started': {
      nodes.clear();
      return;
    }
    case 'completed': {
      end(event.end, event.replayed, nodes);
      return;
    }
    case 'rejected':
      return;
    case 'ran': {
      const state = stateAfter(event, explained);
      return void nodes.set(event.resolver, {
        state,
        durationMs: event.durationMs,
        ...(event.gave === 'value' && { value: String(event.value) }),
      });
    }
    case 'restored':
    case 'asked':
    case 'answered':
    case 'declined':
    case 'fellBack': {
      const state = event.type === 'fellBack' ? 'fell back' : event.type;
      const before = nodes.get(event.resolver);
      const value = 'value' in event ? String(event.value) : undefined;
      return void nodes.set(event.resolver, {
        state,
        ...(before?.durationMs !== undefined && { durationMs: before.durationMs }),
        ...(value !== undefined && { value }),
      });
    }
  }
}

/** Returns the state of a resolver whose function ran. A guard refuses with every value but true. */
function stateAfter(
  { resolver, gave, value }: Extract<CallEvent, { type: 'ran' }>,
  { resolvers, guards }: Explained,
): NodeState {
  if (gave !== 'value') return gave === 'question' ? 'asked' : 'failed';
  if (guards.includes(resolver) && value !== 'true') return 'failed';
  return resolvers.some(({ key, pinned }) => key === resolver && pinned) ? 'pinned' : 'computed';
}

/** Notes the end of a request. Resolvers that still have no state did not run. */
function end(how: string, replayed: boolean, nodes: Map<string, NodeView>): void {
  const body: Readonly<Record<string, NodeState>> = { completed: 'done', asked: 'idle' };
  const otherwise = nodes.has(BODY_KEY) ? 'failed' : 'skipped';
  nodes.set(BODY_KEY, { state: replayed ? 'restored' : (body[how] ?? otherwise) });
  replaceRunning(nodes, 'skipped');
}

/** Returns the state of a resolver that has no entry. After the end of a call it was skipped. */
export function restingState(nodes: ReadonlyMap<string, NodeView>): NodeState {
  const body = nodes.get(BODY_KEY)?.state;
  return body === undefined || body === 'idle' ? 'idle' : 'skipped';
}
