/**
 * A call of two rounds: left to the SDK's client, done by hand, tampered with, and finished by
 * another server process than the one that started it.
 */
import { randomBytes } from 'node:crypto';
import { type ElicitResult, ProtocolError } from '@modelcontextprotocol/client';
import { accept, type Call, decline, resumeCall, startCall } from 'mcp-resolve/client';

import { type Form, textOf } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { buildServer } from './server.js';
import { buildServer as buildLowlevelServer } from './serverLowlevel.js';

const server = new URL('server.ts', import.meta.url);
const lowlevel = {
  server: new URL('serverLowlevel.ts', import.meta.url),
  buildServer: buildLowlevelServer,
};
const forms: Form[] = [];
const person = (form: Form): ElicitResult => {
  forms.push(form);
  return accept({ confirm: true });
};

const staging = { name: 'deploy', arguments: { env: 'staging' } };
const no = { confirm: decline() };
const CANCELLED = 'deployment to staging cancelled';
const REFUSED = [-32602, 'Invalid or expired requestState', { reason: 'invalid_request_state' }];

const story = { server, buildServer, lowlevel, person };
await runStory(story, async ({ client, call, check, legacy, inNewProcess }) => {
  const runs = async (): Promise<number> => Number((await call('count_runs', {})).text);

  let before = await runs();
  const deployed = await call('deploy', { env: 'production' });
  const { message, requestedSchema } = forms[0]!;
  check('after a yes it is deployed', deployed.text, 'deployed to production');
  check('to one question', [forms.length, message], [1, 'Deploy to production?']);
  check('in a form with one box', Object.keys(requestedSchema.properties), ['confirm']);
  check('which has to be there', requestedSchema.required, ['confirm']);
  check('the tool runs twice', (await runs()) - before, 2);
  if (legacy) {
    check('and the SDK sees to that within one call', deployed.rounds, [1]);
    console.log('In the 2025 era no state leaves the server. The rest is about 2026-07-28.');
    return;
  }
  check('and the SDK sees to that with a second call', deployed.rounds, [1, 0]);

  const open = await startCall(client, staging);
  if (open.done) throw new Error('nobody was asked');
  check('by hand, the questions come back', Object.keys(open.questions), ['confirm']);
  check('and no handler gets them', forms.length, 1);
  const { requestState: token = '', ...rest } = open.toJSON();
  check('the state is there, and sealed', [token.slice(0, 3), isPlain(token)], ['v1.', false]);

  before = await runs();
  const forged = resumeCall(client, { ...rest, requestState: tamperedWith(token) });
  check('a changed token is refused', await endOf(forged.answer(no)), REFUSED);
  check('before the tool runs', (await runs()) - before, 0);
  check('the true one is taken', await endOf(open.answer(no)), CANCELLED);

  if (inNewProcess === undefined) {
    console.log('A server that runs already is not restarted: leave out --url to see that.');
    return;
  }
  const acrossRestart = async (key?: string): Promise<unknown> => {
    const env = { REQUEST_STATE_KEY: key };
    const saved = await inNewProcess(env, async (first) =>
      JSON.stringify(await startCall(first.client, staging)),
    );
    return inNewProcess(env, (second) =>
      endOf(resumeCall<'tools/call'>(second.client, saved).answer(no)),
    );
  };
  const key = randomBytes(32).toString('base64url');
  const [lost, finished] = await Promise.all([acrossRestart(), acrossRestart(key)]);
  check('a restart ends a call whose key was in the process', lost, REFUSED);
  check('and not one whose key is shared', finished, CANCELLED);
});

function isPlain(token: string): boolean {
  const decoded = Buffer.from(token.slice(3), 'base64url').toString('latin1');
  return [token, decoded].some((text) => text.includes('awaiting-confirm'));
}

/** Another character in the middle. */
function tamperedWith(token: string): string {
  const middle = Math.floor(token.length / 2);
  return token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
}

/** The text that a round ended with, or the error. */
async function endOf(round: Promise<Call<'tools/call'>>): Promise<unknown> {
  try {
    const call = await round;
    return call.done ? textOf(call.result) : call.questions;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.code, error.message, error.data];
  }
}
