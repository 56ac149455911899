/** Tools that ask nothing, registered as the SDK has it: what is installed stands beside them. */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { setTimeout as delay } from 'node:timers/promises';

import { audio, embedded, image, result, text } from './content.js';

export function registerPlainTools(server: McpServer): void {
  const register = (
    name: string,
    description: string,
    body: (ctx: ServerContext) => ReturnType<typeof result> | Promise<ReturnType<typeof result>>,
  ) => server.registerTool(name, { description }, body);

  register('test_simple_text', 'Answers with text.', () =>
    result(text('This is a simple text response for testing.')),
  );
  register('test_image_content', 'Answers with a picture.', () => result(image));
  register('test_audio_content', 'Answers with a sound.', () => result(audio));
  register('test_embedded_resource', 'Answers with a resource.', () =>
    result(
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ),
  );
  register('test_multiple_content_types', 'Answers with three contents.', () =>
    result(
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  );
  register('test_error_handling', 'Fails.', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  register('test_tool_with_logging', 'Logs as it goes.', logs);
  register('test_logging_tool', 'Logs only for a client that asked for it.', logs);
  register('test_tool_with_progress', 'Says how far it is.', reportsProgress);
}

async function logs({ mcpReq }: ServerContext): Promise<ReturnType<typeof result>> {
  await mcpReq.log('info', 'Tool execution started');
  await delay(50);
  await mcpReq.log('info', 'Tool processing data');
  await delay(50);
  await mcpReq.log('info', 'Tool execution completed');
  return result(text('Logged three times.'));
}

async function reportsProgress({ mcpReq }: ServerContext): Promise<ReturnType<typeof result>> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      const params = { progressToken, progress, total: 100 };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    if (progress < 100) await delay(50);
  }
  return result(text('Reported progress.'));
}
