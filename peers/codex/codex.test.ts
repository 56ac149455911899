/** Tests Codex CLI in the scenes of all clients, and its own decline without a person. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { confirm, defineTool, elicitUrl, install, outcome, resolver } from 'mcp-resolve';
import type { CallEvent, DeclaredClient, InstallOptions } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { Connected, Ending, Question, Reply, Server } from '../clients/adapter.js';
import { scenes } from '../clients/scenes.js';
import type { Scene } from '../clients/scenes.js';
import { overHttp, overStdio } from '../clients/servers.js';
import type { Message, Served, Story } from '../clients/servers.js';
import { countsOf } from '../support/counts.js';
import { versionOf, writeReport } from '../support/report.js';
import { connect } from './codex.js';

const STORIES: Story[] = ['refundDesk', 'kitchen'];
const SUITE = 'Codex CLI';

const NO = { otherwise: false as const };
const nobody = (): Reply => expect.fail('Codex asked its user');
const UNSUPPORTED: Ending = { text: 'unsupported MCP input request', isError: true };

/** Over stdio, Codex speaks the legacy era also with the feature of the modern one. */
const routes = [
  ['legacy', 'stdio'],
  ['legacy', 'HTTP'],
  ['modern', 'HTTP'],
] as const;

const open: (() => Promise<void> | void)[] = [];
const closeAll = async (): Promise<void> => {
  for (const close of open.splice(0).reverse()) await close();
};

async function serve(story: Story, transport: 'HTTP' | 'stdio'): Promise<[Served, string]> {
  const home = mkdtempSync(join(tmpdir(), 'codex-'));
  open.push(() => rmSync(home, { recursive: true, force: true }));
  const served = transport === 'HTTP' ? await overHttp(story) : overStdio(story, home);
  open.push(() => served.close());
  return [served, home];
}

