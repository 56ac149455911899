/**
 * 2025-11-25 sessions, and flows that ask in them. A call stays open while another request of its
 * session answers the question, so a session needs two connections.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

import { Connection } from './connection.js';
import { loadWith, openSixteen, type Load } from './load.js';
import { accepted, callOf, checkDone, headersOf, INITIALIZE, type Flow } from './messages.js';

const agent = new Agent({ keepAlive: true });

function post(url: string, body: string, session?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = headersOf('2025-11-25', '', session);
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
  /** Answers, and checks that the call ends. */
  readonly answer: () => Promise<void>;
}

/** Calls the tool of a flow with one question, and waits until it asks. */
export async function ask(url: string, session: string, flow: Flow, id: number): Promise<Asked> {
  const response = await post(url, callOf('2025-11-25', flow, id), session);
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
  const answer = async (): Promise<void> => {
    const result = accepted(flow.answers[0] ?? {});
    const message = JSON.stringify({ jsonrpc: '2.0', id: asked.id, result });
    const [said] = await Promise.all([
      read(/^data: (.*"content".*)\n/m),
      post(url, message, session).then(text),
    ]);
    checkDone(flow, said);
    // The connection is free only after the stream has ended.
    await chunks.next();
  };
  return { answer };
}

/** Sends flows with one question, each of the sixteen at a time in a session of its own. */
export async function askingLoad(url: string, flow: Flow): Promise<Load> {
  const idle = await openSixteen(() => openSession(url));
  let id = 0;
  return loadWith(idle, async (session) => {
    await (await ask(url, session, flow, (id += 1))).answer();
  });
}

/** Sends calls that ask nothing, each of the sixteen at a time in a session of its own. */
export async function plainLoad(url: string, flow: Flow): Promise<Load> {
  const idle = await openSixteen(async () =>
    Connection.open(url, headersOf('2025-11-25', flow.tool, await openSession(url))),
  );
  let id = 0;
  return loadWith(idle, async (connection) => {
    checkDone(flow, await connection.post(callOf('2025-11-25', flow, (id += 1))));
  });
}
