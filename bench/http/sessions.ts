/**
 * Load for the 2025-11-25 confirm flow, without autocannon. A call stays open while another request
 * of its session answers the question, and autocannon sends one request at a time per connection.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';

import { inFlight } from '../cases/modern.js';
import { stopwatch } from '../measure/latency.js';
import {
  callOf,
  checkDeleted,
  headersOf,
  INITIALIZE,
  CONNECTIONS,
  type Load,
  YES,
} from './load.js';

const agent = new Agent({ keepAlive: true });

function post(url: string, body: string, session?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = headersOf('2025-11-25', session);
    request(url, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body);
  });
}

/** Opens a session and returns its id. */
export async function openSession(url: string): Promise<string> {
  const response = await post(url, INITIALIZE);
  await text(response);
  const id = response.headers['mcp-session-id'];
  if (typeof id !== 'string')
    throw new Error(`the server opened no session: ${response.statusCode}`);
  const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await text(await post(url, initialized, id));
  return id;
}

/** A call whose question has arrived. */
export interface Asked {
  /** Confirms, and checks that the folder was deleted. */
  readonly confirm: () => Promise<void>;
}

/** Calls the tool, and waits until it asks. */
export async function ask(url: string, session: string, id: number): Promise<Asked> {
  const response = await post(url, callOf('2025-11-25', id), session);
  response.setEncoding('utf8');
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<string>;
  const read = async (pattern: RegExp): Promise<string> => {
    for (let stream = ''; ;) {
      const chunk = await chunks.next();
      if (chunk.done === true)
        throw new Error(`the stream ended early: ${response.statusCode} ${stream}`);
      stream += chunk.value;
      const found = pattern.exec(stream);
      if (found?.[1] !== undefined) return found[1];
    }
  };
  const asked = JSON.parse(await read(/^data: (.*"elicitation\/create".*)\n/m)) as { id: number };
  const confirm = async (): Promise<void> => {
    const answer = JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: YES });
    const [said] = await Promise.all([
      read(/^data: (.*"content".*)\n/m),
      post(url, answer, session).then(text),
    ]);
    checkDeleted(said);
    // The connection is free only after the stream has ended.
    await chunks.next();
  };
  return { confirm };
}

/** Sends flows in sixteen sessions, one at a time in each. */
export async function confirmSessionLoad(url: string): Promise<Load> {
  const idle = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSession(url)));
  let id = 0;
  const flow = async (): Promise<void> => {
    const session = idle.pop();
    if (session === undefined) throw new Error('all sessions are busy');
    await (await ask(url, session, (id += 1))).confirm();
    idle.push(session);
  };
  return async (flows) => {
    const { took, lap } = stopwatch(flow);
    const begun = performance.now();
    await inFlight(flows, CONNECTIONS, lap);
    const seconds = (performance.now() - begun) / 1000;
    return { seconds, flows, took: took.slice(CONNECTIONS) };
  };
}
