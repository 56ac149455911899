/**
 * Tests the number of requests of a call and of runs of its resolvers. Independent questions go out
 * together, so the number of requests depends on the longest chain of questions.
 */
import fc from 'fast-check';
import { defineTool, elicit, resolver } from 'mcp-resolve';
import type { AnyResolver, Need, Tool } from 'mcp-resolve';
import { accept, type Era } from 'mcp-resolve/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';

const Answer = z.object({ number: z.number() });

/** A node of a graph. It needs some of the nodes before it, and may ask. */
interface Shape {
  readonly asks: boolean;
  /** The indexes of earlier nodes. */
  readonly needs: readonly number[];
}

/** Creates a tool with a graph, and records each run of a resolver. */
function toolOf(shapes: readonly Shape[]): { readonly tool: Tool; readonly runs: number[] } {
  const runs: number[] = [];
  const nodes: AnyResolver[] = [];
  for (const [place, { asks, needs }] of shapes.entries()) {
    const entries = needs.map((need): [string, Need] => [`n${need}`, nodes[need]!]);
    nodes.push(
      resolver(
        Object.fromEntries(entries),
        () => {
          runs.push(place);
          return asks ? elicit(`${place}?`, Answer) : { number: place };
        },
        { asks: 'form' },
      ),
    );
  }
  const resolve = Object.fromEntries(nodes.map((node, place) => [`n${place}`, node]));
  return { tool: defineTool('graph', { resolve }, () => 'done'), runs };
}

/** Returns the length of the longest chain of questions. */
function depthOf(shapes: readonly Shape[]): number {
  const depths: number[] = [];
  for (const { asks, needs } of shapes)
    depths.push(Math.max(0, ...needs.map((need) => depths[need]!)) + (asks ? 1 : 0));
  return Math.max(0, ...depths);
}

/** Calls a tool, answers every question, and returns the counts. */
async function countCall(tool: Tool, era: Era, onAsked = (): void => undefined) {
  const client = await connectClient(era, serving([tool]), {
    elicit: () => {
      onAsked();
      return accept({ number: 1 });
    },
    maxRounds: 100,
  });
  expect(await client.text('graph')).toBe('done');
  return { requests: client.requests(), questions: client.asked.length };
}

const independent = (count: number): Shape[] =>
  Array.from({ length: count }, () => ({ asks: true, needs: [] }));
const chain = (length: number): Shape[] =>
  Array.from({ length }, (_, place) => ({ asks: true, needs: place === 0 ? [] : [place - 1] }));

describe('the requests of a call', () => {
  it.each([1, 2, 10, 100])('are two for %i independent questions', async (count) => {
    const { tool } = toolOf(independent(count));
    expect(await countCall(tool, 'modern')).toEqual({ requests: 2, questions: count });
  });

  it.each([0, 1, 2, 5, 20])('are one more than the questions in a chain of %i', async (length) => {
    const { tool } = toolOf(length === 0 ? [{ asks: false, needs: [] }] : chain(length));
    expect(await countCall(tool, 'modern')).toEqual({ requests: length + 1, questions: length });
  });

  it('are one on the legacy era for any number of questions', async () => {
    const { tool } = toolOf([...independent(10), ...chain(5)]);
    expect(await countCall(tool, 'legacy')).toEqual({ requests: 1, questions: 15 });
  });
});

/** Graphs of up to twelve nodes. */
const graphs: fc.Arbitrary<Shape[]> = fc
  .array(fc.record({ asks: fc.boolean(), wanted: fc.array(fc.nat(), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((drafts) =>
    drafts.map(({ asks, wanted }, place) => ({
      asks,
      needs: place === 0 ? [] : [...new Set(wanted.map((number) => number % place))],
    })),
  );

describe('in any graph', () => {
  it('a call takes one request more than its longest chain of questions', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (shapes) => {
        const { requests, questions } = await countCall(toolOf(shapes).tool, 'modern');
        expect(requests).toBe(depthOf(shapes) + 1);
        expect(questions).toBe(shapes.filter(({ asks }) => asks).length);
      }),
      { numRuns: 40 },
    );
  });

  it('a resolver runs at most once a round', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (shapes) => {
        const { tool, runs } = toolOf(shapes);
        // No resolver runs while the client answers.
        const rounds: number[][] = [];
        const endRound = (): void => {
          if (runs.length > 0) rounds.push(runs.splice(0));
        };
        const { requests } = await countCall(tool, 'modern', endRound);
        endRound();
        expect(rounds).toHaveLength(requests);
        for (const round of rounds) expect(round).toHaveLength(new Set(round).size);
      }),
      { numRuns: 40 },
    );
  });

  it('a resolver runs exactly once a call on the legacy era', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (shapes) => {
        const { tool, runs } = toolOf(shapes);
        await countCall(tool, 'legacy');
        expect(runs.toSorted((a, b) => a - b)).toEqual([...shapes.keys()]);
      }),
      { numRuns: 40 },
    );
  });
});
