/**
 * A model of pinned values, as simple as possible: each round is one sequential walk. A call is
 * plain data ({@link CallShape}), which prints and shrinks well. The model predicts the functions
 * that run in each round, the questions, and the end of the call. It shares no code with the
 * library.
 *
 * ```
 * a pin is restored   if the answers and the pins that it depends on are the same, and if the
 *                     deployment of this round accepts it
 * any other node      runs its function; a value is pinned, a question is settled or asked
 * an answer counts    if the wording is the same, and no value that the question depends on was
 *                     pinned in this round
 * ```
 */
import fc from 'fast-check';

/** The behaviour of a resolver's function. */
export type Does =
  | 'compute'
  /** Computes a different value for each of its first few runs. */
  | 'live'
  | 'ask'
  /** Asks or computes, depending on its inputs. */
  | 'askOrCompute';

/** A resolver as data. */
export interface NodeShape {
  /** The nodes that it needs, by their distance. */
  readonly needs: readonly { readonly back: number; readonly outcome: boolean }[];
  readonly does: Does;
  readonly pinned: boolean;
  /** True if its question quotes its inputs. Otherwise the wording never changes. */
  readonly quotes: boolean;
  /** True if its function returns a promise. */
  readonly later: boolean;
  /** The user's answer. Each repetition of the question adds to the number. */
  readonly reply: number | 'decline';
  /** The number of times that the user first leaves the question unanswered. */
  readonly ignored: number;
  /** The rounds whose deployment rejects values that were pinned in an earlier round. */
  readonly refusedIn: readonly number[];
}

/** A call as data. */
export interface CallShape {
  readonly nodes: readonly NodeShape[];
  readonly guards: readonly number[];
  readonly params: readonly { readonly back: number; readonly outcome: boolean }[];
  /** The rounds after which the recorded answer of a node changes. */
  readonly changes: readonly { readonly after: number; readonly node: number }[];
}

/** The features of random calls. */
export interface Features {
  readonly does: readonly Does[];
  readonly refusals: boolean;
  readonly changes: boolean;
}

/** Generates random calls. */
export function callShapes({ does, refusals, changes }: Features): fc.Arbitrary<CallShape> {
  const node: fc.Arbitrary<NodeShape> = fc.record({
    needs: fc.array(fc.record({ back: fc.constantFrom(0, 0, 1, 2, 5), outcome: oneIn(3) }), {
      minLength: 1,
      maxLength: 2,
    }),
    does: fc.constantFrom(...does),
    pinned: fc.boolean(),
    quotes: fc.boolean(),
    later: oneIn(3),
    reply: fc.oneof(
      { weight: 12, arbitrary: fc.nat(99) },
      { weight: 1, arbitrary: fc.constant('decline' as const) },
    ),
    ignored: fc.constantFrom(0, 0, 0, 1),
    refusedIn: refusals ? fc.subarray([1, 2, 3, 4]) : fc.constant([]),
  });
  const change = fc.record({ after: fc.nat(3), node: fc.nat(11) });
  return fc.record({
    nodes: fc.array(node, { minLength: 2, maxLength: 9, size: 'max' }),
    guards: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.nat(11), { maxLength: 2 }) },
    ),
    params: fc.array(fc.record({ back: fc.nat(3), outcome: oneIn(3) }), {
      minLength: 1,
      maxLength: 3,
    }),
    changes: changes
      ? fc.array(change, { minLength: 2, maxLength: 8, size: 'max' })
      : fc.constant([]),
  });
}

function oneIn(many: number): fc.Arbitrary<boolean> {
  return fc.nat(many - 1).map((number) => number === 0);
}

/** A parameter and the node that fills it. */
export interface Need {
  readonly param: string;
  readonly node: number;
  readonly outcome: boolean;
}

/** Returns the needs of a node. */
export function needsOf({ nodes }: CallShape, index: number): readonly Need[] {
  if (index === 0) return [];
  return nodes[index]!.needs.map(({ back, outcome }, position) => ({
    param: `need${position}`,
    node: index - 1 - (back % index),
    outcome,
  }));
}

/** Returns the parameters of the body. */
export function paramsOf({ nodes, params }: CallShape): readonly Need[] {
  return params.map(({ back, outcome }, position) => ({
    param: `param${position}`,
    node: nodes.length - 1 - (back % nodes.length),
    outcome,
  }));
}

/** Returns the needs of the guards, one for each guard. */
export function guardsOf({ nodes, guards }: CallShape): readonly Need[] {
  return guards.map((guard) => ({ param: 'need', node: guard % nodes.length, outcome: false }));
}

