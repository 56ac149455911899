/** Checks the store in a worker, for the tests. A request names the check of the contract. */
import { env } from 'cloudflare:workers';
import { storeContract } from 'mcp-resolve/testing';

import { durableObjectStore } from './recordStore.js';

export { StoredRecord } from './recordStore.js';

const checks = storeContract(() => durableObjectStore(env.RECORDS));

export default {
  fetch: async (request: Request): Promise<Response> => {
    const name = new URL(request.url).searchParams.get('check');
    const check = checks.find((check) => check.name === name);
    if (check === undefined) return Response.json(checks.map(({ name }) => name));
    return check.run().then(
      () => new Response('passed'),
      (error: unknown) => new Response(String(error)),
    );
  },
};
