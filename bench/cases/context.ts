/** What the SDK hands over with a request; making it is not what is measured. */
import type { ServerContext } from '@modelcontextprotocol/server';

const nobody = (): Promise<never> => Promise.reject(new Error('nobody is there'));

export const CONTEXT: ServerContext = {
  mcpReq: {
    id: 1,
    method: 'tools/call',
    signal: new AbortController().signal,
    requestState: () => undefined,
    send: nobody,
    notify: nobody,
    log: nobody,
    elicitInput: nobody,
    requestSampling: nobody,
  },
};
