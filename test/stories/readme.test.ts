/** Tests the README: its program compiles and runs, and its links exist. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { accept, decline, resumeCall, startCall } from 'mcp-resolve/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ROOT, run } from './program.js';

const TIMEOUT = 120_000;
const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
const program = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';

const shownSchema = JSON.parse(/```json\n(.*?)```/s.exec(readme)?.[1] ?? 'null') as object;

let project: string;

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-readme-'));
  const tsconfig = { extends: path.join(ROOT, 'tsconfig.json'), include: ['server.ts'] };
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(path.join(project, 'server.ts'), program);
  await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'), 'junction');
});

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

describe.concurrent('the program of the README', () => {
  it('is at most 40 lines', () => {
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });

  it('type-checks', { timeout: TIMEOUT }, async () => {
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(await run(process.execPath, [tsc, '-p', project])).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  it.each(['auto', 'legacy'] as const)(
    'pays, and asks before a large payment (mode $0)',
    { timeout: TIMEOUT },
    async (mode) => {
      const asked: string[] = [];
      let yes = true;
      const client = await connect(mode, { elicitation: { form: {} } });
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { confirm: yes } };
      });
      const pay = async (invoice: string): Promise<unknown> => {
        const call = { name: 'pay_invoice', arguments: { invoice, euros: 1, approved: true } };
        const { content } = await client.callTool(call);
        return content[0]?.type === 'text' ? content[0].text : content;
      };

      const { tools } = await client.listTools();

      expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([
        { $schema: expect.any(String) as string, ...shownSchema },
      ]);
      expect(await pay('INV-1')).toBe('Paid 40 euros for INV-1.');
      expect(asked).toEqual([]);
      expect(await pay('INV-2')).toBe('Paid 900 euros for INV-2.');
      expect(asked).toEqual(['Pay 900 euros for INV-2?']);
      yes = false;
      expect(await pay('INV-2')).toBe(
        "Error executing tool pay_invoice: Resolver for parameter 'approved' could not resolve: elicitation was decline",
      );
      expect(await pay('INV-3')).toContain('Invalid arguments for tool pay_invoice');
      await client.close();
    },
  );
});

describe.concurrent('the table of the README', { timeout: TIMEOUT }, () => {
  const invoice = { name: 'pay_invoice', arguments: { invoice: 'INV-2' } };

  it('is right about a call that the client sends twice', async () => {
    const reader = await connect('auto', { elicitation: { form: {} } });
    const saved = JSON.stringify(await startCall(reader, invoice));
    const answer = { approved: accept({ confirm: true }) };
    const first = await resumeCall(reader, saved).answer(answer);
    const second = await resumeCall(reader, saved).answer({ approved: decline() });

    expect(first).toMatchObject({
      result: { content: [{ text: 'Paid 900 euros for INV-2.' }] },
    });
    expect(second).toMatchObject(first);
    await reader.close();
  });

  it.each(['auto', 'legacy'] as const)(
    'is right about a client that cannot show forms (mode %s)',
    async (mode) => {
      const reader = await connect(mode, {});
      await expect(reader.callTool(invoice)).rejects.toMatchObject({ code: -32_021 });
      await reader.close();
    },
  );

  it('is right about a changed state', async () => {
    const reader = await connect('auto', { elicitation: { form: {} } });
    const saved = JSON.stringify(await startCall(reader, invoice)).replace('v1.', 'v1.AA');
    const answer = { approved: accept({ confirm: true }) };

    await expect(resumeCall(reader, saved).answer(answer)).rejects.toMatchObject({
      message: 'Invalid or expired requestState',
    });
    await reader.close();
  });
});

describe('the README', () => {
  it('has at most 120 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(path.join(ROOT, link)))).toEqual([]);
    expect(links.length).toBeGreaterThan(4);
  });
});

/** Starts the program of the README and connects a client to it. */
async function connect(mode: 'auto' | 'legacy', capabilities: ClientCapabilities): Promise<Client> {
  const info = { name: 'reader', version: '1.0.0' };
  const reader = new Client(info, { capabilities, versionNegotiation: { mode } });
  const args = ['--import', 'tsx', 'server.ts'];
  await reader.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project }));
  return reader;
}
