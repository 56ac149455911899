/** Checks every answer that the user can give before the tool deletes a folder. */
import type { ElicitResult } from '@modelcontextprotocol/client';

import { accept, type Answer, cancel, decline, type Form } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { buildServer } from './server.js';

let forms: Form[] = [];
let answer = cancel;

const story = {
  server: new URL('server.ts', import.meta.url),
  buildServer,
  onForm: (form: Form): ElicitResult => {
    forms.push(form);
    return answer;
  },
};

await runStory(story, async ({ call, check, legacy }) => {
  const remove = (path: string, reply: ElicitResult): Promise<Answer> => {
    forms = [];
    answer = reply;
    return call('delete_folder', { path });
  };
  const checkEnd = (fact: string, { isError, text }: Answer, expected: [boolean, string]): void => {
    check(fact, [isError, text], expected);
  };

  const noFolder = 'Error executing tool delete_folder: there is no folder /nowhere';
  checkEnd('a missing folder is an error', await remove('/nowhere', cancel), [true, noFolder]);

  const empty = await remove('/empty', cancel);
  checkEnd('the tool deletes an empty folder', empty, [false, 'deleted /empty']);
  check('without a question, in one round', [forms, empty.rounds], [[], [0]]);

  const declined = await remove('/docs', decline);
  const question = '/docs has 2 file(s). Delete it?';
  check('the tool asks about a folder with files', forms[0]?.message, question);
  check('in a form with one field', Object.keys(forms[0]!.requestedSchema.properties), ['ok']);
  if (legacy) check('during the request', declined.rounds, [1]);
  else check('between two rounds', declined.rounds, [1, 0]);
  checkEnd('the user declines', declined, [false, 'declined: folder not deleted']);

  const cancelled = await remove('/docs', cancel);
  checkEnd('the user cancels', cancelled, [false, 'cancelled: folder not deleted']);

  const unticked = await remove('/docs', accept({ ok: false }));
  checkEnd('the user leaves the box unticked', unticked, [false, 'kept the folder']);

  const ticked = await remove('/docs', accept({ ok: true }));
  checkEnd('the user ticks the box', ticked, [false, 'deleted /docs']);
  check('the call asks once', forms.length, 1);
});
