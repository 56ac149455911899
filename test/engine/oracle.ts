/**
 * The expected behaviour of the engine, as a slow and simple sequential program.
 *
 * A call is described as data ({@link CallSpec}). The oracle walks its resolvers in order and
 * returns a {@link Transcript}: the questions of every round, the bodies that ran, and the end of
 * the call. It shares no code with the library and has no scheduling, digests or tokens.
 *
 * ```
 * walk      guards in order, then the parameters of `resolve`; depth first, needs in declaration order
 * fill      at once when its source is settled; a refusal ends the call there, except as an outcome
 * guard     ends the call there unless its value is true
 * modern    walk ─► open questions? ask them all, retry with the answers, walk again from scratch
 * legacy    walk ─► open questions? ask the first, settle it, continue; no body runs twice
 * ```
 */

/** The kinds of question, by the function that an author calls. */
export type AskKind = 'elicit' | 'elicitSlowly' | 'confirm' | 'sample' | 'roots';

/** A question that a body returns. */
export interface Ask {
  readonly kind: AskKind;
  readonly message: string;
}

/** The result of running a body. */
export type Act =
  { readonly value: unknown } | { readonly throws: string } | { readonly asks: Ask };

/** The outcome of a resolver, as its consumers receive it. */
export type OracleOutcome =
  | { readonly action: 'accept'; readonly data: unknown; readonly asked: boolean }
  | { readonly action: 'decline' | 'cancel' };

/** A parameter and the resolver that fills it. */
export interface FillSpec {
  readonly param: string;
  readonly node: number;
  readonly outcome: boolean;
}

/** A parameter of a resolver: filled by an argument of the tool, or by another resolver. */
export type NeedSpec = FillSpec | { readonly param: string; readonly argument: string };

/** A resolver. It needs only nodes with a lower index. */
export interface NodeSpec {
  readonly name: string | undefined;
  readonly needs: readonly NeedSpec[];
  /** The function. `inputs` are the values of its needs, in declaration order. */
  readonly act: (inputs: readonly unknown[], round: number) => Act;
}

/** The user's reply to a question. */
export type Reply =
  | { readonly how: 'accept'; readonly number: number }
  | { readonly how: 'decline' | 'cancel' | 'untick' | 'noContent' | 'mismatch' | 'wrongKind' };

/** A call: the graph, the arguments and the user. */
export interface CallSpec {
  readonly nodes: readonly NodeSpec[];
  readonly guards: readonly number[];
  readonly params: readonly FillSpec[];
  readonly args: Readonly<Record<string, unknown>>;
  /** The kinds of question that the client declares. */
  readonly canAnswer: { readonly form: boolean; readonly sample: boolean; readonly roots: boolean };
  /** The reply to the question of each node. */
  readonly replies: readonly Reply[];
  /** The number of rounds that leave the question of each node unanswered, on modern. */
  readonly ignored: readonly number[];
}

/** A question as it was asked. */
export interface AskedQuestion {
  readonly node: number;
  readonly key: string;
  readonly kind: AskKind;
  readonly message: string;
}

/** One round: the bodies that ran, in walk order, and the questions at its end. */
export interface OracleRound {
  readonly ran: readonly number[];
  readonly questions: readonly AskedQuestion[];
}

/** The end of a call. */
export type End =
  { readonly values: Readonly<Record<string, unknown>> } | { readonly error: string };

/** Everything that an observer can see of a call. */
export interface Transcript {
  readonly rounds: readonly OracleRound[];
  readonly end: End;
}

class Abort extends Error {}

/** Settles a question. `undefined` leaves it open. */
type Settle = (question: AskedQuestion) => OracleOutcome | undefined;

/** The result of a walk. */
interface Walked {
  readonly values: Readonly<Record<string, unknown>>;
  readonly open: readonly AskedQuestion[];
}

/**
 * Returns the wire key of every node that the walk reaches: its name, or else the first parameter
 * that it fills. The walk is pre-order, guards first. `#1`, `#2` … make a taken key unique.
 */
