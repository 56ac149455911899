/** Tests the packed package in an empty project: it asks, it runs, and it has its command. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Row, writeReport } from '../support/report.js';
import {
  install,
  installedVersion,
  type Manager,
  MANAGERS,
  pack,
  runCommand,
  versionOf,
} from './projects.js';

const SDK = '@modelcontextprotocol/server';

/** The oldest supported SDK, and the newest. */
const SDKS = ['2.0.0', '2'] as const;
const FILES = ['server.mjs', 'server.cjs'] as const;
const CALLS = FILES.flatMap((file) =>
  (['auto', 'legacy'] as const).map((mode) => ({ file, mode })),
);
/** The calls, the command and the version. */
const CHECKS = CALLS.length + 2;

const rows: Row[] = [];
let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-install-'));
  tarball = await pack(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(MANAGERS)('installed by %s', (manager) => {
  describe.each(SDKS)(`beside ${SDK}@%s`, (sdk) => {
    let project: string;
    let passed = 0;

    beforeAll(async () => {
      project = path.join(folder, `${manager}-${sdk}`);
      await install(manager, project, [tarball, `${SDK}@${sdk}`, 'zod@4']);
    });

    it('uses the requested SDK', async () => {
      expect(await installedVersion(project, SDK)).toMatch(
        sdk === '2' ? /^2\.\d+\.\d+$/ : /^2\.0\.0$/,
      );
      passed += 1;
    });

    it.each(CALLS)('asks and runs with $file in mode $mode', async ({ file, mode }) => {
      expect(await book(project, file, mode)).toEqual({
        asked: ['A table for 4?'],
        text: `booked for 4, as a ${file === 'server.mjs' ? 'module' : 'script'}`,
        protocol: mode === 'legacy' ? '2025-11-25' : '2026-07-28',
      });
      passed += 1;
    });

    it('has the command', async () => {
      const version = await installedVersion(project, 'mcp-resolve');
      expect(await runCommand(project, '--version')).toBe(`${version}\n`);
      for (const file of FILES) {
        expect(await runCommand(project, 'explain', file)).toContain('tool book_table\n');
      }
      passed += 1;
    });

    afterAll(async () => {
      if (passed === CHECKS) rows.push(await rowOf({ manager, project, sdk }, passed));
    });
  });
});

/** Writes the table only after a complete run without failures. */
afterAll(() => {
  const whole = rows.length === MANAGERS.length * SDKS.length;
  if (whole) writeReport('package', 'npm test -- install', rows);
});

async function book(
  project: string,
  file: string,
  mode: 'auto' | 'legacy',
): Promise<{ asked: string[]; text: unknown; protocol: string | undefined }> {
  const asked: string[] = [];
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(
    { name: 'guest', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { confirm: true } };
  });
  const args = [file, 'serve'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project }));
  try {
    const { content } = await client.callTool({ name: 'book_table', arguments: { guests: 4 } });
    const protocol = client.getNegotiatedProtocolVersion();
    return { asked, text: content[0]?.type === 'text' ? content[0].text : content, protocol };
  } finally {
    await client.close();
  }
}

interface Installed {
  readonly manager: Manager;
  readonly project: string;
  readonly sdk: (typeof SDKS)[number];
}

async function rowOf({ manager, project, sdk }: Installed, passed: number): Promise<Row> {
  const which = sdk === '2' ? 'newest' : 'oldest supported';
  return {
    peer: manager,
    version: await versionOf(manager),
    over: '2026-07-28 and 2025-11-25, stdio',
    saw: `the packed package with the ${which} ${SDK}, ${await installedVersion(project, SDK)}: a tool that asks and runs, from ESM and CommonJS, and the command`,
    passed,
    failed: 0,
  };
}
