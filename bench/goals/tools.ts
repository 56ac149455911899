/** Q8 and Q9: servers with many tools. And questions, whose schemas are converted once. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { sender, type Send } from '../cases/modern.js';
import { tinyRegistering, tinyResolving } from '../cases/tiny.js';
import {
  askByHand,
  askByRound,
  callLast,
  listAll,
  registering,
  resolving,
} from '../cases/tools.js';
import { shareOf, type Goal } from '../goal.js';
import { compare, repeating, type Way } from '../measure/compare.js';

type Use = (send: Send, count: number) => Promise<void>;

function way(count: number, serve: (count: number) => McpServerFactory, use: Use): Way {
  const send = sender(serve(count));
  return repeating(`${count} tools`, () => use(send, count));
}

export const toolsGoals: readonly Goal[] = [
  {
    id: 'Q8',
    title: 'calls of a server with many tools',
    measure: async ({ effort, quick, progress }) => {
      const most = quick ? 1000 : 10_000;
      const one = way(1, resolving, callLast);
      progress('100 tools against one');
      const hundred = await compare(way(100, resolving, callLast), one, effort);
      progress(`${most} tools against one`);
      const many = await compare(way(most, resolving, callLast), one, effort);
      progress('100 tools of the SDK against one of ours');
      const byHand = await compare(way(100, registering, callLast), one, effort);
      return [
        shareOf('tools/call, 100 tools / 1 tool', hundred, { bar: 1.15 }),
        shareOf(`tools/call, ${most} tools / 1 tool`, many, { bar: 1.3 }),
        shareOf('tools/call, 100 tools by hand / 1 tool of ours', byHand),
      ];
    },
  },
  {
    id: 'Q9',
    title: 'lists of tools',
    measure: async ({ effort, progress }) => {
      progress('tools/list of 100 tools against the SDK with shared schemas');
      const list = await compare(
        way(100, resolving, listAll),
        way(100, registering, listAll),
        effort,
      );
      progress('the same for tools with one argument');
      const tiny = await compare(
        way(100, tinyResolving, listAll),
        way(100, tinyRegistering, listAll),
        effort,
      );
      return [
        shareOf('tools/list of 100 / SDK, shared schemas', list, { bar: 0.3, goal: 0.2 }),
        shareOf('the same, if each schema is one string', tiny),
      ];
    },
  },
  {
    id: 'questions',
    title: 'questions of six fields',
    measure: async ({ effort, progress }) => {
      progress('a round of 100 questions of one schema of six fields against 100 questions alone');
      const ask = await compare(byRound('hundred'), byHand(100), effort);
      progress('a round of one such question against the question alone');
      const round = await compare(byRound('one'), byHand(1), effort);
      return [
        shareOf(
          'question of 6 fields, in a round of 100 of one schema / inputRequired.elicit',
          ask,
        ),
        shareOf('whole round with one such question / inputRequired.elicit', round),
      ];
    },
  },
];

/** Each round runs its graph, and renders, digests and records its questions. */
const byRound = (size: 'one' | 'hundred'): Way => repeating('a round', () => askByRound(size));

const byHand = (questions: number): Way => ({
  name: 'the questions alone',
  run: (times) => {
    for (let index = 0; index < times * questions; index += 1) askByHand();
  },
});
