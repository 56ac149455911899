/**
 * Hosts that wrap the handlers of a server, as an access check does: the ways to put a wrapper in
 * front of a handler, the moments to do it, and the tests that every kind of server has to pass.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import { defineTool } from 'mcp-resolve';
import type { AnyDefinition } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { protocolErrorOf } from '../support/results.js';
import { createDefinitions, listings, METHODS, others, ours, reach, theirs } from './ways.js';
import type { Handler, Host, Way } from './ways.js';

/** Creates the wrapper of a handler. */
type Around = (inner: Handler, method: string) => Handler;

/** Puts a wrapper in front of the present handler of every method. */
type Wrap = (host: Host, around: Around) => void;

export const wrappers: readonly (readonly [how: string, wrap: Wrap])[] = [
  [
    'puts wrappers into the map of handlers',
    (host, around) => {
      const handlers = host.handlers();
      for (const method of METHODS) handlers.set(method, around(handlers.get(method)!, method));
    },
  ],
  [
    'sets wrappers with setRequestHandler',
    (host, around) => {
      for (const method of METHODS) host.set(method, around(host.handlers().get(method)!, method));
    },
  ],
];

type Arrange = (host: Host, all: readonly AnyDefinition[], wrap: () => void) => void;

/** The moments after the first install. */
export const laterMoments: readonly (readonly [moment: string, arrange: Arrange])[] = [
  [
    'after install',
    (host, all, wrap) => {
      host.addOwn();
      host.install(all);
      wrap();
    },
  ],
  [
    'between two installs, the definition first',
    (host, all, wrap) => {
      host.addOwn();
      host.install(all);
      wrap();
      host.install(others);
    },
  ],
  [
    'between two installs, the definition last',
    (host, all, wrap) => {
      host.addOwn();
      host.install(others);
      wrap();
      host.install(all);
    },
  ],
];

/** Only an McpServer has handlers of its own before install, which wrappers can call. */
export const beforeInstall = [
  'before install',
  (host, all, wrap) => {
    host.addOwn();
    wrap();
    host.install(all);
  },
] as const satisfies readonly [string, Arrange];

/** Describes the access check of a host on some kinds of server, wrapped at some moments. */
export function describeAccessChecks(
  some: readonly Way[],
  moments: readonly (readonly [moment: string, arrange: Arrange])[],
): void {
  describe.each(some)('on $way', (way) => {
    describe.each(wrappers)('a host that %s', (_, wrap) => {
      describe.each(moments)('%s', (__, arrange) => {
        test('refuses requests for definitions before a body runs', async () => {
          const definitions = createDefinitions();
          const { send, asked } = await reach(way, (host) => {
            arrange(host, definitions.all, () => {
              wrap(host, () => refuse);
            });
          });
          for (const request of ours)
            expect(await protocolErrorOf(send(request)), request.what).toMatchObject(REFUSAL);
          expect(definitions.ran).toEqual([]);
          expect(asked()).toBe(0);
        });

        test('sees every request once, and passes it on', async () => {
          const seen: string[] = [];
          const { send, asked } = await reach(way, (host) => {
            arrange(host, createDefinitions().all, () => {
              wrap(host, noting(seen));
            });
          });
          for (const request of [...ours, ...theirs]) {
            const before = asked();
            seen.length = 0;
            expect(await send(request), request.what).toBe(request.text);
            // In the modern era, the client repeats a request with its answers.
            const repeated = way.era === 'modern' ? asked() - before : 0;
            const requests = Array<string>(1 + repeated).fill(request.method);
            expect(
              seen.filter((method) => method === request.method),
              request.what,
            ).toEqual(requests);
          }
        });

        test('passes on the protocol error of a definition', async () => {
          const { send } = await reach(way, (host) => {
            arrange(host, [...createDefinitions().all, broken], () => {
              wrap(host, noting([]));
            });
          });
          const call = send({ method: 'tools/call', params: { name: 'broken' } });
          expect(await protocolErrorOf(call)).toMatchObject({ code: -32_010 });
        });

        test('filters listings', async () => {
          const { names } = await reach(way, (host) => {
            arrange(host, createDefinitions().all, () => {
              wrap(host, hiding);
            });
          });
          for (const { method, name } of listings) {
            const listed = await names(method);
            expect(listed).toContain('theirs');
            expect(listed).not.toContain(name);
          }
        });
      });
    });
  });
}

const broken = defineTool('broken', {}, (): string => {
  throw new ProtocolError(-32_010, 'broken');
});

const REFUSAL = { code: -32_003 };

const refuse: Handler = () => {
  throw Object.assign(new Error('not allowed'), REFUSAL);
};

const noting =
  (seen: string[]): Around =>
  (inner, method) =>
  (request, ctx) => {
    seen.push(method);
    return inner(request, ctx);
  };

/** Leaves the definitions of {@link createDefinitions} out of listings. */
const hiding: Around = (inner, method) => async (request, ctx) => {
  const result = await inner(request, ctx);
  const listing = listings.find((one) => one.method === method);
  if (listing === undefined) return result;
  const entries = result[listing.member] as { name: string }[];
  return { ...result, [listing.member]: entries.filter(({ name }) => name !== listing.name) };
};
