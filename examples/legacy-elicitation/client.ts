/** Checks both forms of the tool: which era each works in, and which questions the user sees. */
import type { ElicitResult } from '@modelcontextprotocol/client';

import { accept, cancel, decline, type Form } from '../support/connect.js';
import { refusalOf } from '../support/results.js';
import { runStory } from '../support/story.js';
import { buildServer } from './server.js';

const FAILED =
  "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent while serving a request on that revision. Return inputRequired({ ... }) from the handler instead — the client fulfils the embedded requests and retries the original request (multi round-trip requests).";
const MISSING =
  "Client did not declare the form elicitation capability required by resolver 'details'";

const forms: Form[] = [];
let answer = cancel;
const onForm = (form: Form): ElicitResult => {
  forms.push(form);
  return answer;
};

const story = { server: new URL('server.ts', import.meta.url), buildServer, onForm };
await runStory(story, async ({ client, call, check, legacy, withClient }) => {
  const workshop = { workshop: 'Pottery' };
  const { tools } = await client.listTools();
  const inputs = tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties!)]);
  const both = [
    ['register', ['workshop']],
    ['register_by_hand', ['workshop']],
  ];
  check('both tools have the same argument', inputs, both);

  const works = async (tool: string): Promise<void> => {
    answer = accept({ name: 'Ada', lunch: true });
    const accepted = await call(tool, workshop);
    check(`${tool} registers the user`, accepted.text, 'Ada comes to Pottery, with lunch');
    check(`${tool} asks once`, accepted.rounds, legacy ? [1] : [1, 0]);
    for (const reply of [decline, cancel]) {
      answer = reply;
      const { text } = await call(tool, workshop);
      const expected = `not registered: the user chose ${reply.action}`;
      check(`${tool} handles ${reply.action}`, text, expected);
    }
  };

  await works('register');
  const asked = forms.splice(0);
  if (legacy) {
    await works('register_by_hand');
    check('both ask for the same fields', forms.map(fieldsOf), asked.map(fieldsOf));
  } else {
    const { isError, text, rounds } = await call('register_by_hand', workshop);
    check('register_by_hand fails', [isError, text], [true, FAILED]);
    check('and the user sees no question', [rounds, forms], [[0], []]);
  }

  await withClient({}, async (silent) => {
    const refused = await refusalOf(silent.call('register', workshop));
    check('a client that cannot show forms gets error -32021', refused, [-32021, MISSING]);
  });
});

function fieldsOf({ message, requestedSchema: { properties, required } }: Form): unknown {
  return { message, properties, required };
}
