/** Tests that every client receives the same questions and results, on every era and transport. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Row, versionOf, writeReport } from '../support/report.js';
import type { Connect, Connected, Ending, Question, Reply } from './adapter.js';
import { clients, type PeerClient } from './clients.js';
import { type Scene, scenes } from './scenes.js';
import { type Message, overHttp, overStdio, type Served, type Story } from './servers.js';

const STORIES: Story[] = ['refundDesk', 'kitchen'];
const passed = new Map<PeerClient, number>();

const routes = clients.flatMap((client) =>
  client.routes.map(([era, transport]) => [nameOf(client), era, transport, client] as const),
);

describe.each(routes)('%s, %s over %s', (_name, era, transport, client) => {
  const homes: string[] = [];
  const served = new Map<Story, Served>();
  const connected = new Map<Story, Connected>();
  let scene: Scene;
  let asked: Question[];

  const person = (question: Question): Reply => {
    asked.push(question);
    const known = scene.rounds.flat().find(([{ message }]) => message === question.message);
    if (known === undefined) throw new Error(`unexpected question '${question.message}'`);
    return known[1];
  };

  beforeAll(async () => {
    const adapter = (await import(`./programs/${client.program}.ts`)) as { connect: Connect };
    for (const story of STORIES) {
      const home = mkdtempSync(join(tmpdir(), 'peer-'));
      homes.push(home);
      const host = transport === 'HTTP' ? await overHttp(story) : overStdio(story, home);
      served.set(story, host);
      connected.set(story, await adapter.connect({ server: host.server, era, person, home }));
    }
  });

  afterAll(async () => {
    // A failure to close one must not keep the others open.
    const ends = [
      ...(await Promise.allSettled([...connected.values()].map(({ close }) => close()))),
      ...(await Promise.allSettled([...served.values()].map(({ close }) => close()))),
    ];
    for (const home of homes) rmSync(home, { recursive: true });
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it.each(scenes.map((each) => [titleOf(client, each), each] as const))('%s', async (_, each) => {
    scene = each;
    asked = [];
    const { said } = served.get(scene.story)!;
    const before = callsIn(said()).length;
    const ending = await connected.get(scene.story)!.call(scene.tool, scene.args);

    const able = canAnswer(client, scene);
    expect(asked).toEqual(able ? questionsOf(client, scene) : []);
    expect(ending).toEqual(able ? scene.ends : unaskedEnding(client, scene));
    const calls = callsIn(said()).slice(before);
    expect(calls).toHaveLength(able && era === 'modern' ? scene.rounds.length + 1 : 1);
    expect(said().some(({ method }) => method === 'initialize')).toBe(era === 'legacy');
    const enveloped = era === 'modern' || client.sendsEnvelopeOnLegacy === true;
    expect(calls.every(hasEnvelope)).toBe(enveloped);
    passed.set(client, (passed.get(client) ?? 0) + 1);
  });
});

function nameOf({ peer, part }: PeerClient): string {
  return part === undefined ? peer : `${peer} ${part}`;
}

function titleOf(client: PeerClient, scene: Scene): string {
  if (canAnswer(client, scene)) return scene.title;
  const end = 'refused' in scene.unasked ? 'a protocol error' : 'the fallback';
  return `receives ${end} where a capable client ${scene.title}`;
}

function canAnswer({ answers }: PeerClient, { rounds }: Scene): boolean {
  return rounds.flat().every(([question]) => answers.includes('url' in question ? 'url' : 'form'));
}

function questionsOf({ shows = (schema) => schema }: PeerClient, { rounds }: Scene): Question[] {
  return rounds.flat().map(([question]) => {
    if ('url' in question) return question;
    return { ...question, schema: shows(question.schema) };
  });
}

function unaskedEnding({ words = (message) => message }: PeerClient, { unasked }: Scene): Ending {
  return 'refused' in unasked ? { text: words(unasked.refused), isError: true } : unasked;
}

function callsIn(said: Message[]): Message[] {
  return said.filter(({ method }) => method === 'tools/call');
}

/** Returns true if a request has a part of the envelope of the modern era. */
function hasEnvelope({ params }: Message): boolean {
  const keys = Object.keys(params?._meta ?? {});
  return keys.some((key) => key.startsWith('io.modelcontextprotocol/'));
}

/** Writes the table only after a complete run without failures. */
afterAll(() => {
  const isWhole = (client: PeerClient): boolean =>
    passed.get(client) === client.routes.length * scenes.length;
  if (clients.every(isWhole)) writeReport('clients', 'npm test -- peers', clients.map(rowOf));
});

function rowOf(client: PeerClient): Row {
  const { peer, routes, saw } = client;
  const versions = routes.map(([era]) => (era === 'modern' ? '2026-07-28' : '2025-11-25'));
  const transports = routes.map(([, transport]) => transport);
  const list = (words: string[]): string => [...new Set(words)].join(' and ');
  return {
    peer: nameOf(client),
    version: versionOf(new URL(`node_modules/${peer}/`, import.meta.url)),
    over: `${list(versions)}, ${list(transports)}`,
    saw,
    passed: passed.get(client)!,
    failed: 0,
  };
}
