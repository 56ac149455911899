/**
 * Hosts that change a server while it is connected: they set, wrap and remove handlers between the
 * requests of one session.
 */
import { describe, expect, test } from 'vitest';

import { protocolErrorOf } from '../support/results.js';
import {
  createDefinitions,
  listings,
  METHODS,
  ours,
  reach,
  setOwnHandlers,
  theirs,
  ways,
} from './ways.js';
import type { Host, Way } from './ways.js';

const { all } = createDefinitions();

/** Connects a client to a server that has the definitions, and returns the server as well. */
async function connect(way: Way) {
  let connected: Host | undefined;
  const reached = await reach(way, (host) => {
    host.install(all);
    connected = host;
  });
  return { ...reached, host: connected! };
}

describe.each(ways.filter(({ era }) => era === 'legacy'))('on $way', (way) => {
  test('a host sets new handlers before every request', async () => {
    const { host, send, names } = await connect(way);
    for (const request of [...ours, ...theirs, ...ours]) {
      setOwnHandlers(host.set);
      expect(await send(request), request.what).toBe(request.text);
    }
    for (const { method, name } of listings) {
      setOwnHandlers(host.set);
      expect((await names(method)).sort(), method).toEqual([name, 'theirs'].sort());
    }
  });

  test('the handler that a host sets last answers', async () => {
    const { host, send } = await connect(way);
    for (const round of ['first', 'second']) {
      host.set('tools/call', () => ({ content: [{ type: 'text', text: round }] }));
      expect(await send({ method: 'tools/call', params: { name: 'theirs' } })).toBe(round);
    }
  });

  test('definitions answer again after a host removed its handlers and set new ones', async () => {
    const { host, send, names } = await connect(way);
    for (const method of METHODS) host.remove(method);
    setOwnHandlers(host.set);
    for (const request of [...ours, ...theirs])
      expect(await send(request), request.what).toBe(request.text);
    for (const { method, name } of listings)
      expect((await names(method)).sort(), method).toEqual([name, 'theirs'].sort());
  });
});

test.each(ways.filter(({ era, sdk }) => era === 'legacy' && sdk === 2))(
  'on $way, nobody answers a method whose handler the host removed',
  async (way) => {
    const { host, send, names } = await connect(way);
    for (const method of METHODS) host.remove(method);
    for (const request of ours)
      expect(await protocolErrorOf(send(request)), request.what).toMatchObject({ code: -32_601 });
    for (const { method } of listings)
      expect(await protocolErrorOf(names(method)), method).toMatchObject({ code: -32_601 });
  },
);
