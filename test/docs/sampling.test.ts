/**
 * Tests the recipe of docs/guide/sampling-and-roots.md with an HTTP server in the place of the
 * model provider. The server records its requests, because each of them would cost money.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tool } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { httpHandler } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import { serving } from '../support/rounds.js';
import { GUIDE, makeProject, type Project, readPage } from './page.js';

/** The exports of the page. */
interface Recipe {
  readonly fileTicket: Tool;
  readonly fileApproved: Tool;
}

interface Paid {
  readonly authorization: string | undefined;
  readonly body: unknown;
}

let project: Project;
let recipe: Recipe;
let provider: HttpServer;
/** The requests to the provider. */
const paid: Paid[] = [];
/** The provider's answer to a request. */
let answer: (response: ServerResponse) => void;

const ticket = { text: 'The printer on floor 3 says that it is out of toner.' };
const theirs = {
  role: 'assistant' as const,
  model: 'theirs',
  content: { type: 'text' as const, text: 'No toner.' },
};
const request = {
  systemPrompt: 'Summarise this ticket in one sentence.',
  messages: [{ role: 'user', content: { type: 'text', text: ticket.text } }],
  maxTokens: 100,
};

beforeAll(async () => {
  provider = createServer((incoming, response) => {
    void incoming.toArray().then((chunks: Buffer[]) => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      paid.push({ authorization: incoming.headers.authorization, body });
      answer(response);
    });
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  vi.stubEnv('MODEL_URL', `http://127.0.0.1:${(provider.address() as AddressInfo).port}`);
  vi.stubEnv('MODEL_KEY', 'a key of the tests');

  // The rest of the page has its own provider.
  const [definitions = ''] = (
    await readFile(path.join(GUIDE, 'sampling-and-roots.md'), 'utf8')
  ).split(/^## Try it$/m);
  const page = readPage('sampling-and-roots', definitions);
  project = await makeProject([page]);
  const module = pathToFileURL(path.join(project.folder, 'sampling-and-roots.ts')).href;
  recipe = (await import(module)) as Recipe;
});

afterAll(async () => {
  vi.unstubAllEnvs();
  provider.closeAllConnections();
  provider.close();
  await project.remove();
});

beforeEach(() => {
  paid.length = 0;
  answer = (response) => {
    response.end(JSON.stringify({ model: 'yours', text: `Out of toner (${paid.length}).` }));
  };
});

describe.each(eras)('on the %s era', (era) => {
  test('a client with sampling uses its own model and not the provider', async () => {
    const client = await connectClient(era, serving(recipe.fileTicket), { sample: [theirs] });

    expect(await client.text('file_ticket', ticket)).toBe('Filed: No toner.');
    expect(client.questions).toEqual([{ method: 'sampling/createMessage', params: request }]);
    expect(paid).toEqual([]);
  });

  test('a client without sampling receives the answer of the provider', async () => {
    const { text, isError } = await run(recipe.fileTicket, ticket, { era, capabilities: {} });

    expect({ text, isError }).toEqual({ text: 'Filed: Out of toner (1).', isError: false });
    expect(paid).toEqual([{ authorization: 'Bearer a key of the tests', body: request }]);
  });

  test('a failure of the provider becomes a tool error', async () => {
    answer = (response) => {
      response.statusCode = 529;
      response.end('overloaded');
    };
    expect(await run(recipe.fileTicket, ticket, { era, capabilities: {} })).toMatchObject({
      isError: true,
      text: 'Error executing tool file_ticket: the model answered with HTTP 529',
    });
  });

  test('an invalid answer of the provider fails the call, and the model reads nothing of it', async () => {
    answer = (response) => {
      response.end(JSON.stringify({ text: 7 }));
    };

    expect(await run(recipe.fileTicket, ticket, { era, capabilities: {} })).toMatchObject({
      isError: true,
      text: 'Error executing tool file_ticket',
      cause: expect.any(Error) as Error,
    });
    expect(paid).toHaveLength(1);
  });

  test('a pinned draft is paid for once, and the user approves the draft that is filed', async () => {
    const { text, isError, questions } = await run(recipe.fileApproved, ticket, {
      era,
      capabilities: { elicitation: {} },
      answers: { approval: accept({ confirm: true }) },
    });

    expect({ text, isError }).toEqual({ text: 'Filed: Out of toner (1).', isError: false });
    expect(questions.map(({ message }) => message)).toEqual(['File "Out of toner (1)."?']);
    expect(paid).toHaveLength(1);
  });

  test('a client with sampling and elicitation is asked once for each', async () => {
    const answers = { draft: theirs, approval: accept({ confirm: true }) };
    const { text, isError, questions } = await run(recipe.fileApproved, ticket, { era, answers });

    expect({ text, isError }).toEqual({ text: 'Filed: No toner.', isError: false });
    expect(questions.map(({ message }) => message)).toEqual([ticket.text, 'File "No toner."?']);
    expect(paid).toEqual([]);
  });
});

describe('a cancelled call ends its request to the provider', () => {
  /** Lets the provider hang, and returns promises for the start and end of its request. */
  const hang = () => {
    const seen = { asked: deferred(), ended: deferred() };
    answer = (response) => {
      response.on('close', () => seen.ended.resolve());
      seen.asked.resolve();
    };
    return seen;
  };

  test('on the modern era', async () => {
    const { asked, ended } = hang();
    const cancelled = new AbortController();
    const call = post(
      httpHandler(serving(recipe.fileTicket)),
      'tools/call',
      { name: 'file_ticket', arguments: ticket },
      { signal: cancelled.signal },
    ).catch(() => 'given up');
    await asked.promise;
    cancelled.abort();

    await ended.promise;
    expect(await call).toBe('given up');
  });

  test('on the legacy era', async () => {
    const { asked, ended } = hang();
    const client = await rawLegacy(serving(recipe.fileTicket));
    void client.request('tools/call', { name: 'file_ticket', arguments: ticket });
    await asked.promise;
    // The first request of the connection was `initialize`.
    const params = { requestId: 2 };
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });

    await ended.promise;
    expect(paid).toHaveLength(1);
  });
});
