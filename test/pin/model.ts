/**
 * What pins have to do, said in the slowest and plainest way: one walk after another. A call is
 * plain data ({@link CallShape}, which prints and shrinks well); the model says which functions run
 * in which round, what is asked, and how the call ends. It shares no code with the library.
 *
 * ```
 * a pin is restored   if it was computed on the same answers, on pins that are still the same,
 *                     and if the deployment of this round takes it
 * anything else       runs its function; a value is pinned, a question is settled or asked
 * an answer counts    if the question reads as it did, and stands on no value pinned just now
 * ```
 */
import fc from 'fast-check';

/** What the function of a resolver does. */
export type Does =
  | 'compute'
  /** Computes another value each time, the first few times. */
  | 'live'
  | 'ask'
  /** Depends on its inputs. */
  | 'askOrCompute';

/** A resolver, as data. */
export interface NodeShape {
  /** Nodes so many places before this one. */
  readonly needs: readonly { readonly back: number; readonly outcome: boolean }[];
  readonly does: Does;
  readonly pinned: boolean;
  /** Whether its question quotes its inputs, rather than always reading the same. */
  readonly quotes: boolean;
  /** Whether its function returns a promise. */
  readonly later: boolean;
  /** What the person answers; another number each time that they are asked. */
  readonly reply: number | 'decline';
  /** How often they leave the question unanswered before that. */
  readonly ignored: number;
  /** The rounds whose deployment refuses what an earlier one pinned. */
  readonly refusedIn: readonly number[];
}

/** A call, as data. */
export interface CallShape {
  readonly nodes: readonly NodeShape[];
  readonly guards: readonly number[];
  readonly params: readonly { readonly back: number; readonly outcome: boolean }[];
  /** Between which rounds the recorded answer of a node becomes another one. */
  readonly moves: readonly { readonly after: number; readonly node: number }[];
}

/** How much happens in a call. */
export interface Odds {
  readonly does: readonly Does[];
  readonly refusals: boolean;
  readonly moves: boolean;
}

