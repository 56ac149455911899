/** Checks four clients: with a model and roots, with neither, with a model, and without a root. */
import type { CreateMessageRequestParams } from '@modelcontextprotocol/client';

import { runStory } from '../support/story.js';
import { buildServer } from './server.js';

const CSV = ['- export orders as CSV', '- fix rounding of refunds'];
const notes = (folder: string, headline: string): string =>
  [`${folder}/NOTES-1.4.0.md`, `# ${headline}`, ...CSV].join('\n');
const error = (message: string): string => `Error executing tool write_notes: ${message}`;

const SHOP = 'file:///home/ada/shop';
const prompts: CreateMessageRequestParams[] = [];
let rootsAsked = 0;
const onSample = (params: CreateMessageRequestParams): string => {
  prompts.push(params);
  return 'Your orders, now as CSV\nI hope that you like it.';
};
const onRoots = (): string[] => {
  rootsAsked += 1;
  return [SHOP, 'file:///home/ada/blog'];
};

const story = { server: new URL('server.ts', import.meta.url), buildServer, onSample, onRoots };
await runStory(story, async ({ client, call, check, legacy, withClient }) => {
  const { tools } = await client.listTools();
  const { properties, required } = tools.find(({ name }) => name === 'write_notes')!.inputSchema;
  check('the model sees two arguments', Object.keys(properties!), ['version', 'folder']);
  check('one is required', required, ['version']);

  const written = await call('write_notes', { version: '1.4.0' });
  check('the model writes the headline', written.text, notes(SHOP, 'Your orders, now as CSV'));
  const text = 'Write a headline for release 1.4.0: export orders as CSV; fix rounding of refunds.';
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  check('the model receives one prompt', [prompts[0]?.messages, prompts.length], [messages, 1]);
  check('with a limit', prompts[0]?.maxTokens, 40);
  if (legacy) check('the server asks both during one request', written.rounds, [2]);
  else check('the server asks both in one round', written.rounds, [2, 0]);

  const summed = await call('summarize', { text: 'All of it.' });
  check(
    'the model writes a summary',
    summed.text,
    'Your orders, now as CSV\nI hope that you like it.',
  );
  const asked = { type: 'text', text: 'Summarize in one sentence:\n\nAll of it.' };
  check('of the text', prompts.pop()?.messages[0]?.content, asked);

  const passed = await call('write_notes', { version: '1.4.0', folder: 'file:///srv/notes' });
  const there = notes('file:///srv/notes', 'Your orders, now as CSV');
  check('an argument replaces the roots', passed.text, there);
  check('and the server does not ask for them', rootsAsked, 1);

  const unknown = await call('write_notes', { version: '9.0.0' });
  check('an unknown release is an error', unknown.text, error("there is no release '9.0.0'"));
  check('and the server asks nothing', [unknown.rounds, prompts.length], [[0], 2]);

  await withClient({}, async (other) => {
    const { tools: shown } = await other.client.listTools();
    const names = shown.map(({ name }) => name);
    check('without sampling, the client sees one tool', names, ['write_notes']);
    const args = { version: '1.4.0', folder: 'file:///srv/notes' };
    const own = await other.call('write_notes', args);
    const headline = 'Release 1.4.0: export orders as CSV';
    check('and the server writes the headline', own.text, notes(args.folder, headline));
    check('in one round', own.rounds, [0]);
  });

  const NO_FOLDER = error('this client shares no folder: pass `folder`');
  await withClient({ onSample }, async (other) => {
    const { isError, text } = await other.call('write_notes', { version: '1.4.0' });
    check('without roots, the tool needs the argument', [isError, text], [true, NO_FOLDER]);
  });
  await withClient({ onSample, onRoots: () => [] }, async (other) => {
    const { text } = await other.call('write_notes', { version: '1.4.0' });
    check('and so it does if the list of roots is empty', text, NO_FOLDER);
  });
});
