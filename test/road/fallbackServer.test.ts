/** A low-level Server whose own tools, prompts and resources are behind a fallback handler. */
import { describe, expect, test } from 'vitest';

import { createDefinitions, listings, ours, reach, theirs, ways } from './ways.js';
import type { Host, Result } from './ways.js';

const { all } = createDefinitions();

/** The results of a fallback handler that has one entry of each kind. */
const BY_HOST: Readonly<Record<string, Result>> = {
  'tools/call': { content: [{ type: 'text', text: 'by the host' }] },
  'prompts/get': {
    messages: [{ role: 'user', content: { type: 'text', text: 'by the host' } }],
  },
  'resources/read': { contents: [{ uri: 'their://1', text: 'by the host' }] },
  'completion/complete': { completion: { values: ['by the host'] } },
  'tools/list': { tools: [{ name: 'theirs', inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [{ name: 'theirs' }] },
  'resources/list': { resources: [{ name: 'theirs', uri: 'their://1' }] },
  'resources/templates/list': {
    resourceTemplates: [{ name: 'theirs', uriTemplate: 'their://{a}/{b}' }],
  },
};

function setFallback(host: Host): void {
  host.setFallback(({ method }) => {
    const result = BY_HOST[method];
    if (result === undefined) throw Object.assign(new Error('Method not found'), { code: -32_601 });
    return result;
  });
}

describe.each(ways.filter(({ layer }) => layer === 'Server'))('on $way', (way) => {
  describe.each(['before', 'after'])('a fallback that was set %s install', (when) => {
    const connect = () =>
      reach(way, (host) => {
        if (when === 'before') setFallback(host);
        host.install(all);
        if (when === 'after') setFallback(host);
      });

    test('answers every request that is not for a definition', async () => {
      const { send } = await connect();
      for (const request of [...ours, ...theirs])
        expect(await send(request), request.what).toBe(request.text);
    });

    test('lists its entries beside the definitions', async () => {
      const { names } = await connect();
      for (const { method, name } of listings)
        expect((await names(method)).sort(), method).toEqual([name, 'theirs'].sort());
    });
  });
});