/** Random calls. */
export function callShapes({ does, refusals, moves }: Odds): fc.Arbitrary<CallShape> {
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
  const move = fc.record({ after: fc.nat(3), node: fc.nat(11) });
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
    moves: moves ? fc.array(move, { minLength: 2, maxLength: 8, size: 'max' }) : fc.constant([]),
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

/** The needs of a node. */
export function needsOf({ nodes }: CallShape, index: number): readonly Need[] {
  if (index === 0) return [];
  return nodes[index]!.needs.map(({ back, outcome }, position) => ({
    param: `need${position}`,
    node: index - 1 - (back % index),
    outcome,
  }));
}

/** The parameters of the body. */
export function paramsOf({ nodes, params }: CallShape): readonly Need[] {
  return params.map(({ back, outcome }, position) => ({
    param: `param${position}`,
    node: nodes.length - 1 - (back % nodes.length),
    outcome,
  }));
}

/** The guards: such as are not pinned. */
export function guardsOf({ nodes, guards }: CallShape): readonly number[] {
  return guards.map((guard) => guard % nodes.length).filter((guard) => !nodes[guard]!.pinned);
}

/** Whether the value of a node is pinned whenever there is one. */
export function isPinnedValue({ pinned, does }: NodeShape): boolean {
  return pinned && (does === 'compute' || does === 'live');
}

/** All nodes that a node needs, over however many steps, in order. */
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

/** What a function does: gives a number, or asks. */
export type Act = { readonly value: number } | { readonly asks: string };

/** What a node's function does with its inputs, for the `times`th time. */
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

/** JSON in which the order of members does not count. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

function hashOf(text: string): number {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + char.charCodeAt(0)) % 10_007;
  return hash;
}

/** What the person answers when a question is shown for the `times`th time; nothing if they wait. */
export function replyTo(
  { reply, ignored }: NodeShape,
  times: number,
): { action: 'accept'; content: { number: number } } | { action: 'decline' } | undefined {
  if (times <= ignored) return undefined;
  return reply === 'decline'
    ? { action: 'decline' }
    : { action: 'accept', content: { number: reply + times * 100 } };
}

/** What a recorded answer becomes. */
export function moved(number: number): number {
  return number + 10_000;
}

/** A round as an observer sees it. */
export interface SeenRound {
  /** The functions that ran. */
  readonly ran: readonly number[];
  /** The texts of the questions at its end. */
  readonly asked: readonly string[];
}

/** A call as an observer sees it. */
export interface Seen {
  readonly rounds: readonly SeenRound[];
  /** The values of the body as canonical JSON, or the error. */
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

/** What is carried between rounds. */
interface Carried {
  readonly answers: Map<number, Recorded>;
  readonly asked: Map<number, string>;
  readonly pins: Map<number, Pin>;
}

class Abort extends Error {}

/** One round: a walk from scratch, with what was carried on and what was answered. */
class Walk {
  readonly next: Carried = { answers: new Map(), asked: new Map(), pins: new Map() };
  readonly ran: number[] = [];
  private readonly visited = new Map<number, Outcome | undefined>();
  /** What was pinned just now, and what stands on it. */
  private readonly anew = new Set<number>();

  constructor(
    private readonly shape: CallShape,
    private readonly situation: {
      readonly round: number;
      readonly before: Carried;
      readonly replies: ReadonlyMap<number, NonNullable<ReturnType<typeof replyTo>>>;
      /** How often each function has run in this call. */
      readonly times: number[];
    },
  ) {}

  /** The values of the body; some are missing while there are open questions. */
  values(): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const guard of guardsOf(this.shape)) {
      this.fill({ param: 'guard', node: guard, outcome: false });
    }
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
    if (needs.some((need) => this.anew.has(need.node))) this.anew.add(node);
    const pin = this.kept(node);
    if (pin !== undefined) {
      this.next.pins.set(node, pin);
      return { action: 'accept', data: pin.value, asked: false };
    }
    return this.run(
      node,
      filled.map((one) => one?.value),
    );
  }

  private kept(node: number): Pin | undefined {
    const { before, round } = this.situation;
    const { pinned, refusedIn } = this.shape.nodes[node]!;
    const pin = before.pins.get(node);
    if (!pinned || pin?.on !== this.answersUnder(node)) return undefined;
    if (refusedIn.includes(round) && pin.made < round) return undefined;
    return this.anew.has(node) ? undefined : pin;
  }

  private run(node: number, inputs: readonly unknown[]): Outcome | undefined {
    const { round, times } = this.situation;
    this.ran.push(node);
    const act = actOf(this.shape, node, { inputs, times: times[node]!++ });
    if ('asks' in act) return this.settle(node, act.asks);
    if (this.shape.nodes[node]!.pinned) {
      this.next.pins.set(node, { value: act.value, made: round, on: this.answersUnder(node) });
      this.anew.add(node);
    }
    return { action: 'accept', data: act.value, asked: false };
  }

  private settle(node: number, text: string): Outcome | undefined {
    const { before, replies } = this.situation;
    const recorded = before.answers.get(node);
    const reply = before.asked.get(node) === text ? replies.get(node) : undefined;
    const answer =
      recorded?.text === text ? recorded : reply && { text, outcome: outcomeOf(reply) };
    if (answer === undefined || this.anew.has(node)) {
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

/** Every call here ends long before this. */
export const MAX_ROUNDS = 60;

/** A call of the modern era, round by round. */
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
      before = afterMoves(shape, walk.next, rounds.length - 1);
    } catch (error) {
      if (!(error instanceof Abort)) throw error;
      return { rounds, end: error.message };
    }
  }
  throw new Error('the model asks on');
}

function afterMoves(shape: CallShape, carried: Carried, round: number): Carried {
  const answers = new Map(carried.answers);
  for (const node of movesAfter(shape, round)) {
    const recorded = answers.get(node);
    if (recorded?.outcome.action !== 'accept') continue;
    const { number } = recorded.outcome.data as { number: number };
    answers.set(node, {
      ...recorded,
      outcome: { action: 'accept', data: { number: moved(number) }, asked: true },
    });
  }
  return { ...carried, answers };
}

/** The nodes whose recorded answers become others after a round. */
export function movesAfter({ moves, nodes }: CallShape, round: number): readonly number[] {
  return moves.filter(({ after }) => after === round).map(({ node }) => node % nodes.length);
}

export function sorted(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}
