/** Runs a random call on the library, and describes it in the form of the model. */
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { defineTool, elicit, outcome, resolver } from 'mcp-resolve';
import type { AnyResolver, Filler, Resolver, Tool } from 'mcp-resolve';
import type { Era } from 'mcp-resolve/testing';
import * as z from 'zod';

import { connectClient, type FormRequest } from '../support/plainClient.js';
import { questionsOf } from '../support/results.js';
import { serving } from '../support/servers.js';
import { type RoundInput, roundsOf, type RoundResult } from '../support/rounds.js';
import { rewriteState } from './rounds.js';
import {
  actOf,
  canonical,
  changed,
  changesAfter,
  guardsOf,
  isPinnedValue,
  MAX_ROUNDS,
  needsOf,
  paramsOf,
  replyTo,
  sorted,
  upstreamOf,
} from './model.js';
import type { CallShape, Need, NodeShape, Seen, SeenRound } from './model.js';

/** A call on the library, with every violation of the promise of pinned values. */
export interface Played extends Seen {
  readonly violations: readonly string[];
}

/** The state of a call while its functions run. */
interface Stage {
  round: number;
  readonly ran: number[];
  readonly times: number[];
  /** The values that consumers received from pinned resolvers, by round. */
  readonly received: Map<number, unknown>[];
  /** The nodes that have asked in this round. */
  readonly asking: Set<number>;
}

function newStage({ nodes }: CallShape): Stage {
  return {
    round: 0,
    ran: [],
    times: nodes.map(() => 0),
    received: [new Map<number, unknown>()],
    asking: new Set(),
  };
}

const Answer = z.object({ number: z.number() });

/** Creates the schema of a pin. Some rounds reject earlier values. Consumers receive only `n`. */
function pinOf({ refusedIn }: NodeShape, stage: Stage) {
  return z
    .object({ n: z.number(), made: z.number() })
    .refine(({ made }) => !refusedIn.includes(stage.round) || made === stage.round)
    .transform(({ n }): unknown => n);
}

/** Creates the tool that a shape describes. */
function toolOf(shape: CallShape, stage: Stage): Tool {
  const made: AnyResolver[] = [];
  const filler = ({ node, outcome: wantsOutcome }: Need): Filler =>
    wantsOutcome ? outcome(made[node]!) : made[node]!;
  const receive = (needs: readonly Need[], values: Record<string, unknown>): unknown[] =>
    needs.map(({ param, node, outcome: wantsOutcome }) => {
      const value = values[param];
      const bare = wantsOutcome ? (value as { data: unknown }).data : value;
      if (isPinnedValue(shape.nodes[node]!)) stage.received[stage.round]?.set(node, bare);
      return value;
    });

  for (const [index, node] of shape.nodes.entries()) {
    const needs = needsOf(shape, index);
    const perform = (values: Record<string, unknown>): unknown => {
      stage.ran.push(index);
      const inputs = receive(needs, values);
      const act = actOf(shape, index, { inputs, times: stage.times[index]!++ });
      if ('asks' in act) {
        stage.asking.add(index);
        return elicit(act.asks, Answer);
      }
      return node.pinned ? { n: act.value, made: stage.round } : act.value;
    };
    made.push(
      resolver(
        Object.fromEntries(needs.map((need) => [need.param, filler(need)])),
        (values: Record<string, unknown>): unknown =>
          node.later ? Promise.resolve().then(() => perform(values)) : perform(values),
        { name: `n${index}`, ...(node.pinned && { pin: pinOf(node, stage) }) },
      ),
    );
  }
  const params = paramsOf(shape);
  return defineTool(
    'call',
    {
      resolve: Object.fromEntries(params.map((need) => [need.param, filler(need)])),
      guards: guardsOf(shape).map((need) =>
        resolver({ [need.param]: filler(need) as Resolver<unknown> }, () => true),
      ),
    },
    (values: Record<string, unknown>) => {
      receive(params, values);
      return canonical(values);
    },
  );
}

