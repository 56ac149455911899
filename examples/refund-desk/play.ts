/**
 * Plays the refund desk in the terminal (`npm start`), with a client and a server over HTTP in this
 * process. It shows what the model sees, what the user is asked, and the results.
 *
 * `--legacy` uses the legacy era. With `--interactive` you answer the questions.
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
// An explicit key for this process. The default key would be the same, but logs a warning.
const seal = requestStateSeal.ephemeral();

const desk = await connect(
  { server: new URL('server.ts', import.meta.url), buildServer: buildDesk, onForm },
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
  await play('One item: no question', refunds.corrupted);
  await play('Several items: two questions, and the second depends on the first', refunds.broken);
  await play(
    'One item of several, and the user declines to restock: still a refund',
    refunds.wrongColour,
  );
  await play('An item that is not in the order: no refund', refunds.lost);
  await play('The user declines to say what to refund: no refund', refunds.changedMind);
  console.log(`
Answer the questions yourself    npm start -- --interactive
See it as a legacy client does     npm start -- --legacy
Read the server                  examples/refund-desk/server.ts`);
}

async function playWith(user: Keyboard): Promise<void> {
  console.log('You are the user. At a question: Enter for the default, d to decline, c to cancel.');
  await play('One item: no question', refunds.corrupted);
  let again: string | undefined;
  do {
    await play('Several items: you decide', refunds.broken);
    again = await user.ask('\nThe same call again, with other answers? (y/n) ');
  } while (again !== undefined && /^y/i.test(again));
}

/** Shows one call, from the model's arguments to the result. */
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

/** Shows a question, and answers it from the keyboard or from the script. */
async function onForm(form: Form, round: number): Promise<ElicitResult> {
  printLabelled(deskIn(round), form.message);
  if (keyboard) return keyboard.fillIn(form, INDENT);
  const answer = onStage.answers[topicOf(form)] ?? decline;
  const { action, content } = answer;
  printLabelled('user', action === 'accept' ? show(content) : `(${action})`);
  return answer;
}

function introduce({ tools }: { tools: Tool[] }): void {
  console.log(bold(`The refund desk, in protocol ${String(desk.protocolVersion)}`));
  console.log('\nThe model sees this:');
  for (const { name, inputSchema, description = '' } of tools) {
    printLabelled('tool', name);
    printLabelled('', description);
    printLabelled('arguments', show(inputSchema.properties));
  }
  console.log('Resolvers fill the amount and the restocking. They are not arguments.');
  console.log(
    legacy
      ? 'In this era the server asks during the request.'
      : 'In this era a question ends a round, and the client retries with the answer.',
  );
}

/** Labels the server. In the modern era each round is a separate request. */
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
    console.error('--interactive needs a terminal, but standard input is not one.');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  console.error('Usage: npm start -- [--legacy] [--interactive]');
  process.exit(2);
}