describe(SUITE, () => {
  describe.each(routes)('on the %s era, over %s', (era, transport) => {
    const served = new Map<Story, Served>();
    const connected = new Map<Story, Connected>();
    let scene: Scene;
    let asked: Question[];
    const person = (question: Question): Reply => {
      asked.push(question);
      return scene.rounds.flat().find(([{ message }]) => message === question.message)![1];
    };

    beforeAll(async () => {
      for (const story of STORIES) {
        const [host, home] = await serve(story, transport);
        served.set(story, host);
        const client = await connect({ server: host.server, era, person, home });
        open.push(() => client.close());
        connected.set(story, client);
      }
    });
    afterAll(closeAll);

    it.each(scenes.map((each) => [each.title, each] as const))('%s', async (_, each) => {
      scene = each;
      asked = [];
      const { said } = served.get(scene.story)!;
      const before = callsIn(said()).length;
      const ending = await connected.get(scene.story)!.call(scene.tool, scene.args);

      const questions = scene.rounds.flat().map(([question]) => question);
      // On the modern era, Codex declares links and opens none.
      const isAble = era === 'legacy' || questions.every((question) => !('url' in question));
      expect(asked).toEqual(isAble ? questions : []);
      expect(ending).toEqual(isAble ? scene.ends : UNSUPPORTED);
      const rounds = era === 'modern' && isAble ? scene.rounds.length + 1 : 1;
      expect(callsIn(said()).slice(before)).toHaveLength(rounds);
      expect(said().some(({ method }) => method === 'initialize')).toBe(era === 'legacy');
    });
  });

  describe('with a server that knows it', () => {
    afterEach(closeAll);

    /** Takes links away from Codex on the modern era, and all questions of a run without a person. */
    const usableCapabilities = ({
      name,
      era,
      capabilities,
    }: DeclaredClient): ClientCapabilities => {
      if (name !== 'codex-mcp-client') return capabilities;
      return era === 'modern' ? { elicitation: { form: {} } } : {};
    };

    async function bank(options: InstallOptions): Promise<[Server, CallEvent[], string]> {
      const events: CallEvent[] = [];
      const link = resolver({}, () => elicitUrl('Pay here.', 'https://bank.example/', NO), {
        asks: 'url',
      });
      const form = resolver({}, () => confirm('Pay?', NO), { asks: 'form' });
      const tools = Object.entries({ link, form }).map(([name, asked]) =>
        defineTool(name, { resolve: { asked: outcome(asked) } }, ({ asked }) => asked.action),
      );
      const handle = await serveHttp(() => {
        const server = new McpServer({ name: 'bank', version: '1.0.0' });
        install(server, tools, { onEvent: (event) => void events.push(event), ...options });
        return server;
      });
      open.push(() => handle.close());
      const home = mkdtempSync(join(tmpdir(), 'codex-'));
      open.push(() => rmSync(home, { recursive: true, force: true }));
      return [{ url: handle.url.href }, events, home];
    }

    it('falls back instead of sending a link that it would not open', async () => {
      const [server, events, home] = await bank({ usableCapabilities });
      const person = (): Reply => ({ action: 'accept', content: { confirm: true } });
      const client = await connect({ server, era: 'modern', person, home });
      open.push(() => client.close());

      expect(await client.call('link', {})).toEqual({ text: 'decline', isError: false });
      expect(typesOf(events)).toContain('fellBack');
      expect(await client.call('form', {})).toEqual({ text: 'accept', isError: false });
    });

    it('falls back instead of pushing a form that it would decline by itself', async () => {
      const [server, events, home] = await bank({ usableCapabilities });
      const client = await connect({ server, era: 'legacy', person: nobody, home }, 'never');
      open.push(() => client.close());

      expect(await client.call('form', {})).toEqual({ text: 'decline', isError: false });
      expect(typesOf(events)).toEqual(['started', 'ran', 'fellBack', 'completed']);
    });

    it('has the time that its own decline took', async () => {
      const [server, events, home] = await bank({});
      const client = await connect({ server, era: 'legacy', person: nobody, home }, 'never');
      open.push(() => client.close());

      expect(await client.call('form', {})).toEqual({ text: 'decline', isError: false });
      const declined = events.find((event) => event.type === 'declined');
      expect(declined).toMatchObject({ fresh: true, afterMs: expect.any(Number) as number });
    });
  });

  describe('in the kitchen over HTTP', () => {
    afterEach(closeAll);

    it.each([
      ['legacy', '2025-06-18'],
      ['modern', '2026-07-28'],
    ] as const)(
      'declares forms and declines them by itself with `approvalPolicy: never`, %s',
      async (era, protocolVersion) => {
        const [{ server, said }, home] = await serve('kitchen', 'HTTP');
        const client = await connect({ server, era, person: nobody, home }, 'never');
        open.push(() => client.close());

        expect(await client.call('order_dinner', { guests: 2 })).toEqual({
          text: "Error executing tool order_dinner: Resolver for parameter 'dish' could not resolve: elicitation was decline",
          isError: true,
        });
        expect(introductionIn(said())).toMatchObject({
          protocolVersion,
          clientInfo: { name: 'codex-mcp-client', version: '0.169.0' },
          capabilities: { elicitation: { form: {}, url: {} } },
        });
      },
    );
  });
});

function typesOf(events: CallEvent[]): string[] {
  return events.map(({ type }) => type);
}

function callsIn(said: Message[]): Message[] {
  return said.filter(({ method }) => method === 'tools/call');
}

/** Returns what a client said about itself, in `initialize` or in the envelope of its first call. */
function introductionIn(said: Message[]): unknown {
  const initialize = said.find(({ method }) => method === 'initialize');
  if (initialize !== undefined) return initialize.params;
  const envelope = callsIn(said)[0]!.params!._meta!;
  const part = (name: string): unknown => envelope[`io.modelcontextprotocol/${name}`];
  return {
    protocolVersion: part('protocolVersion'),
    clientInfo: part('clientInfo'),
    capabilities: part('clientCapabilities'),
  };
}

/** Writes the row only after a complete run without failures. */
afterAll(({}, file) => {
  const counts = countsOf(file, SUITE);
  if (counts.failed > 0) return;
  writeReport('codex', 'npm test -- codex', [
    {
      peer: '@openai/codex app-server',
      version: versionOf(new URL('node_modules/@openai/codex/', import.meta.url)),
      over: '2025-06-18, HTTP and stdio; 2026-07-28, HTTP',
      saw: 'forms and links, accepted, declined and cancelled; 2026-07-28 needs `--enable mcp_2026_07_28`, where it declares links and ends their calls with an error; with `approvalPolicy: never` it declares forms and declines them by itself',
      ...counts,
    },
  ]);
});
