/**
 * Runs a call on the engine, on either era, with a scripted user and a scheduler that settles
 * promises in any order. The result can be compared with the oracle's transcript.
 *
 * The transcript is also an input, for two things that only the oracle knows: the question that a
 * push belongs to, because pushes carry no key, and the bodies that the walk does not reach because
 * the call fails before them. If the engine starts such a body, it never returns, and the engine
 * must not wait for it.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallContext } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Resolution } from 'mcp-resolve/engine';
import type { Scheduler } from 'fast-check';

import {
  actOf,
  ARGUMENT_NAMES,
  readWireQuestion,
  realGraph,
  realise,
  responseOf,
  specOf,
  wireQuestion,
} from './calls.js';
import type { CallShape, WireQuestion } from './calls.js';
import { guardNodes } from './oracle.js';
import type { AskedQuestion, CallSpec, End, Transcript } from './oracle.js';

/** A round as an observer sees it. */
export interface SeenRound {
  /** The bodies that ran, with repetitions. */
  readonly ran: readonly number[];
  readonly questions: readonly (WireQuestion & { readonly key?: string })[];
}

/** A call as an observer sees it, with the violations of rules that always hold. */
export interface Seen {
  readonly rounds: readonly SeenRound[];
  readonly end: End;
  readonly violations: readonly string[];
}

/** Converts the oracle's transcript to the form of an observation. Pushes have no key. */
export function expected({ rounds, end }: Transcript, keys: 'keys' | 'no keys'): Seen {
  return {
    rounds: rounds.map(({ ran, questions }) => ({
      ran: sorted(ran),
      questions: questions.map((question) => ({
        ...(keys === 'keys' && { key: question.key }),
        ...wireQuestion(question),
      })),
    })),
    end,
    violations: [],
  };
}

const HUNG: End = { error: 'the engine waits for a promise that never settles' };

const ALL_CAPABILITIES = {
  form: { elicitation: { form: {} } },
  sample: { sampling: {} },
  roots: { roots: {} },
} as const;

/** One call: its resolvers, its observations and its scheduler. */
class Play {
  readonly rounds: SeenRound[] = [];
  readonly violations: string[] = [];
  private readonly plan;
  private readonly spec: CallSpec;
  private readonly guards: ReadonlySet<number>;
  private ran: number[] = [];
  private readonly everRan = new Set<number>();
  private readonly finished = new Set<number>();
  private readonly abandoned: CallContext[] = [];
  private over = false;

  constructor(
    private readonly shape: CallShape,
    private readonly oracle: Transcript,
    private readonly scheduler: Scheduler,
  ) {
    this.spec = specOf(shape);
    this.guards = guardNodes(this.spec);
    const graph = realGraph(this.spec, (index, inputs, ctx) => this.perform(index, inputs, ctx));
    this.plan = planResolvers({ name: 'tool', ...graph }, ARGUMENT_NAMES);
  }

  /** Sends one request to the engine, and waits until it ends or hangs. */
  async request(
    era: 'modern' | 'legacy',
    mcpReq: Partial<ServerContext['mcpReq']>,
  ): Promise<Resolution | End> {
    const { canAnswer, args } = this.spec;
    const kinds = ['form', 'sample', 'roots'] as const;
    const clientCapabilities = Object.assign(
      {},
      ...kinds.filter((kind) => canAnswer[kind]).map((kind) => ALL_CAPABILITIES[kind]),
    ) as object;
    const ending = resolveArguments(this.plan, args, {
      ctx: contextOf(mcpReq),
      protocolVersion: era === 'modern' ? '2026-07-28' : '2025-11-25',
      clientCapabilities,
    }).catch((error: unknown): End => ({ error: (error as Error).message }));
    return this.untilOver(ending);
  }

  /** Records the end of a round: the bodies that ran and the questions. */
  endRound(questions: SeenRound['questions']): void {
    this.rounds.push({ ran: sorted(this.ran), questions });
    this.ran = [];
  }

  /** Clears the observations that hold for one round of the modern era. */
  nextRound(): void {
    this.everRan.clear();
    this.finished.clear();
  }

  /** Ends the call and lets late results arrive, which must not change anything. */
  async endCall(end: End): Promise<Seen> {
    this.over = true;
    while (this.scheduler.count() > 0) await this.scheduler.waitNext(1);
    await allMicrotasks();
    if (this.abandoned.some(({ signal }) => !signal.aborted)) {
      this.violations.push('the signal of an abandoned resolver was not aborted');
    }
    const { rounds, violations } = this;
    return { rounds: 'error' in end ? this.withoutAbandoned(rounds) : rounds, end, violations };
  }

  /** Removes bodies behind the failure from the last round, because they may run or not. */
  private withoutAbandoned(rounds: readonly SeenRound[]): readonly SeenRound[] {
    const reached = new Set(this.oracle.rounds.at(-1)?.ran);
    return rounds.map((round, index) =>
      index < rounds.length - 1
        ? round
        : { ...round, ran: round.ran.filter((node) => reached.has(node)) },
    );
  }

  private perform(index: number, inputs: readonly unknown[], ctx: CallContext): unknown {
    this.noteStart(index, ctx);
    const round = this.rounds.length;
    const expectedRound = this.oracle.rounds[round];
    const doomed = round === this.oracle.rounds.length - 1 && 'error' in this.oracle.end;
    if (doomed && expectedRound?.ran.includes(index) === false) {
      this.abandoned.push(ctx);
      return new Promise(() => undefined);
    }
    const node = this.shape.nodes[index]!;
    // For its resolvers, a legacy call is one round, even if it asks.
    const requests = ctx.protocolVersion === '2026-07-28' ? round : 0;
    const act = actOf(node, index, { inputs, round: requests });
    const finish = (): unknown => {
      this.finished.add(index);
      return realise(act);
    };
    if (!node.later) return finish();
    return this.scheduler.schedule(Promise.resolve(), `node ${index}`).then(finish);
  }

