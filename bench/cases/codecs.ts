/** State on its way through a client: encrypted by us, signed by the SDK. */
import { pbkdf2 } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { requestStateSeal } from 'mcp-resolve';

const KEY = 'a key of at least 32 bytes, for the bench alone';

/** What a flow keeps between its rounds. */
export interface State {
  readonly answers: readonly Readonly<Record<string, string | number>>[];
}

/** A token, and what was in it. */
export interface Codec {
  readonly mint: (state: State) => Promise<string>;
  readonly verify: (token: string) => Promise<State>;
}

const { codec: aead } = requestStateSeal({ keys: [KEY], audience: 'bench' })['~policy'];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The cipher alone, from JSON to JSON, for the SDK's codec does that, too. That one also writes an
 * `exp` and checks it, which a call of ours does outside of the codec.
 */
export const sealed: Codec = {
  mint: async (state) => aead.seal(encoder.encode(JSON.stringify(state))),
  verify: async (token) => JSON.parse(decoder.decode(await aead.unseal(token))) as State,
};

const hmac = createRequestStateCodec<State>({ key: KEY });
// Only a codec that binds looks at the request.
const NO_REQUEST = {} as ServerContext;

export const signed: Codec = {
  mint: (state) => hmac.mint(state),
  verify: (token) => hmac.verify(token, NO_REQUEST),
};

/** A state whose JSON has about so many bytes. */
export function stateOf(bytes: number): State {
  const answers: Record<string, string | number>[] = [];
  for (let index = 0; JSON.stringify({ answers }).length + 60 <= bytes; index += 1)
    answers.push({ key: `answer-${index}`, says: `The order ${index * 7919} goes out.`, index });
  return { answers };
}

/** There and back once. */
export async function roundTrip({ mint, verify }: Codec, state: State): Promise<void> {
  const back = await verify(await mint(state));
  if (back.answers.length !== state.answers.length) throw new Error('something was lost');
}

/** Keeps every thread of the pool at work while something is done. */
export async function withBusyPool<T>(work: () => Promise<T>): Promise<T> {
  let over = false;
  const lanes = Array.from({ length: JOBS }, async () => {
    while (!over) await hash();
  });
  try {
    await hash();
    return await work();
  } finally {
    over = true;
    await Promise.all(lanes);
  }
}

/** Twice the threads that the pool has by default: whatever is asked of it, waits. */
const JOBS = 8;

/** About ten milliseconds on a thread of the pool. */
function hash(): Promise<void> {
  return new Promise((resolve, reject) => {
    pbkdf2('password', 'salt', 20_000, 32, 'sha256', (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}
