/** `mcporter`, a command that connects for each call. */
import { endingOf, type Connect } from '../adapter.js';
import { run } from './command.js';

export const connect: Connect = async ({ server, home }) => {
  const target =
    'url' in server
      ? ['--http-url', server.url, '--allow-http']
      : ['--stdio', server.command, ...server.args.flatMap((arg) => ['--stdio-arg', arg])];
  return {
    call: async (tool, args) => {
      const flags = ['--tool', tool, '--args', JSON.stringify(args), '--output', 'json'];
      const { stdout } = await run('mcporter', ['call', ...target, ...flags], home);
      const printed = JSON.parse(stdout) as { content?: unknown; error?: string };
      return printed.error === undefined
        ? endingOf(printed)
        : { text: printed.error, isError: true };
    },
    close: async () => undefined,
  };
};
