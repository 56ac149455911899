/** How the cost of a call grows with its rounds, in which every question waits for an answer. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { sender } from '../cases/modern.js';
import { answerAll, askingByHand, askingInTurn } from '../cases/rounds.js';
import type { Bench } from '../goal.js';
import type { Chart } from '../measure/chart.js';
import { repeating } from '../measure/compare.js';
import { each, linesOf, type Line } from './lines.js';

/** A server ends a call by its time and by the size of its state, not by the number of rounds. */
const QUESTIONS = [1, 2, 5, 10, 20, 50];

const asking =
  (serve: (questions: number) => McpServerFactory): Line['way'] =>
  (questions) => {
    const send = sender(serve(questions));
    return repeating('calls', () => answerAll(send, questions));
  };

export async function roundsGrowth(bench: Bench): Promise<Chart> {
  const lines = [
    { name: 'call', way: asking(askingInTurn) },
    { name: 'call, SDK', way: asking(askingByHand) },
  ];
  const calls = await linesOf(lines, QUESTIONS, bench);
  const questions = calls.map(each).map(({ name, points }) => ({
    name: name.replace('call', 'question'),
    points,
  }));
  const title = 'A call, by its questions one after the other';
  return { title, x: 'questions', y: 'µs', series: [...calls, ...questions] };
}
