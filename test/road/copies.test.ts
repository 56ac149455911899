/**
 * Two copies of the package in one process, as two dependencies of a host may bring them. Both
 * install definitions on one server, beside its own entries.
 */
import { install } from 'mcp-resolve';
import { describe, expect, test, vi } from 'vitest';

import { createDefinitions, listings, ours, reach, setOwnHandlers, theirs, ways } from './ways.js';
import type { Host } from './ways.js';

vi.resetModules();
const copy = await import('./ways.js');
const { install: otherInstall } = await import('mcp-resolve');
const here = createDefinitions();
const there = copy.createDefinitions();

type Install = (host: Host) => void;

/** The installs of this copy and of the other one. Each has definitions of two kinds. */
const pairs: readonly (readonly [which: string, here: Install, there: Install])[] = [
  [
    'tools here, the rest there',
    (host) => {
      host.install([here.book]);
    },
    (host) => {
      copy.installOn(host.server, [there.plan, there.map, there.ticket]);
    },
  ],
  [
    'resources here, the rest there',
    (host) => {
      host.install([here.map, here.ticket]);
    },
    (host) => {
      copy.installOn(host.server, [there.book, there.plan]);
    },
  ],
  [
    'a resource here, its template there',
    (host) => {
      host.install([here.map, here.plan]);
    },
    (host) => {
      copy.installOn(host.server, [there.ticket, there.book]);
    },
  ],
];

test('the copies have different functions', () => {
  expect(otherInstall).not.toBe(install);
});

describe.each(ways)('on $way', (way) => {
  describe.each(pairs)('%s', (_, installHere, installThere) => {
    test.each([
      ['this copy first', installHere, installThere],
      ['the other copy first', installThere, installHere],
    ])('%s: every request reaches its definition', async (__, first, second) => {
      const { send, names } = await reach(way, (host) => {
        host.addOwn();
        first(host);
        second(host);
        setOwnHandlers(host.set);
      });
      for (const request of [...ours, ...theirs])
        expect(await send(request), request.what).toBe(request.text);
      for (const { method, name } of listings)
        expect((await names(method)).sort(), method).toEqual([name, 'theirs'].sort());
    });
  });
});
