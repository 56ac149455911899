/**
 * Hosts with a fallback handler. It receives the requests that no handler knows, and none that is
 * for a definition or for what the host registered.
 */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { createDefinitions, listings, ours, reach, theirs, ways } from './ways.js';
import type { Host, Reached } from './ways.js';

const { all, book } = createDefinitions();

type Arrange = (host: Host, setFallback: () => void) => void;

const orders: readonly (readonly [when: string, arrange: Arrange])[] = [
  [
    'before install',
    (host, setFallback) => {
      setFallback();
      host.install(all);
    },
  ],
  [
    'after install',
    (host, setFallback) => {
      host.install(all);
      setFallback();
    },
  ],
];

/** Sets a fallback handler, which answers every request. */
const noting = (host: Host, seen: string[]) => () => {
  host.setFallback(({ method }) => {
    seen.push(method);
    if (method === 'server/discover')
      throw Object.assign(new Error('Method not found'), { code: -32_601 });
    return { messages: [], by: 'fallback' };
  });
};

const custom = ({ client }: Reached) =>
  client.request({ method: 'acme/custom', params: {} }, z.looseObject({}));

describe.each(ways)('on $way', (way) => {
  test.each(orders)('a fallback set %s receives nothing that is for others', async (_, arrange) => {
    const seen: string[] = [];
    const { send, names } = await reach(way, (host) => {
      host.addOwn();
      arrange(host, noting(host, seen));
    });
    seen.length = 0;
    for (const request of [...ours, ...theirs])
      expect(await send(request), request.what).toBe(request.text);
    for (const { method, name } of listings)
      expect((await names(method)).sort(), method).toEqual([name, 'theirs'].sort());
    expect(seen).toEqual([]);
  });

  test.each(orders)('a fallback set %s receives a method that nobody knows', async (_, arrange) => {
    const seen: string[] = [];
    const reached = await reach(way, (host) => {
      host.addOwn();
      arrange(host, noting(host, seen));
    });
    seen.length = 0;
    expect(await custom(reached)).toMatchObject({ by: 'fallback' });
    expect(seen).toEqual(['acme/custom']);
  });

  test('a fallback receives the methods of kinds that nobody has', async () => {
    const seen: string[] = [];
    const { client } = await reach(way, (host) => {
      host.install([book]);
      noting(host, seen)();
    });
    seen.length = 0;
    expect(await client.getPrompt({ name: 'plan' })).toMatchObject({ by: 'fallback' });
    expect(seen).toEqual(['prompts/get']);
  });
});