/** Runs a call on the modern era, round by round, and changes recorded answers in between. */
export async function playModern(shape: CallShape): Promise<Played> {
  const stage = newStage(shape);
  const sendRound = roundsOf(toolOf(shape, stage));
  const user = new User(shape);
  const rounds: SeenRound[] = [];
  let input: RoundInput = {};
  while (rounds.length < MAX_ROUNDS) {
    const result = await sendRound(input);
    const ran = sorted(stage.ran.splice(0));
    if (!isInputRequiredResult(result)) {
      const end = endOf(result);
      if (result.isError === true) return { rounds, end, violations: [] };
      rounds.push({ ran, asked: [] });
      return { rounds, end, violations: violationsOf(shape, stage, user.lastAsked) };
    }
    const { inputResponses, asked } = user.answer(result, stage.round);
    rounds.push({ ran, asked });
    input = { inputResponses, requestState: changeState(shape, stage.round, result) };
    stage.round += 1;
    stage.received.push(new Map<number, unknown>());
    stage.asking.clear();
  }
  return { rounds, end: 'the library does not stop asking', violations: [] };
}

/** Returns the values of a call as JSON, or its error message. */
function endOf({ content }: CallToolResult): string {
  return (content[0] as { text: string }).text.replace('Error executing tool call: ', '');
}

/** Answers the questions of each round. Some stay unanswered at first. */
class User {
  /** The last round that asked each question. */
  readonly lastAsked = new Map<number, number>();
  private readonly shown: number[];

  constructor(private readonly shape: CallShape) {
    this.shown = shape.nodes.map(() => 0);
  }

  answer(
    result: RoundResult,
    round: number,
  ): { inputResponses: Record<string, unknown>; asked: readonly string[] } {
    const inputResponses: Record<string, unknown> = {};
    const asked = Object.entries(questionsOf(result).requests).map(([key, { params }]) => {
      const node = Number(key.slice(1));
      this.lastAsked.set(node, round);
      const reply = replyTo(this.shape.nodes[node]!, (this.shown[node]! += 1));
      if (reply !== undefined) inputResponses[key] = reply;
      return String(params?.message);
    });
    return { inputResponses, asked: asked.sort() };
  }
}

/** Returns the state of a round after the changes of the shape. */
function changeState(shape: CallShape, round: number, result: RoundResult): string {
  return rewriteState(result, (record) => {
    const outcomes = { ...record.outcomes };
    for (const node of changesAfter(shape, round)) {
      const entry = outcomes[`n${node}`];
      if (entry?.action !== 'accept') continue;
      const { number } = entry.data as { number: number };
      outcomes[`n${node}`] = { ...entry, data: { number: changed(number) } };
    }
    return { ...record, outcomes };
  });
}

/** Finds pinned values that have changed since a question that depends on them was answered. */
function violationsOf(
  shape: CallShape,
  { received, asking }: Stage,
  lastAsked: ReadonlyMap<number, number>,
): string[] {
  const end = received.at(-1)!;
  const counted = [...lastAsked].filter(([question]) => asking.has(question));
  return counted.flatMap(([question, round]) =>
    upstreamOf(shape, question)
      .filter((node) => received[round]!.has(node) && end.has(node))
      .filter((node) => received[round]!.get(node) !== end.get(node))
      .map((node) => `question ${question} was answered on another value of ${node}`),
  );
}

/** Runs a call with the SDK's own client on an era, without changes of recorded answers. */
export async function playThrough(
  era: Era,
  shape: CallShape,
): Promise<{ end: string; asked: readonly string[]; times: readonly number[] }> {
  const stage = newStage(shape);
  const { client, call, asked } = await connectClient(era, serving([toolOf(shape, stage)]), {
    elicit: ({ message }: FormRequest) => {
      const node = Number(/^question (\d+):/.exec(message)![1]);
      return replyTo({ ...shape.nodes[node]!, ignored: 0 }, 1)!;
    },
    maxRounds: MAX_ROUNDS,
  });
  const result = await call('call');
  await client.close();
  return {
    end: endOf(result),
    asked: [...asked].sort(),
    times: stage.times,
  };
}
