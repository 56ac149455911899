/**
 * Plays the refund desk in the terminal (`npm start`): a real client and a real server, over HTTP
 * within this process. Shows what the model sees, what the person is asked, and what comes out.
 *
 * `--legacy` plays it in the 2025 era; `--interactive` lets you answer the questions.
 */
import { inspect, parseArgs } from 'node:util';
import type { ElicitResult, Tool } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { requestStateSeal } from 'mcp-resolve';

import { type Answer, connect, decline, type Form } from '../support/connect.js';
import { Keyboard } from '../support/keyboard.js';
import { bold, green, INDENT, printLabelled, red } from '../support/terminal.js';
import { type Refund, refunds, topicOf } from './script.js';
import { buildServer } from './server.js';

const { legacy, interactive } = readFlags();
const keyboard = interactive ? new Keyboard() : undefined;
let onStage: Refund = refunds.corrupted;
let scenes = 0;
// This desk lives as long as this process, and so may its key: choosing it saves the warning about it.
const seal = requestStateSeal.ephemeral();

const desk = await connect(
  { server: new URL('server.ts', import.meta.url), buildServer: buildDesk, person },
  { via: 'http', legacy },
);
introduce(await desk.client.listTools());
await (keyboard ? playWith(keyboard) : playScript());
keyboard?.close();
await desk.close();

function buildDesk(): McpServer {
  const server = buildServer();
  seal.protect(server);
  return server;
}

async function playScript(): Promise<void> {
  await play('One item: nothing to ask', refunds.corrupted);
  await play('Several items: two questions, the second depends on the first', refunds.broken);
  await play('One item of several, and no restocking: still a refund', refunds.wrongColour);
  await play('An item that is not in the order: no refund', refunds.lost);
  await play('A person who will not say what to refund: no refund', refunds.changedMind);
  console.log(`
Answer the questions yourself    npm start -- --interactive
See it as a 2025 client does     npm start -- --legacy
Read the server                  examples/refund-desk/server.ts`);
}

async function playWith(person: Keyboard): Promise<void> {
  console.log('You are the person. At a question: Enter for a default, d to decline, c to cancel.');
  await play('One item: nothing to ask', refunds.corrupted);
  let again: string | undefined;
  do {
    await play('Several items: it is up to you', refunds.broken);
    again = await person.ask('\nThe same call again, with other answers? (y/n) ');
  } while (again !== undefined && /^y/i.test(again));
}

/** One call, from what the model sends to what it gets. */
async function play(title: string, refund: Refund): Promise<void> {
  onStage = refund;
  scenes += 1;
  console.log(bold(`\n${scenes}. ${title}`));
  const { order_id, reason } = refund;
  printLabelled('model', `refund_order ${show({ order_id, reason })}`);
  const answer = await desk.call('refund_order', { order_id, reason });
  const round = answer.rounds.length;
  if (answer.isError) printLabelled(deskIn(round), answer.text, red);
  else printLabelled(deskIn(round), `receipt ${show(answer.structured)}`, green);
  printLabelled('', summaryOf(answer));
}

/** The person: reads the question, then answers at the keyboard or by the script. */
async function person(form: Form, round: number): Promise<ElicitResult> {
  printLabelled(deskIn(round), form.message);
  if (keyboard) return keyboard.fillIn(form, INDENT);
  const answer = onStage.answers[topicOf(form)] ?? decline;
  const { action, content } = answer;
  printLabelled('person', action === 'accept' ? show(content) : `(${action})`);
  return answer;
}

function introduce({ tools }: { tools: Tool[] }): void {
  console.log(bold(`The refund desk, in protocol ${String(desk.protocolVersion)}`));
  console.log('\nThis is all that the model sees of it:');
  for (const { name, inputSchema, description = '' } of tools) {
    printLabelled('tool', name);
    printLabelled('', description);
    printLabelled('arguments', show(inputSchema.properties));
  }
  console.log('The amount and the restocking are no arguments: resolvers fill them, or ask.');
  console.log(
    legacy
      ? 'In this era the desk asks in the middle of the call, which waits.'
      : 'In this era an open question ends a round; the client calls again with the answer.',
  );
}

/** Who speaks for the server: in the 2026 era, each round is a request of its own. */
function deskIn(round: number): string {
  return legacy ? 'desk' : `round ${round}`;
}

function show(value: unknown): string {
  return inspect(value, { breakLength: Infinity });
}

function summaryOf({ rounds }: Answer): string {
  const questions = rounds.reduce((sum, asked) => sum + asked, 0);
  return `${count(rounds.length, 'round')}, ${count(questions, 'question')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function readFlags(): { legacy: boolean; interactive: boolean } {
  const boolean = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({ options: { legacy: boolean, interactive: boolean } });
    if (!values.interactive || process.stdin.isTTY) return values;
    console.error('--interactive needs a terminal, and standard input is none.');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  console.error('Usage: npm start -- [--legacy] [--interactive]');
  process.exit(2);
}
