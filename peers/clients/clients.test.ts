/** Every client sees the same questions and the same results, on every way that it is driven. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { versionOf, writeReport, type Row } from '../support/report.js';
import type { Connect, Connected, Ending, Question } from './adapter.js';
import { clients, type PeerClient } from './clients.js';
import { scenes, type Scene } from './scenes.js';
import { overHttp, overStdio, type Served, type Story } from './servers.js';

const STORIES: Story[] = ['refundDesk', 'kitchen'];
const passed = new Map<PeerClient, number>();

describe.each(clients.map((client) => [client.part ?? client.peer, client] as const))(
  '%s',
  (_name, client) => {
    describe.each(client.routes)('in the %s era, over %s', (era, transport) => {
      const homes: string[] = [];
      const served = new Map<Story, Served>();
      const connected = new Map<Story, Connected>();
      let scene: Scene;
      let asked: Question[];

      const person = (question: Question) => {
        asked.push(question);
        const known = scene.rounds.flat().find(([{ message }]) => message === question.message);
        if (known === undefined) throw new Error(`nobody expected '${question.message}'`);
        return known[1];
      };

      beforeAll(async () => {
        const adapter = (await import(`./programs/${client.program}.ts`)) as { connect: Connect };
        for (const story of STORIES) {
          const home = mkdtempSync(join(tmpdir(), 'peer-'));
          homes.push(home);
          const host = transport === 'HTTP' ? await overHttp(story) : overStdio(story, home);
          served.set(story, host);
          const visit = { server: host.server, era, person, home };
          connected.set(story, await adapter.connect(visit));
        }
      });

      afterAll(async () => {
        for (const { close } of connected.values()) await close();
        for (const { close } of served.values()) await close();
        for (const home of homes) rmSync(home, { recursive: true });
      });

      it.each(scenes.map((each) => [each.title, each] as const))('%s', async (_title, each) => {
        scene = each;
        asked = [];
        const { said } = served.get(scene.story)!;
        const before = callsIn(said());
        const ending = await connected.get(scene.story)!.call(scene.tool, scene.args);

        const able = canAnswer(client, scene);
        expect(asked).toEqual(able ? scene.rounds.flat().map(([question]) => question) : []);
        expect(ending).toEqual(able ? scene.ends : unaskedEnding(client, scene));
        const rounds = able && era === 'modern' ? scene.rounds.length : 0;
        expect(callsIn(said()) - before).toBe(rounds + 1);
        const initialized = said().some(({ method }) => method === 'initialize');
        expect(initialized).toBe(era === 'legacy');
        passed.set(client, (passed.get(client) ?? 0) + 1);
      });
    });
  },
);

const callsIn = (said: ReturnType<Served['said']>): number =>
  said.filter(({ method }) => method === 'tools/call').length;

function canAnswer({ answers }: PeerClient, { rounds }: Scene): boolean {
  return rounds.flat().every(([question]) => answers.includes('url' in question ? 'url' : 'form'));
}

function unaskedEnding({ words = (message) => message }: PeerClient, { unasked }: Scene): Ending {
  return 'refused' in unasked ? { text: words(unasked.refused), isError: true } : unasked;
}

/** The table is of a whole run in which nothing failed. */
afterAll(() => {
  const whole = clients.every(
    (client) => passed.get(client) === client.routes.length * scenes.length,
  );
  if (whole) writeReport('clients', 'npm run test:peers', clients.map(rowOf));
});

function rowOf(client: PeerClient): Row {
  const { peer, part, routes, saw } = client;
  const eras = [...new Set(routes.map(([era]) => era))];
  const transports = [...new Set(routes.map(([, transport]) => transport))];
  const versions = eras.map((era) => (era === 'modern' ? '2026-07-28' : '2025-11-25'));
  return {
    peer: part === undefined ? peer : `${peer}, \`${part}\``,
    version: versionOf(new URL(`node_modules/${peer}/`, import.meta.url)),
    over: `${versions.join(' and ')}, ${transports.join(' and ')}`,
    saw,
    passed: passed.get(client)!,
    failed: 0,
  };
}