  private noteStart(index: number, ctx: CallContext): void {
    this.ran.push(index);
    if (this.everRan.has(index)) this.violations.push(`node ${index} ran twice`);
    this.everRan.add(index);
    if (this.over) this.violations.push(`node ${index} ran after the end`);
    if (ctx.mcpReq.requestState() !== undefined || ctx.mcpReq.inputResponses !== undefined) {
      this.violations.push(`node ${index} saw the answers or the state`);
    }
    if (this.guards.has(index)) return;
    if ([...this.guards].some((guard) => !this.finished.has(guard))) {
      this.violations.push(`node ${index} ran before the guards had finished`);
    }
  }

  /** Settles scheduled promises one by one, until the request ends or nothing changes. */
  private async untilOver<T>(ending: Promise<T>): Promise<T | End> {
    let result: { value: T } | undefined;
    void ending.then((value) => {
      result = { value };
    });
    for (let idle = 0; result === undefined && idle < 3;) {
      if (this.scheduler.count() > 0) {
        await this.scheduler.waitNext(1);
        idle = 0;
      } else {
        await allMicrotasks();
        idle += 1;
      }
    }
    return result === undefined ? HUNG : result.value;
  }
}

/** Runs a call on the modern era, round by round. */
export async function playModern(
  shape: CallShape,
  oracle: Transcript,
  scheduler: Scheduler,
): Promise<Seen> {
  const play = new Play(shape, oracle, scheduler);
  const user = new ModernUser(shape);
  let sendRound: Partial<ServerContext['mcpReq']> = {};
  for (;;) {
    const resolution = await play.request('modern', sendRound);
    if ('error' in resolution || 'values' in resolution) {
      play.endRound([]);
      return play.endCall('error' in resolution ? resolution : { values: resolution.values });
    }
    const { inputRequests = {}, requestState } = resolution.result;
    const questions = Object.entries(inputRequests).map(([key, request]) => ({
      key,
      ...readWireQuestion(request),
    }));
    play.endRound(questions);
    const next = oracle.rounds[play.rounds.length - 1];
    if (next === undefined || play.rounds.length === oracle.rounds.length) {
      return play.endCall({ error: 'the engine asks more than the oracle' });
    }
    play.nextRound();
    const inputResponses = user.answer(
      questions.map(({ key }) => key),
      next.questions,
    );
    sendRound = {
      inputResponses,
      requestState: (() => requestState) as ServerContext['mcpReq']['requestState'],
    };
  }
}

/** Answers the questions of a round, some in a later round, and adds answers to other keys. */
class ModernUser {
  private readonly spec: CallSpec;
  private readonly shown: number[];
  private readonly seen = new Set<string>();

  constructor(private readonly shape: CallShape) {
    this.spec = specOf(shape);
    this.shown = shape.nodes.map(() => 0);
  }

  answer(keys: readonly string[], asked: readonly AskedQuestion[]): Record<string, unknown> {
    const responses: Record<string, unknown> = {};
    if (this.shape.noisy) {
      // Answers to unknown questions, to settled ones, and to some that come later.
      const unasked = ['ghost', 'left', 'right', 'left#1', 'alpha', 'guard', ...this.seen];
      for (const key of unasked) {
        responses[key] = { action: 'accept', content: { number: 100, confirm: true } };
      }
    }
    for (const key of keys) {
      this.seen.add(key);
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- wire keys are dynamic
      delete responses[key];
      const question = asked.find((one) => one.key === key);
      if (question === undefined) continue;
      const { node, kind } = question;
      this.shown[node]! += 1;
      if (this.shown[node]! <= this.spec.ignored[node]!) continue;
      responses[key] = responseOf(kind, this.spec.replies[node]!);
    }
    return responses;
  }
}

/** Runs a call on the legacy era: one request, during which the engine pushes questions. */
export async function playLegacy(
  shape: CallShape,
  oracle: Transcript,
  scheduler: Scheduler,
): Promise<Seen> {
  const play = new Play(shape, oracle, scheduler);
  const { replies } = specOf(shape);
  let lastPush: SeenRound['questions'] = [];
  const send = async (request: { method: string; params?: unknown }): Promise<unknown> => {
    const asked = oracle.rounds[play.rounds.length]?.questions[0];
    const question = readWireQuestion(request);
    if (play.rounds.length === oracle.rounds.length - 1) lastPush = [question];
    else play.endRound([question]);
    if (asked === undefined) throw new Error('the engine asks more than the oracle');
    return responseOf(asked.kind, replies[asked.node]!);
  };
  const resolution = await play.request('legacy', {
    send,
  });
  play.endRound(lastPush);
  if ('error' in resolution) return play.endCall(resolution);
  if ('values' in resolution) return play.endCall({ values: resolution.values });
  return play.endCall({ error: 'a legacy client got an input-required result' });
}

/** Creates the context of a request without a client. */
export function contextOf(mcpReq: Partial<ServerContext['mcpReq']> = {}): ServerContext {
  const absent = (): Promise<never> => Promise.reject(new Error('there is no client'));
  return {
    mcpReq: {
      id: 1,
      method: 'tools/call',
      signal: new AbortController().signal,
      requestState: () => undefined,
      send: absent,
      notify: absent,
      log: absent,
      elicitInput: absent,
      requestSampling: absent,
      ...mcpReq,
    },
  };
}

/** Resolves after all queued microtasks. */
export function allMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function sorted(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}
