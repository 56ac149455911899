/**
 * Bob answers a question that Alice was asked. In the modern era he sends the state of her call,
 * which is bound to her. In the legacy era he uses her session, which is bound to her too.
 */
import type { Client } from '@modelcontextprotocol/client';
import { accept, resumeCall, startCall } from 'mcp-resolve/client';

import { decline, type Link } from '../support/connect.js';
import { refusalOf, textOf } from '../support/results.js';
import type { StoryRun } from '../support/story.js';
import { alice, bob } from './people.js';
import { Browser } from './visit.js';

const request = { name: 'lab_results', arguments: { test: 'blood' } };
const answers = { pageOpened: accept() };

type Scene = Pick<StoryRun, 'check' | 'legacy' | 'withClient'>;

export async function checkStolenCall(scene: Scene): Promise<void> {
  if (scene.legacy) await answerInHerSession(scene);
  else await answerWithHerState(scene);
}

async function answerWithHerState({ check, withClient }: Scene): Promise<void> {
  const onLink = (): never => {
    throw new Error('a call by hand must not run this handler');
  };
  await withClient({ token: alice.token, onLink }, async ({ client }) => {
    const call = await startCall(client, request);
    if (call.done) throw new Error('the server did not ask');
    const question = call.questions.pageOpened!.params as Link;

    const stolen = JSON.stringify(call);
    const refused = await withClient({ token: bob.token, onLink }, ({ client: his }) =>
      refusalOf(resumeCall(his, stolen).answer(answers)),
    );
    const REFUSED = [-32602, 'Invalid or expired requestState'];
    check('bob cannot resume her call', refused, REFUSED);

    await new Browser().visit(question.url, alice);
    const end = await call.answer(answers);
    check(
      'she can resume it',
      end.done && textOf(end.result),
      'blood: all values of alice are fine',
    );
  });
}

async function answerInHerSession({ check, withClient }: Scene): Promise<void> {
  let client: Client | undefined;
  let refused: unknown;
  const onLink = async ({ url }: Link) => {
    await new Browser().visit(url, alice);
    refused = await sendAnswer(new URL('/mcp', url), client?.transport?.sessionId ?? '');
    return decline;
  };
  await withClient({ token: alice.token, onLink }, async (hers) => {
    client = hers.client;
    const { text } = await hers.call(request.name, request.arguments);
    check('bob cannot answer in her session', refused, [404, 'Session not found']);
    check('her own answer decides', text.endsWith('elicitation was decline'), true);
  });
}

/** Sends an accept for the open question of a session, with Bob's token. */
async function sendAnswer(url: URL, session: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bob.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: accept() }),
  });
  const { error } = (await response.json()) as { error: { message: string } };
  return [response.status, error.message];
}
