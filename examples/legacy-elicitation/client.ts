/** Checks both forms of the tool, and a link: the eras they work in, and what the user sees. */
import type { ElicitResult } from '@modelcontextprotocol/client';

import { accept, cancel, decline, type Form, type Link } from '../support/connect.js';
import { refusalOf } from '../support/results.js';
import { runStory } from '../support/story.js';
import { buildServer } from './server.js';

const FAILED =
  "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent while serving a request on that revision. Return inputRequired({ ... }) from the handler instead — the client fulfils the embedded requests and retries the original request (multi round-trip requests).";
const MISSING =
  "Client did not declare the form elicitation capability required by resolver 'registration'";

const ARGUMENTS = [
  ['link_account', ['provider']],
  ['register_user', []],
  ['register_user_by_hand', []],
];

const forms: Form[] = [];
const links: Link[] = [];
let answer = cancel;
const onLink = (link: Link): ElicitResult => {
  links.push(link);
  return answer;
};
const onForm = (form: Form): ElicitResult => {
  forms.push(form);
  return answer;
};

const story = { server: new URL('server.ts', import.meta.url), buildServer, onForm, onLink };
await runStory(story, async ({ client, call, check, legacy, withClient }) => {
  const { tools } = await client.listTools();
  const inputs = tools.map(({ name, inputSchema: { properties = {} } }) => {
    return [name, Object.keys(properties)];
  });
  check('only the link has an argument', inputs.sort(), ARGUMENTS);

  const works = async (tool: string): Promise<void> => {
    answer = accept({ username: 'ada', plan: 'pro' });
    const accepted = await call(tool, {});
    check(`${tool} registers the user`, accepted.text, 'registered ada (plan: pro)');
    check(`${tool} asks once`, accepted.rounds, legacy ? [1] : [1, 0]);
    for (const reply of [decline, cancel]) {
      answer = reply;
      const { text } = await call(tool, {});
      check(`${tool} handles ${reply.action}`, text, `registration ${reply.action}`);
    }
  };

  await works('register_user');
  const asked = forms.splice(0);
  if (legacy) {
    await works('register_user_by_hand');
    check('both ask for the same fields', forms.map(fieldsOf), asked.map(fieldsOf));
  } else {
    const { isError, text, rounds } = await call('register_user_by_hand', {});
    check('register_user_by_hand fails', [isError, text], [true, FAILED]);
    check('and the user sees no question', [rounds, forms], [[0], []]);
  }

  answer = accept({});
  const linked = await call('link_account', { provider: 'github' });
  check('link_account shows a link', linked.text, 'linked github');
  check(
    'of the provider',
    links.splice(0).map(({ url }) => url),
    ['https://example.com/oauth/github/authorize'],
  );
  answer = decline;
  const declined = await call('link_account', { provider: 'github' });
  check('and handles decline', declined.text, 'link decline');

  await withClient({}, async (silent) => {
    const refused = await refusalOf(silent.call('register_user', {}));
    check('a client that cannot show forms gets error -32021', refused, [-32021, MISSING]);
  });
});

function fieldsOf({ message, requestedSchema: { properties, required } }: Form): unknown {
  return { message, properties, required };
}
