/**
 * Checks a call of two rounds: with the automatic retry of the SDK's client, by hand, with a
 * changed token, and with a server that restarts between the rounds.
 *
 * `--server serverLowlevel` checks the low-level server. `--url` and `--command` check any other
 * server with this `deploy` tool.
 */
import { randomBytes } from 'node:crypto';
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client';
import { accept, type Call, decline, resumeCall, startCall } from 'mcp-resolve/client';

import type { Form } from '../support/connect.js';
import { endOf } from '../support/results.js';
import { runStory } from '../support/story.js';
import { buildServer } from './server.js';
import { buildServer as buildLowlevelServer } from './serverLowlevel.js';

const server = new URL('server.ts', import.meta.url);
const serverLowlevel = {
  server: new URL('serverLowlevel.ts', import.meta.url),
  buildServer: buildLowlevelServer,
};
const forms: Form[] = [];
const onForm = (form: Form): ElicitResult => {
  forms.push(form);
  return accept({ confirm: true });
};

const staging = { name: 'deploy', arguments: { env: 'staging' } };
const declined = { confirm: decline() };
const CANCELLED = 'deployment to staging cancelled';
const REFUSED = [-32602, 'Invalid or expired requestState', { reason: 'invalid_request_state' }];

const story = { server, buildServer, variants: { serverLowlevel }, onForm };
await runStory(story, async ({ client, call, check, legacy, inNewProcess }) => {
  // The servers of this folder count the runs of `deploy`. Other servers may not.
  const { tools } = await client.listTools();
  const counts = tools.some(({ name }) => name === 'count_runs');
  const runs = async (): Promise<number> =>
    counts ? Number((await call('count_runs', {})).text) : NaN;

  let before = await runs();
  const deployed = await call('deploy', { env: 'production' });
  const { message, requestedSchema } = forms[0]!;
  check('the tool deploys after an approval', deployed.text, 'deployed to production');
  check('the user sees one question', [forms.length, message], [1, 'Deploy to production?']);
  check('the form has one field', Object.keys(requestedSchema.properties), ['confirm']);
  check('the field is required', requestedSchema.required, ['confirm']);
  if (counts) check('the tool runs twice', (await runs()) - before, 2);
  if (legacy) {
    check('the server retries within one request', deployed.rounds, [1]);
    console.log('A legacy client never receives a state. The other facts are about 2026-07-28.');
    return;
  }
  check('the client retries with a second request', deployed.rounds, [1, 0]);

  const open = await startCall(client, staging);
  if (open.done) throw new Error('the server did not ask');
  check('by hand, the call returns its questions', Object.keys(open.questions), ['confirm']);
  check('and no handler runs', forms.length, 1);
  const { requestState: token = '', ...rest } = open.toJSON();
  check('the state is a token', token.length > 0, true);
  check('that hides the state of the tool', isReadable(token), false);

  before = await runs();
  const forged = resumeCall(client, { ...rest, requestState: changed(token) });
  const refused = await endOf(lastOf(forged.answer(declined)));
  check('the server refuses a changed token', refused, REFUSED);
  if (counts) check('before the tool runs', (await runs()) - before, 0);
  const taken = await endOf(lastOf(open.answer(declined)));
  check('the server accepts the original token', taken, CANCELLED);

  if (inNewProcess === undefined) {
    console.log('Leave out --url and --command to check restarts as well.');
    return;
  }
  const acrossRestart = async (key?: string): Promise<unknown> => {
    const env = { MCP_RESOLVE_KEYS: key };
    const saved = await inNewProcess(env, async (first) =>
      JSON.stringify(await startCall(first.client, staging)),
    );
    return inNewProcess(env, (second) =>
      endOf(lastOf(resumeCall<'tools/call'>(second.client, saved).answer(declined))),
    );
  };
  const key = randomBytes(32).toString('base64url');
  const [lost, finished] = await Promise.all([acrossRestart(), acrossRestart(key)]);
  check('after a restart, a new random key refuses the token', lost, REFUSED);
  check('and a configured key accepts it', finished, CANCELLED);
});

/** Returns true if the plain state can be read from the token. */
function isReadable(token: string): boolean {
  const parts = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  return [token, ...parts].some((text) => text.includes('awaiting-confirm'));
}

/** Changes one character in the middle. */
function changed(token: string): string {
  const middle = Math.floor(token.length / 2);
  return token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
}

/** Returns the result of a round, which must be the last one. */
async function lastOf(round: Promise<Call<'tools/call'>>): Promise<CallToolResult> {
  const call = await round;
  if (!call.done) throw new Error('the server asked again');
  return call.result;
}
