/** Load for a server: sixteen flows at a time. */
import { inFlight } from '../cases/modern.js';
import { Connection } from './connection.js';
import { accepted, callOf, checkDone, headersOf, type Flow } from './messages.js';

/** The number of flows in flight. */
export const CONNECTIONS = 16;

/** Sends this many flows to one server. */
export type Load = (flows: number) => Promise<void>;

/** Sends flows with a value of its own for each that is in flight, such as a connection. */
export function loadWith<T>(idle: T[], flow: (value: T) => Promise<unknown>): Load {
  return (flows) =>
    inFlight(flows, CONNECTIONS, async () => {
      const value = idle.pop();
      if (value === undefined) throw new Error('all connections are busy');
      await flow(value);
      idle.push(value);
    });
}

export const openSixteen = <T>(open: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, open));

/** Sends 2026-07-28 flows. */
export async function modernLoad(url: string, flow: Flow): Promise<Load> {
  const idle = await openSixteen(() => openModern(url, flow));
  return loadWith(idle, (connection) => runFlow(connection, flow));
}

/** Runs a flow once, and returns the bodies of the responses. */
export async function bodiesOf(url: string, flow: Flow): Promise<readonly string[]> {
  return runFlow(await openModern(url, flow), flow);
}

const openModern = (url: string, { tool }: Flow): Promise<Connection> =>
  Connection.open(url, headersOf('2026-07-28', tool));

/** Runs a flow. Each request carries the state of the response before. */
async function runFlow(connection: Connection, flow: Flow): Promise<readonly string[]> {
  let body = await connection.post(callOf('2026-07-28', flow, 1));
  const bodies = [body];
  for (const content of flow.answers) {
    const { requestState, inputRequests = {} } = resultIn(body);
    const [key] = Object.keys(inputRequests);
    if (key === undefined) throw new Error(`nothing was asked: ${body}`);
    const inputResponses = { [key]: accepted(content) };
    body = await connection.post(callOf('2026-07-28', flow, 1, { requestState, inputResponses }));
    bodies.push(body);
  }
  checkDone(flow, body);
  return bodies;
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