export function wireKeys({ nodes, guards, params }: CallSpec): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  const reach = (node: number, param: string): void => {
    if (keys.has(node)) return;
    const base = nodes[node]!.name ?? param;
    const taken = new Set(keys.values());
    let key = base;
    for (let number = 1; taken.has(key); number += 1) key = `${base}#${number}`;
    keys.set(node, key);
    for (const need of nodes[node]!.needs) if ('node' in need) reach(need.node, need.param);
  };
  for (const guard of guards) reach(guard, 'guard');
  for (const { node, param } of params) reach(node, param);
  return keys;
}

/** Returns the nodes that guards need. No other node starts before they are settled. */
export function guardNodes({ nodes, guards }: CallSpec): ReadonlySet<number> {
  const found = new Set<number>();
  const reach = (node: number): void => {
    found.add(node);
    for (const need of nodes[node]!.needs) if ('node' in need) reach(need.node);
  };
  guards.forEach(reach);
  return found;
}

/** Walks the graph once. Throws an {@link Abort} for the first failure. */
function walk(spec: CallSpec, run: (node: number, inputs: unknown[]) => Act, settle: Settle) {
  const keys = wireKeys(spec);
  const visited = new Map<number, OracleOutcome | undefined>();
  const open: AskedQuestion[] = [];

  const visit = (node: number): OracleOutcome | undefined => {
    if (!visited.has(node)) visited.set(node, enter(node));
    return visited.get(node);
  };
  const enter = (node: number): OracleOutcome | undefined => {
    const inputs: unknown[] = [];
    let waits = false;
    for (const need of spec.nodes[node]!.needs) {
      if ('argument' in need) {
        inputs.push(spec.args[need.argument]);
        continue;
      }
      const filled = fill(need);
      if (filled === undefined) waits = true;
      else inputs.push(filled.value);
    }
    if (waits) return undefined;
    const act = run(node, inputs);
    if ('throws' in act) throw new Abort(act.throws);
    if ('value' in act) return { action: 'accept', data: act.value, asked: false };
    const question = { node, key: keys.get(node)!, ...act.asks };
    const outcome = settle(question);
    if (outcome === undefined) open.push(question);
    return outcome;
  };
  const fill = ({
    node,
    param,
    outcome: wantsOutcome,
  }: FillSpec): { value: unknown } | undefined => {
    const outcome = visit(node);
    if (outcome === undefined) return undefined;
    if (wantsOutcome) return { value: outcome };
    if (outcome.action === 'accept') return { value: outcome.data };
    throw new Abort(
      `Resolver for parameter '${param}' could not resolve: elicitation was ${outcome.action}`,
    );
  };

  for (const [index, node] of spec.guards.entries()) {
    const { name } = spec.nodes[node]!;
    const filled = fill({ param: name ?? 'guard', node, outcome: false });
    if (filled === undefined || filled.value === true) continue;
    throw new Abort(`Guard ${name === undefined ? index + 1 : `'${name}'`} refused`);
  }
  const values: Record<string, unknown> = {};
  if (open.length > 0) return { values, open };
  for (const param of spec.params) values[param.param] = fill(param)?.value;
  return { values, open };
}

/** Checks that the client can answer all open questions, before any is asked. */
function gate(open: readonly AskedQuestion[], { canAnswer }: CallSpec): void {
  const needed = {
    elicit: ['form', 'form elicitation'],
    elicitSlowly: ['form', 'form elicitation'],
    confirm: ['form', 'form elicitation'],
    sample: ['sample', 'sampling'],
    roots: ['roots', 'roots'],
  } as const;
  for (const { kind, key } of open) {
    const [capability, name] = needed[kind];
    if (canAnswer[capability]) continue;
    throw new Abort(`Client did not declare the ${name} capability required by resolver '${key}'`);
  }
}

/** Reads a reply. */
function read({ kind, key }: AskedQuestion, reply: Reply): OracleOutcome {
  const refuse = (problem: string): never => {
    throw new Abort(`Resolver '${key}' ${problem}`);
  };
  const mismatch = `${MISMATCH} (field '${kind === 'confirm' ? 'confirm' : 'number'}')`;
  if (kind === 'sample' || kind === 'roots') {
    if (reply.how !== 'accept') return refuse('received a response of the wrong kind');
    return { action: 'accept', data: answerTo(kind, reply.number), asked: true };
  }
  switch (reply.how) {
    case 'accept':
      return { action: 'accept', data: answerTo(kind, reply.number), asked: true };
    case 'decline':
    case 'cancel':
      return { action: reply.how };
    case 'untick':
      if (kind === 'confirm') return { action: 'decline' };
      return refuse(mismatch);
    case 'mismatch':
      return refuse(mismatch);
    case 'noContent':
      return refuse('received an accepted elicitation with no content');
    case 'wrongKind':
      return refuse('received a non-elicitation response');
  }
}

