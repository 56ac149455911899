/**
 * Definitions of every kind beside the host's own tools, prompts and resources, on every kind of
 * server: each request reaches its owner, and listings contain both.
 */
import { describe, expect, test } from 'vitest';

import { createDefinitions, listings, ours, reach, setOwnHandlers, theirs, ways } from './ways.js';
import type { Host } from './ways.js';

type Install = (host: Host) => void;

/** The order of the host's own entries and the installs. */
const orders: readonly (readonly [
  when: string,
  arrange: (host: Host, parts: Install[]) => void,
])[] = [
  [
    'before install',
    (host, parts) => {
      host.addOwn();
      for (const part of parts) part(host);
    },
  ],
  [
    'after install',
    (host, parts) => {
      for (const part of parts) part(host);
      host.addOwn();
    },
  ],
  [
    'between two installs',
    (host, [first, second]) => {
      first?.(host);
      host.addOwn();
      second?.(host);
    },
  ],
];

const { book, plan, map, ticket } = createDefinitions();
const parts: Install[] = [
  (host) => {
    host.install([book, ticket]);
  },
  (host) => {
    host.install([map, plan]);
  },
];

describe.each(ways)('on $way', (way) => {
  test.each(orders)('what the host adds %s answers its own requests', async (_, arrange) => {
    const { send } = await reach(way, (host) => {
      arrange(host, parts);
    });
    for (const request of [...ours, ...theirs])
      expect(await send(request), request.what).toBe(request.text);
  });

  test.each(orders)('what the host adds %s is listed with the definitions', async (_, arrange) => {
    const { names } = await reach(way, (host) => {
      arrange(host, parts);
    });
    for (const { method, name } of listings)
      expect((await names(method)).sort(), method).toEqual([name, 'theirs'].sort());
  });

  test('handlers that a host sets after install answer everything else', async () => {
    const { send } = await reach(way, (host) => {
      host.addOwn();
      for (const part of parts) part(host);
      setOwnHandlers(host.set);
    });
    for (const request of [...ours, ...theirs])
      expect(await send(request), request.what).toBe(request.text);
  });
});

/** Handlers that a host sets on an McpServer before install hide definitions, with a warning. */
const settings = ways.flatMap((way) =>
  (way.layer === 'McpServer' ? ['after'] : ['before', 'after', 'before and after']).map((when) => ({
    ...way,
    when,
  })),
);

test.each(settings)(
  'on $way, definitions are on the first page of listings that the host sets $when install',
  async ({ when, ...way }) => {
    const { names } = await reach(way, (host) => {
      if (when.includes('before')) setOwnHandlers(host.set);
      for (const part of parts) part(host);
      if (when.includes('after')) setOwnHandlers(host.set);
    });
    for (const { method, name } of listings) {
      expect((await names(method)).sort(), method).toEqual([name, 'theirs'].sort());
      expect(await names(method, 'page-2'), method).toEqual(['on_page_2']);
    }
  },
);
