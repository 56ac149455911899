/** Prompts that ask nothing, and the completion of an argument. */
import {
  completable,
  type ContentBlock,
  type GetPromptResult,
  type McpServer,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

import { embedded, image, text } from './content.js';

const WORDS = ['paris', 'park', 'party', 'test'];
const startingWith = (start: string): string[] => WORDS.filter((word) => word.startsWith(start));

export function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () =>
    user(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with arguments.',
      argsSchema: z.object({ arg1: completable(z.string(), startingWith), arg2: z.string() }),
    },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt with a resource.',
      argsSchema: z.object({ resourceUri: z.string() }),
    },
    ({ resourceUri }) =>
      user(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with a picture.' }, () =>
    user(image, text('Please analyze the image above.')),
  );
}

function user(...contents: ContentBlock[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}
