/**
 * Writes release notes, and summaries. The client's model writes the headline, and the client's
 * roots name the folder. Protocol 2026-07-28 deprecates both features, so each of them has a
 * replacement here: the server's own headline, and the argument `folder`.
 */
import { McpServer } from '@modelcontextprotocol/server';
import {
  argsOf,
  defineTool,
  install,
  listRoots,
  type ModelAnswer,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

const releases = new Map([
  ['1.4.0', ['export orders as CSV', 'fix rounding of refunds']],
  ['1.4.1', ['fix a crash on empty orders']],
]);

const NotesInput = z.object({
  version: z.string(),
  folder: z
    .url({ protocol: /^file$/ })
    .optional()
    .describe('Default: the first root of the client'),
});
const args = argsOf(NotesInput);

const changes = resolver({ version: args.version }, ({ version }) => {
  const found = releases.get(version);
  if (found === undefined) throw new ToolError(`there is no release '${version}'`);
  return found;
});

// Asks the client's model. A client without sampling gets the server's own headline.
const answer = resolver(
  { version: args.version, changes },
  ({ version, changes }) => {
    const text = `Write a headline for release ${version}: ${changes.join('; ')}.`;
    return sample(
      { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 40 },
      { otherwise: () => ownAnswer(`Release ${version}: ${changes[0]}`) },
    );
  },
  { asks: 'sample' },
);

// The answer is untrusted text. The notes use its first line, at most 60 characters.
const headline = resolver({ answer }, ({ answer: { content } }) => {
  if (content.type !== 'text') throw new ToolError(`the model answered with ${content.type}`);
  return content.text.trim().split('\n')[0]!.slice(0, 60);
});

// Asks for the client's roots, unless the arguments name a folder. Without roots, the list is empty.
const roots = resolver(
  { folder: args.folder },
  ({ folder }) =>
    folder === undefined ? listRoots({ otherwise: { roots: [] } }) : { roots: [{ uri: folder }] },
  { asks: 'roots' },
);

const target = resolver({ roots }, ({ roots: { roots } }) => {
  const [first] = roots;
  if (first === undefined) throw new ToolError('this client shares no folder: pass `folder`');
  return first.uri;
});

const writeNotes = defineTool(
  'write_notes',
  {
    description: 'Write the notes of a release.',
    inputSchema: NotesInput,
    resolve: { changes, headline, target },
  },
  // A real server checks the folder and writes the file here.
  ({ version, changes, headline, target }) =>
    [
      `${target}/NOTES-${version}.md`,
      `# ${headline}`,
      ...changes.map((change) => `- ${change}`),
    ].join('\n'),
);

const SummaryInput = z.object({ text: z.string() });

const summary = resolver(
  { text: argsOf(SummaryInput).text },
  ({ text }) => {
    const prompt = `Summarize in one sentence:\n\n${text}`;
    return sample({
      messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
      maxTokens: 200,
    });
  },
  { asks: 'sample' },
);

// Only a model can write a summary, so clients without one do not see this tool. The Python SDK has
// it in a story of the same name.
const summarize = defineTool(
  'summarize',
  {
    description: "Summarize a text with the client's model.",
    inputSchema: SummaryInput,
    resolve: { summary },
    hideWhenCannotAsk: true,
  },
  ({ summary: { content } }) => {
    if (content.type !== 'text') throw new ToolError(`the model answered with ${content.type}`);
    return content.text;
  },
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'release-notes', version: '1.0.0' });
  install(server, [writeNotes, summarize]);
  return server;
}

function ownAnswer(text: string): ModelAnswer {
  return { role: 'assistant', model: 'release-notes', content: { type: 'text', text } };
}

await serveWhenRun(import.meta.url, buildServer);