/** Returns true if a node always computes a value and pins it. */
export function isPinnedValue({ pinned, does }: NodeShape): boolean {
  return pinned && (does === 'compute' || does === 'live');
}

/** Returns all direct and indirect needs of a node, in order. */
export function upstreamOf(shape: CallShape, index: number): readonly number[] {
  const found = new Set<number>();
  const reach = (node: number): void => {
    for (const need of needsOf(shape, node)) {
      found.add(need.node);
      reach(need.node);
    }
  };
  reach(index);
  return [...found].sort((a, b) => a - b);
}

/** The result of a function: a number, or a question. */
export type Act = { readonly value: number } | { readonly asks: string };

/** Returns the result of a node's function after `times` earlier runs. */
export function actOf(
  shape: CallShape,
  index: number,
  { inputs, times }: { readonly inputs: readonly unknown[]; readonly times: number },
): Act {
  const { does, quotes } = shape.nodes[index]!;
  const hash = hashOf(`${index} ${canonical(inputs)}`);
  const question = { asks: `question ${index}: ${quotes ? hash : 'go on?'}` };
  switch (does) {
    case 'compute':
      return { value: hash };
    case 'live':
      return { value: hash + 100_000 * Math.min(times, 3) };
    case 'ask':
      return question;
    case 'askOrCompute':
      return hash % 2 === 0 ? { value: hash } : question;
  }
}

/** Returns JSON with sorted properties. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function hashOf(input: string): number {
  let hash = 7;
  for (const char of input) hash = (hash * 31 + char.charCodeAt(0)) % 10_007;
  return hash;
}

/**
 * Returns the user's answer when a question is shown for the `times`th time. `undefined` if they
 * leave it unanswered.
 */
export function replyTo(
  { reply, ignored }: NodeShape,
  times: number,
): { action: 'accept'; content: { number: number } } | { action: 'decline' } | undefined {
  if (times <= ignored) return undefined;
  return reply === 'decline'
    ? { action: 'decline' }
    : { action: 'accept', content: { number: reply + times * 100 } };
}

/** Returns the changed form of a recorded answer. */
export function changed(number: number): number {
  return number + 10_000;
}

/** A round as an observer sees it. */
export interface SeenRound {
  /** The functions that ran. */
  readonly ran: readonly number[];
  /** The messages of the questions at its end. */
  readonly asked: readonly string[];
}

/** A call as an observer sees it. */
export interface Seen {
  readonly rounds: readonly SeenRound[];
  /** The body's values as canonical JSON, or the error message. */
  readonly end: string;
}

interface Recorded {
  readonly text: string;
  readonly outcome: Outcome;
}

type Outcome =
  | { readonly action: 'accept'; readonly data: unknown; readonly asked: boolean }
  | { readonly action: 'decline' };

interface Pin {
  readonly value: number;
  readonly made: number;
  readonly on: string;
}

/** The state between rounds. */
interface Carried {
  readonly answers: Map<number, Recorded>;
  readonly asked: Map<number, string>;
  readonly pins: Map<number, Pin>;
}

class Abort extends Error {}

/** One round: a walk from the start, with the earlier state and the new answers. */
class Walk {
  readonly next: Carried = { answers: new Map(), asked: new Map(), pins: new Map() };
  readonly ran: number[] = [];
  private readonly visited = new Map<number, Outcome | undefined>();
  /** The nodes that were pinned in this round, and all that depend on them. */
  private readonly fresh = new Set<number>();

  constructor(
    private readonly shape: CallShape,
    private readonly situation: {
      readonly round: number;
      readonly before: Carried;
      readonly replies: ReadonlyMap<number, NonNullable<ReturnType<typeof replyTo>>>;
      /** The number of runs of each function in this call. */
      readonly times: number[];
    },
  ) {}