const MISMATCH =
  'received an accepted elicitation whose content does not match the requested schema';

/** Returns the value that consumers receive for an accepted answer. */
export function answerTo(kind: AskKind, number: number): unknown {
  switch (kind) {
    case 'elicit':
    case 'elicitSlowly':
      return { number, unit: 'pieces' };
    case 'confirm':
      return true;
    case 'sample':
      return { role: 'assistant', content: { type: 'text', text: `${number}` }, model: 'scripted' };
    case 'roots':
      return { roots: [{ uri: `file:///${number}` }] };
  }
}

/** Renders a question. Questions with equal renderings are the same. */
function rendering({ kind, message }: Ask): string {
  return kind === 'roots' ? kind : `${kind}: ${message}`;
}

/** An answer that the state carries on the modern era. */
interface Recorded {
  readonly rendering: string;
  readonly outcome: OracleOutcome;
}

/** Runs a modern call. Every round walks from scratch, with the answers so far. */
export function modern(spec: CallSpec): Transcript {
  const rounds: OracleRound[] = [];
  const shown = spec.nodes.map(() => 0);
  let recorded = new Map<string, Recorded>();
  let asked = new Map<string, string>();
  let answered = new Map<string, Reply>();
  for (;;) {
    const ran: number[] = [];
    const nextRecorded = new Map<string, Recorded>();
    const settle: Settle = (question) => {
      const { key } = question;
      const kept = recorded.get(key);
      if (kept?.rendering === rendering(question)) {
        nextRecorded.set(key, kept);
        return kept.outcome;
      }
      const reply = answered.get(key);
      if (reply === undefined || asked.get(key) !== rendering(question)) return undefined;
      const outcome = read(question, reply);
      nextRecorded.set(key, { rendering: rendering(question), outcome });
      return outcome;
    };
    const round = rounds.length;
    const run = (node: number, inputs: readonly unknown[]): Act => {
      ran.push(node);
      return spec.nodes[node]!.act(inputs, round);
    };
    try {
      const { values, open } = walk(spec, run, settle);
      gate(open, spec);
      rounds.push({ ran, questions: open });
      if (open.length === 0) return { rounds, end: { values } };
      recorded = nextRecorded;
      asked = new Map(open.map((question) => [question.key, rendering(question)]));
      answered = new Map(
        open
          .filter(({ node }) => (shown[node]! += 1) > spec.ignored[node]!)
          .map(({ key, node }) => [key, spec.replies[node]!]),
      );
    } catch (error) {
      if (!(error instanceof Abort)) throw error;
      rounds.push({ ran, questions: [] });
      return { rounds, end: { error: error.message } };
    }
  }
}

/** Runs a legacy call. Each round ends with one pushed question, the last with the call. */
export function legacy(spec: CallSpec): Transcript {
  const rounds: OracleRound[] = [];
  const acts = new Map<number, Act>();
  const settled = new Map<number, OracleOutcome>();
  for (;;) {
    const ran: number[] = [];
    const run = (node: number, inputs: readonly unknown[]): Act => {
      if (!acts.has(node)) {
        ran.push(node);
        acts.set(node, spec.nodes[node]!.act(inputs, 0));
      }
      return acts.get(node)!;
    };
    let asked: readonly AskedQuestion[] = [];
    try {
      const { values, open }: Walked = walk(spec, run, ({ node }) => settled.get(node));
      gate(open, spec);
      const [first] = open;
      if (first === undefined) {
        rounds.push({ ran, questions: [] });
        return { rounds, end: { values } };
      }
      asked = [first];
      settled.set(first.node, read(first, spec.replies[first.node]!));
      rounds.push({ ran, questions: asked });
    } catch (error) {
      if (!(error instanceof Abort)) throw error;
      rounds.push({ ran, questions: asked });
      return { rounds, end: { error: error.message } };
    }
  }
}
