/**
 * Codex CLI, driven over its app server: JSON-RPC on standard input and output, without an account
 * and without a model. A test calls a tool, and the forms of the server arrive as requests.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { endingOf, questionOf } from '../clients/adapter.js';
import type { Connected, Server, Visit } from '../clients/adapter.js';

/** Codex declines forms by itself under `never`. */
export type ApprovalPolicy = 'on-request' | 'never';

interface Message {
  id?: number;
  method?: string;
  params?: { mode?: string; message: string; url?: string; requestedSchema?: object };
  result?: unknown;
  error?: { message: string };
}

const PROGRAM = createRequire(import.meta.url).resolve('@openai/codex/bin/codex.js');

/** Starts Codex with one MCP server, and opens a thread. */
export async function connect(
  { server, era, person, home }: Visit,
  approvalPolicy: ApprovalPolicy = 'on-request',
): Promise<Connected> {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.toml'), configFor(server));
  const child = spawn(process.execPath, [PROGRAM, 'app-server', ...featuresOf(era)], {
    env: { ...process.env, CODEX_HOME: home, HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const waiting = new Map<number, (message: Message) => void>();
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.method === undefined) waiting.get(message.id!)?.(message);
    else if (message.method === 'mcpServer/elicitation/request') {
      const reply = person(questionOf(message.params!));
      const content = reply.action === 'accept' ? (reply.content ?? null) : null;
      send({ id: message.id, result: { action: reply.action, content, _meta: null } });
    }
  });
  let lastId = 0;
  const request = async (method: string, params: object): Promise<Message> => {
    const id = ++lastId;
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return answer;
  };

  const clientInfo = { name: 'peer', title: null, version: '1.0.0' };
  await request('initialize', { clientInfo, capabilities: null });
  send({ method: 'initialized' });
  const options = { approvalPolicy, cwd: home, sandbox: 'read-only', ephemeral: true };
  const started = (await request('thread/start', options)).result as { thread: { id: string } };
  return {
    call: async (tool, args) => {
      const call = { threadId: started.thread.id, server: 'peer', tool, arguments: args };
      const { result, error } = await request('mcpServer/tool/call', call);
      if (error !== undefined) return { text: error.message, isError: true };
      return endingOf(result as Record<string, unknown>);
    },
    close: async () => {
      child.kill();
      await exited;
    },
  };
}

/** Codex speaks 2026-07-28 only with a feature that is off by default. */
function featuresOf(era: Visit['era']): string[] {
  return era === 'modern' ? ['--enable', 'mcp_2026_07_28'] : [];
}

/** Returns a configuration with one MCP server. JSON strings and arrays are TOML, too. */
function configFor(server: Server): string {
  const place =
    'url' in server
      ? [`url = ${JSON.stringify(server.url)}`]
      : [
          `command = ${JSON.stringify(server.command)}`,
          `args = ${JSON.stringify(server.args)}`,
          `env = { PATH = ${JSON.stringify(process.env.PATH)} }`,
        ];
  const lines = [
    '[mcp_servers.peer]',
    ...place,
    'startup_timeout_sec = 60',
    'tool_timeout_sec = 60',
  ];
  return `${lines.join('\n')}\n`;
}
