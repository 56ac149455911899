/** The Inspector's `mcpdo`. A daemon holds the connection, and a command answers each question. */
import { endingOf, questionOf, type Connect, type Ending, type Reply } from '../adapter.js';
import { errorIn, run, type Printed } from './command.js';

interface Pending {
  elicitationId: string;
  message: string;
  url?: string;
  requestedSchema?: unknown;
}

export const connect: Connect = async ({ server, era, person, home }) => {
  const mcpdo = (...args: string[]): Promise<Printed> =>
    run('mcpdo', ['--format', 'json', '--connection', 'c', ...args], home);
  const target = 'url' in server ? [server.url] : ['--', server.command, ...server.args];
  const connected = await mcpdo('connect', '--era', era, ...target);
  if (connected.code !== 0) throw new Error(connected.stderr);

  const endOf = async ({ stdout, stderr }: Printed): Promise<Ending> => {
    if (stdout === '') return errorIn(stderr);
    const result = JSON.parse(stdout) as { elicitationPending?: Pending; content: unknown };
    const pending = result.elicitationPending;
    if (pending === undefined) return endingOf(result);
    const reply = person(questionOf(pending));
    return endOf(await mcpdo('elicitation/respond', pending.elicitationId, ...flagsOf(reply)));
  };
  return {
    call: async (tool, args) => endOf(await mcpdo('tools/call', tool, JSON.stringify(args))),
    close: async () => void (await mcpdo('daemon', 'stop')),
  };
};

function flagsOf(reply: Reply): string[] {
  if (reply.action !== 'accept') return [`--${reply.action}`];
  return [reply.content === undefined ? '--done' : JSON.stringify(reply.content)];
}
