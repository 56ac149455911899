/** The state that a client carries: encrypted by this library, or signed by the SDK. */
import { pbkdf2 } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { requestStateSeal } from 'mcp-resolve';

const KEY = 'a key of at least 32 bytes, for the bench alone';

/** The state of a flow between two rounds. */
export interface State {
  readonly answers: readonly Readonly<Record<string, string | number>>[];
}

/** Turns a state into a token, and back. */
export interface Codec {
  readonly mint: (state: State) => Promise<string>;
  readonly verify: (token: string) => Promise<State>;
}

const { codec: aead } = requestStateSeal({ keys: [KEY], audience: 'bench' })['~policy'];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The cipher alone, from JSON to JSON, as in the SDK's codec. The SDK's codec also writes and
 * checks an `exp`. This library does that outside of the codec.
 */
export const sealed: Codec = {
  mint: async (state) => aead.seal(encoder.encode(JSON.stringify(state))),
  verify: async (token) => JSON.parse(decoder.decode(await aead.unseal(token))) as State,
};

const hmac = createRequestStateCodec<State>({ key: KEY });
// The codec reads the request only if it binds to it.
const NO_REQUEST = {} as ServerContext;

export const signed: Codec = {
  mint: (state) => hmac.mint(state),
  verify: (token) => hmac.verify(token, NO_REQUEST),
};

/** Returns a state whose JSON has about this many bytes. */
export function stateOf(bytes: number): State {
  const answers: Record<string, string | number>[] = [];
  for (let index = 0; JSON.stringify({ answers }).length + 60 <= bytes; index += 1)
    answers.push({ key: `answer-${index}`, says: `The order ${index * 7919} goes out.`, index });
  return { answers };
}

/** Seals and opens a state. */
export async function roundTrip({ mint, verify }: Codec, state: State): Promise<void> {
  const back = await verify(await mint(state));
  if (back.answers.length !== state.answers.length) throw new Error('answers were lost');
}

/** Keeps every thread of the pool busy while `work` runs. */
export async function withBusyPool<T>(work: () => Promise<T>): Promise<T> {
  let over = false;
  const loops = Array.from({ length: JOBS }, async () => {
    while (!over) await hash();
  });
  try {
    await hash();
    return await work();
  } finally {
    over = true;
    await Promise.all(loops);
  }
}

/** Twice the default number of threads, so that every other job has to wait. */
const JOBS = 8;

/** Occupies a thread of the pool for about ten milliseconds. */
function hash(): Promise<void> {
  return new Promise((resolve, reject) => {
    pbkdf2('password', 'salt', 20_000, 32, 'sha256', (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}
