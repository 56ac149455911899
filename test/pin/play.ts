/** Plays a random call on the real library, and shows it as the model does. */
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
import { rewritten } from './rounds.js';
import {
  actOf,
  canonical,
  guardsOf,
  isPinnedValue,
  MAX_ROUNDS,
  moved,
  movesAfter,
  needsOf,
  paramsOf,
  replyTo,
  sorted,
  upstreamOf,
} from './model.js';
import type { CallShape, Need, NodeShape, Seen, SeenRound } from './model.js';

/** A call that was played, and every breach of what pins promise. */
export interface Played extends Seen {
  readonly breaches: readonly string[];
}

/** What happens around a call while its functions run. */
interface Stage {
  round: number;
  readonly ran: number[];
  readonly times: number[];
  /** What consumers got from pinned resolvers, by round. */
  readonly handed: Map<number, unknown>[];
  /** The nodes that have asked in this round. */
  readonly asking: Set<number>;
}

function openStage({ nodes }: CallShape): Stage {
  return {
    round: 0,
    ran: [],
    times: nodes.map(() => 0),
    handed: [new Map<number, unknown>()],
    asking: new Set(),
  };
}

const Answer = z.object({ number: z.number() });

/** A pin that a deployment takes, or not; consumers get less than is carried. */
function pinOf({ refusedIn }: NodeShape, stage: Stage) {
  return z
    .object({ n: z.number(), made: z.number() })
    .refine(({ made }) => !refusedIn.includes(stage.round) || made === stage.round)
    .transform(({ n }): unknown => n);
}

function realTool(shape: CallShape, stage: Stage): Tool {
  const made: AnyResolver[] = [];
  const filler = ({ node, outcome: wantsOutcome }: Need): Filler =>
    wantsOutcome ? outcome(made[node]!) : made[node]!;
  const receive = (needs: readonly Need[], values: Record<string, unknown>): unknown[] =>
    needs.map(({ param, node, outcome: wantsOutcome }) => {
      const value = values[param];
      const bare = wantsOutcome ? (value as { data: unknown }).data : value;
      if (isPinnedValue(shape.nodes[node]!)) stage.handed[stage.round]?.set(node, bare);
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
      guards: guardsOf(shape).map((guard) => made[guard] as Resolver<unknown>),
    },
    (values: Record<string, unknown>) => {
      receive(params, values);
      return canonical(values);
    },
  );
}

/** Plays a call on the modern era, round by round, and moves recorded answers in between. */
export async function playModern(shape: CallShape): Promise<Played> {
  const stage = openStage(shape);
  const sendRound = roundsOf(realTool(shape, stage));
  const person = new Person(shape);
  const rounds: SeenRound[] = [];
  let input: RoundInput = {};
  while (rounds.length < MAX_ROUNDS) {
    const result = await sendRound(input);
    const ran = sorted(stage.ran.splice(0));
    if (!isInputRequiredResult(result)) {
      const end = endOf(result);
      if (result.isError === true) return { rounds, end, breaches: [] };
      rounds.push({ ran, asked: [] });
      return { rounds, end, breaches: breachesOf(shape, stage, person.lastAsked) };
    }
    const { inputResponses, asked } = person.answer(result, stage.round);
    rounds.push({ ran, asked });
    input = { inputResponses, requestState: movedState(shape, stage.round, result) };
    stage.round += 1;
    stage.handed.push(new Map<number, unknown>());
    stage.asking.clear();
  }
  return { rounds, end: 'the library asks on', breaches: [] };
}

/** How a call ended: its values, or its error. */
function endOf({ content }: CallToolResult): string {
  return (content[0] as { text: string }).text.replace('Error executing tool call: ', '');
}

/** Answers the questions of a round, some of them later. */
class Person {
  /** The round in which each question was asked last. */
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

function movedState(shape: CallShape, round: number, result: RoundResult): string {
  return rewritten(result, (record) => {
    const outcomes = { ...record.outcomes };
    for (const node of movesAfter(shape, round)) {
      const entry = outcomes[`n${node}`];
      if (entry?.action !== 'accept') continue;
      const { number } = entry.data as { number: number };
      outcomes[`n${node}`] = { ...entry, data: { number: moved(number) } };
    }
    return { ...record, outcomes };
  });
}

/** What was approved is what runs: nothing pinned has moved under a question since it was asked. */
function breachesOf(
  shape: CallShape,
  { handed, asking }: Stage,
  lastAsked: ReadonlyMap<number, number>,
): string[] {
  const end = handed.at(-1)!;
  const counted = [...lastAsked].filter(([question]) => asking.has(question));
  return counted.flatMap(([question, round]) =>
    upstreamOf(shape, question)
      .filter((node) => handed[round]!.has(node) && end.has(node))
      .filter((node) => handed[round]!.get(node) !== end.get(node))
      .map((node) => `question ${question} was answered on another value of ${node}`),
  );
}

/** Plays a call through the SDK's own client on an era, without any moves. */
export async function playThrough(
  era: Era,
  shape: CallShape,
): Promise<{ end: string; asked: readonly string[]; times: readonly number[] }> {
  const stage = openStage(shape);
  const chat = await connectClient(era, serving([realTool(shape, stage)]), {
    elicit: ({ message }: FormRequest) => {
      const node = Number(/^question (\d+):/.exec(message)![1]);
      return replyTo({ ...shape.nodes[node]!, ignored: 0 }, 1)!;
    },
    maxRounds: MAX_ROUNDS,
  });
  const result = await chat.call('call');
  await chat.client.close();
  return {
    end: endOf(result),
    asked: [...chat.asked].sort(),
    times: stage.times,
  };
}
