/** Every way in which a person can answer before a folder is deleted. */
import type { ElicitResult } from '@modelcontextprotocol/client';

import { accept, type Answer, cancel, decline, type Form } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { buildServer } from './server.js';

let forms: Form[] = [];
let answer = cancel;

const story = {
  server: new URL('server.ts', import.meta.url),
  buildServer,
  person: (form: Form): ElicitResult => {
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

  const missing = await remove('/nowhere', cancel);
  const noFolder = 'Error executing tool delete_folder: there is no folder /nowhere';
  check('a missing folder is an error', [missing.isError, missing.text], [true, noFolder]);

  const silent = await remove('/empty', cancel);
  check('an empty folder is deleted', silent.text, 'deleted /empty');
  check('without a question, in one round', [forms, silent.rounds], [[], [0]]);

  const declined = await remove('/docs', decline);
  check('a full one is asked about', forms[0]?.message, '/docs has 2 file(s). Delete it?');
  check('in a form with one box', Object.keys(forms[0]!.requestedSchema.properties), ['ok']);
  if (legacy) check('in the middle of the call', declined.rounds, [1]);
  else check('between two rounds', declined.rounds, [1, 0]);
  check('decline', [declined.isError, declined.text], [false, 'declined: folder not deleted']);

  const cancelled = await remove('/docs', cancel);
  check('cancel', [cancelled.isError, cancelled.text], [false, 'cancelled: folder not deleted']);

  const kept = await remove('/docs', accept({ ok: false }));
  check('accept, unticked', [kept.isError, kept.text], [false, 'kept the folder']);

  const deleted = await remove('/docs', accept({ ok: true }));
  check('accept, ticked', [deleted.isError, deleted.text], [false, 'deleted /docs']);
  check('each call asked once', forms.length, 1);
});
