/**
 * The recipe of docs/guide/sampling.md, as it stands there, with a provider of the test behind it:
 * a real server on loopback, which counts what it is paid for.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tool } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { httpHandler } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import { serving } from '../support/rounds.js';
import { GUIDE, makeProject, type Project, readPage } from './page.js';

/** What the page exports. */
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
/** What the provider was asked, and how it answers. */
const paid: Paid[] = [];
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

  // Up to where the page brings a provider of its own.
  const [definitions = ''] = (await readFile(path.join(GUIDE, 'sampling.md'), 'utf8')).split(
    /^## Try it$/m,
  );
  const page = readPage('sampling', definitions);
  project = await makeProject([page]);
  const module = pathToFileURL(path.join(project.folder, 'sampling.ts')).href;
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
  test('a client with sampling runs its own model, and the provider is not paid', async () => {
    const chat = await connectClient(era, serving(recipe.fileTicket), { sample: [theirs] });

    expect(await chat.text('file_ticket', ticket)).toBe('Filed: No toner.');
    expect(chat.questions).toEqual([{ method: 'sampling/createMessage', params: request }]);
    expect(paid).toEqual([]);
  });

  test('a client without gets the answer of the provider, to the same request', async () => {
    const chat = await connectClient(era, serving(recipe.fileTicket));

    expect(await chat.text('file_ticket', ticket)).toBe('Filed: Out of toner (1).');
    expect(paid).toEqual([{ authorization: 'Bearer a key of the tests', body: request }]);
  });

  test('a provider that fails is what the model reads', async () => {
    answer = (response) => {
      response.statusCode = 529;
      response.end('overloaded');
    };
    const chat = await connectClient(era, serving(recipe.fileTicket));

    expect(await chat.errorText('file_ticket', ticket)).toBe(
      'Error executing tool file_ticket: the model answered with HTTP 529',
    );
  });

  test('a provider that answers with something else ends the call too', async () => {
    answer = (response) => {
      response.end(JSON.stringify({ text: 7 }));
    };
    const chat = await connectClient(era, serving(recipe.fileTicket));

    expect(await chat.errorText('file_ticket', ticket)).toMatch(
      /^Error executing tool file_ticket: /,
    );
    expect(paid).toHaveLength(1);
  });

  test('what is pinned is paid for once, and the person approves what is filed', async () => {
    const chat = await connectClient(era, serving(recipe.fileApproved), {
      elicit: () => accept({ confirm: true }),
    });

    expect(await chat.text('file_approved', ticket)).toBe('Filed: Out of toner (1).');
    expect(chat.asked).toEqual(['File "Out of toner (1)."?']);
    expect(paid).toHaveLength(1);
  });

  test('of a client with both the model is asked once and the person once', async () => {
    const chat = await connectClient(era, serving(recipe.fileApproved), {
      elicit: () => accept({ confirm: true }),
      sample: [theirs],
    });

    expect(await chat.text('file_approved', ticket)).toBe('Filed: No toner.');
    expect(chat.asked).toEqual([ticket.text, 'File "No toner."?']);
    expect(paid).toEqual([]);
  });
});

describe('a cancelled call stops paying: the provider sees its request end', () => {
  /** A provider that takes its time, and the two things it sees. */
  const slow = () => {
    const seen = { asked: deferred(), ended: deferred() };
    answer = (response) => {
      response.on('close', () => seen.ended.resolve());
      seen.asked.resolve();
    };
    return seen;
  };

  test('modern', async () => {
    const { asked, ended } = slow();
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

  test('legacy', async () => {
    const { asked, ended } = slow();
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
