/** Load for a server: sixteen flows at a time. */
import { inFlight } from '../cases/modern.js';
import { Connection } from './connection.js';
import { accepted, callOf, checkDone, headersOf, type Flow } from './messages.js';

/** The number of flows in flight. */
export const CONNECTIONS = 16;

/** Sends this many flows to one server. */
export type Load = (flows: number) => Promise<void>;

/** Sends flows with a value of its own for each that is in flight, such as a connection. */
export function loadWith<T>(idle: T[], flow: (value: T) => Promise<void>): Load {
  return (flows) =>
    inFlight(flows, CONNECTIONS, async () => {
      const value = idle.pop();
      if (value === undefined) throw new Error('all connections are busy');
      await flow(value);
      idle.push(value);
    });
}

export const sixteen = <T>(open: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, open));

/** Sends 2026-07-28 flows. Each request carries the state of the response before. */
export async function modernLoad(url: string, flow: Flow): Promise<Load> {
  const headers = headersOf('2026-07-28', flow.tool);
  const idle = await sixteen(() => Connection.open(url, headers));
  const first = callOf('2026-07-28', flow, 1);
  return loadWith(idle, async (connection) => {
    let body = await connection.post(first);
    for (const content of flow.answers) {
      const { requestState, inputRequests = {} } = resultIn(body);
      const [key] = Object.keys(inputRequests);
      if (key === undefined) throw new Error(`nothing was asked: ${body}`);
      const inputResponses = { [key]: accepted(content) };
      body = await connection.post(callOf('2026-07-28', flow, 1, { requestState, inputResponses }));
    }
    checkDone(flow, body);
  });
}

interface Asking {
  readonly requestState?: string;
  readonly inputRequests?: object;
}

/** Returns the result in a response: JSON, or an event stream with one message. */
function resultIn(body: string): Asking {
  const json = body.startsWith('{') ? body : (/^data: (.*)$/m.exec(body)?.[1] ?? '{}');
  return (JSON.parse(json) as { readonly result?: Asking }).result ?? {};
}
