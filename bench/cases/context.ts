/** The context of a request, created in advance, because creating it is not measured. */
import type { ServerContext } from '@modelcontextprotocol/server';

const refuse = (): Promise<never> => Promise.reject(new Error('there is no client'));

export const CONTEXT: ServerContext = {
  mcpReq: {
    id: 1,
    method: 'tools/call',
    signal: new AbortController().signal,
    requestState: () => undefined,
    send: refuse,
    notify: refuse,
    log: refuse,
    elicitInput: refuse,
    requestSampling: refuse,
  },
};

let requests = 1;

/** Returns a context of another request, because one request cannot ask in two calls. */
export function createContext(): ServerContext {
  requests += 1;
  const { signal } = new AbortController();
  return { ...CONTEXT, mcpReq: { ...CONTEXT.mcpReq, id: requests, signal } };
}
