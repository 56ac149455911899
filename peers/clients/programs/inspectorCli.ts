/** The Inspector's `--cli`, a command that connects for each call. */
import { endingOf, type Connect } from '../adapter.js';
import { errorIn, run } from './command.js';

export const connect: Connect = async ({ server, era, home }) => ({
  call: async (tool, args) => {
    const target = 'url' in server ? [server.url] : [server.command, ...server.args];
    const pairs = Object.entries(args).map(([name, value]) => `${name}=${String(value)}`);
    const method = ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', ...pairs];
    const flags = ['--cli', '--protocol-era', era, ...method, '--', ...target];
    const { stdout, stderr } = await run('mcp-inspector', flags, home);
    return stdout === '' ? errorIn(stderr) : endingOf(JSON.parse(stdout) as { content: unknown });
  },
  close: async () => undefined,
});
