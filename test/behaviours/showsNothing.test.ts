/**
 * N. Clients as they are: a client that declares everything and shows nothing, written by hand. It
 * lets a question wait, or answers it by itself.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { defineTool, install, requestStateSeal, resolver, confirm } from 'mcp-resolve';
import type { CallEvent, DeclaredClient, InstallOptions } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';
import { httpHandler, SILENT } from '../support/servers.js';
import type { Factory } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import type { RawAnswer } from '../support/wire.js';

const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
};
const CALL = { name: 'pay', arguments: {} };
const seal = requestStateSeal.ephemeral({ logger: SILENT });

/** A server with a tool that asks, whose body counts its runs. */
function serving(options: InstallOptions = {}) {
  const seen = { events: [] as CallEvent[], lines: [] as string[], paid: 0 };
  const ok = resolver({}, () => confirm('Pay 900 euros?', { otherwise: false }), { asks: 'form' });
  const pay = defineTool('pay', { resolve: { ok } }, () => {
    seen.paid += 1;
    return 'paid';
  });
  const factory: Factory = () => {
    const server = new McpServer({ name: 'desk', version: '1.0.0' });
    install(server, [pay], {
      seal,
      onEvent: (event) => void seen.events.push(event),
      logger: { warn: (line) => void seen.lines.push(line) },
      ...options,
    });
    return server;
  };
  return Object.assign(seen, { factory });
}

/** Connects the client to a server that pushes questions. */
async function legacyClient(
  factory: Factory,
  clientInfo: object,
  answer?: () => RawAnswer,
): Promise<Awaited<ReturnType<typeof rawLegacy>>> {
  const client = await rawLegacy(factory, {
    skipsInitialize: true,
    ...(answer && { answer }),
  });
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: EVERYTHING,
    clientInfo,
  });
  await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}

const INFO = { name: 'codex-mcp-client', version: '0.169.0' };

describe('a client that declares everything and shows nothing', () => {
  test('N7 ends a question that it never answers after askTimeoutMs, and the log names it', async () => {
    const seen = serving({ askTimeoutMs: 20 });
    const client = await legacyClient(seen.factory, INFO);
    const { result } = await client.request('tools/call', CALL);

    expect(client.received.map(({ method }) => method)).toEqual(['elicitation/create']);
    expect(result).toMatchObject({
      isError: true,
      content: [
        {
          text: "Error executing tool pay: The client did not answer the question of resolver 'ok' within 0.02 seconds",
        },
      ],
    });
    expect(seen.lines).toEqual([
      "'pay': the client 'codex-mcp-client' 0.169.0 did not answer the question 'ok' within 0.02 seconds. If it shows no such questions, take the capability away with `usableCapabilities`.",
    ]);
    expect(seen.paid).toBe(0);
  });

  test('N7 the name in the log is visible text of a bounded length', async () => {
    const seen = serving({ askTimeoutMs: 20 });
    const hostile = {
      name: `a\u202Eb\nmcp-resolve: forged${'x'.repeat(10_000)}`,
      version: `1\u200B${'9'.repeat(10_000)}`,
    };
    const client = await legacyClient(seen.factory, hostile);
    await client.request('tools/call', CALL);

    expect(seen.lines).toHaveLength(1);
    expect(seen.lines[0]).toMatch(
      /^'pay': the client 'a\\u\{202E\}b\\nmcp-resolve: forgedx+…' 1\\u\{200B\}9+… did not answer/,
    );
    expect(seen.lines[0]!.length).toBeLessThan(350);
  });

  test.each([
    ['accepts', { action: 'accept', content: { confirm: true } }, 'answered'],
    ['declines', { action: 'decline' }, 'declined'],
  ])('N8 a question that it %s by itself has an answer in no time', async (_, result, type) => {
    const seen = serving();
    const client = await legacyClient(seen.factory, INFO, () => ({ result }));
    await client.request('tools/call', CALL);

    const answer = seen.events.find((event) => event.type === type) as { afterMs?: number };
    expect(answer.afterMs).toBeGreaterThanOrEqual(0);
    // The answer took a part of the round.
    const ended = seen.events.find((event) => event.type === 'completed')!;
    expect(answer.afterMs).toBeLessThanOrEqual(ended.durationMs);
  });

  test.each(eras)('N4 is not asked if its forms are taken away, on %s', async (era) => {
    const usableCapabilities = ({ name, version, capabilities }: DeclaredClient) => {
      const { elicitation: _, ...others } = capabilities;
      return name === INFO.name && version === INFO.version ? others : capabilities;
    };
    const seen = serving({ usableCapabilities });
    const result = await (era === 'legacy'
      ? callPushed(seen.factory)
      : callModern(httpHandler(seen.factory), INFO));

    expect(JSON.stringify(result)).toContain('elicitation was decline');
    expect(seen.events.map(({ type }) => type)).toContain('fellBack');
    expect(seen.events.map(({ type }) => type)).not.toContain('asked');
    expect(seen.paid).toBe(0);
  });

  test('N4 another name of the same program is asked, because names can be forged', async () => {
    const usableCapabilities = ({ name, capabilities }: DeclaredClient): ClientCapabilities =>
      name === INFO.name ? {} : capabilities;
    const seen = serving({ usableCapabilities });
    const result = await callModern(httpHandler(seen.factory), { ...INFO, name: 'Claude Code' });
    expect(result).toMatchObject({ resultType: 'input_required' });
  });
});

async function callPushed(factory: Factory): Promise<unknown> {
  const client = await legacyClient(factory, INFO);
  const { result } = await client.request('tools/call', CALL);
  expect(client.received).toEqual([]);
  return result;
}

async function callModern(
  handler: Parameters<typeof post>[0],
  clientInfo: object,
): Promise<unknown> {
  const { body } = await post(
    handler,
    'tools/call',
    { ...CALL, _meta: { 'io.modelcontextprotocol/clientInfo': clientInfo } },
    { capabilities: EVERYTHING },
  );
  return body.result;
}