  /** Returns the values of the body. Some are missing while questions are open. */
  values(): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const need of guardsOf(this.shape)) this.fill(need);
    if (this.next.asked.size > 0) return values;
    for (const need of paramsOf(this.shape)) values[need.param] = this.fill(need)?.value;
    return values;
  }

  private fill({ node, param, outcome: wantsOutcome }: Need): { value: unknown } | undefined {
    if (!this.visited.has(node)) this.visited.set(node, this.enter(node));
    const outcome = this.visited.get(node);
    if (outcome === undefined) return undefined;
    if (wantsOutcome) return { value: outcome };
    if (outcome.action === 'accept') return { value: outcome.data };
    throw new Abort(
      `Resolver for parameter '${param}' could not resolve: elicitation was ${outcome.action}`,
    );
  }

  private enter(node: number): Outcome | undefined {
    const needs = needsOf(this.shape, node);
    const filled = needs.map((need) => this.fill(need));
    if (filled.includes(undefined)) return undefined;
    if (needs.some((need) => this.fresh.has(need.node))) this.fresh.add(node);
    const pin = this.pinOf(node);
    if (pin !== undefined) {
      this.next.pins.set(node, pin);
      return { action: 'accept', data: pin.value, asked: false };
    }
    return this.run(
      node,
      filled.map((one) => one?.value),
    );
  }

  private pinOf(node: number): Pin | undefined {
    const { before, round } = this.situation;
    const { pinned, refusedIn } = this.shape.nodes[node]!;
    const pin = before.pins.get(node);
    if (!pinned || pin?.on !== this.answersUnder(node)) return undefined;
    if (refusedIn.includes(round) && pin.made < round) return undefined;
    return this.fresh.has(node) ? undefined : pin;
  }

  private run(node: number, inputs: readonly unknown[]): Outcome | undefined {
    const { round, times } = this.situation;
    this.ran.push(node);
    const act = actOf(this.shape, node, { inputs, times: times[node]!++ });
    if ('asks' in act) return this.settle(node, act.asks);
    if (this.shape.nodes[node]!.pinned) {
      this.next.pins.set(node, { value: act.value, made: round, on: this.answersUnder(node) });
      this.fresh.add(node);
    }
    return { action: 'accept', data: act.value, asked: false };
  }

  private settle(node: number, text: string): Outcome | undefined {
    const { before, replies } = this.situation;
    const recorded = before.answers.get(node);
    const reply = before.asked.get(node) === text ? replies.get(node) : undefined;
    const answer =
      recorded?.text === text ? recorded : reply && { text, outcome: outcomeOf(reply) };
    if (answer === undefined || this.fresh.has(node)) {
      this.next.asked.set(node, text);
      return undefined;
    }
    this.next.answers.set(node, answer);
    return answer.outcome;
  }

  private answersUnder(node: number): string {
    return canonical(
      upstreamOf(this.shape, node).map((index) => this.next.answers.get(index) ?? null),
    );
  }
}

function outcomeOf(reply: NonNullable<ReturnType<typeof replyTo>>): Outcome {
  return reply.action === 'accept'
    ? { action: 'accept', data: reply.content, asked: true }
    : { action: 'decline' };
}

/** The maximum number of rounds. Every call ends long before. */
export const MAX_ROUNDS = 60;

/** Predicts a call on the modern era, round by round. */
export function model(shape: CallShape): Seen {
  const rounds: SeenRound[] = [];
  const times = shape.nodes.map(() => 0);
  const shown = shape.nodes.map(() => 0);
  let before: Carried = { answers: new Map(), asked: new Map(), pins: new Map() };
  let replies = new Map<number, NonNullable<ReturnType<typeof replyTo>>>();
  while (rounds.length < MAX_ROUNDS) {
    const walk = new Walk(shape, { round: rounds.length, before, replies, times });
    try {
      const values = walk.values();
      const asked = [...walk.next.asked];
      rounds.push({ ran: sorted(walk.ran), asked: asked.map(([, text]) => text).sort() });
      if (asked.length === 0) return { rounds, end: canonical(values) };
      replies = new Map();
      for (const [node] of asked) {
        const reply = replyTo(shape.nodes[node]!, (shown[node]! += 1));
        if (reply !== undefined) replies.set(node, reply);
      }
      before = applyChanges(shape, walk.next, rounds.length - 1);
    } catch (error) {
      if (!(error instanceof Abort)) throw error;
      return { rounds, end: error.message };
    }
  }
  throw new Error('the model does not stop asking');
}

function applyChanges(shape: CallShape, carried: Carried, round: number): Carried {
  const answers = new Map(carried.answers);
  for (const node of changesAfter(shape, round)) {
    const recorded = answers.get(node);
    if (recorded?.outcome.action !== 'accept') continue;
    const { number } = recorded.outcome.data as { number: number };
    answers.set(node, {
      ...recorded,
      outcome: { action: 'accept', data: { number: changed(number) }, asked: true },
    });
  }
  return { ...carried, answers };
}

/** Returns the nodes whose recorded answers change after a round. */
export function changesAfter({ changes, nodes }: CallShape, round: number): readonly number[] {
  return changes.filter(({ after }) => after === round).map(({ node }) => node % nodes.length);
}

/** Returns a sorted copy. */
export function sorted(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}
