/**
 * Misuses states: sends them to the other service, as the other user, with other arguments, for the
 * other tool, or changed. The answers are right, so a server that accepted the state would continue
 * the call.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Answers, OpenCall } from 'mcp-resolve/client';

import { type Call, FROZEN, postOf, replyOf } from '../jsonRpc.js';
import { add, type Counts } from './counts.js';
import type { Reach } from './reach.js';

/** The users. */
export const USERS = ['alice', 'bob'] as const;
export type User = (typeof USERS)[number];

/** An open call and the knowledge of its owner. */
export interface Owned {
  readonly call: OpenCall<'tools/call'>;
  readonly answers: Answers;
  readonly user: User;
  /** The service of the call, and the other one. */
  readonly home: Reach;
  readonly nextDoor: Reach;
}

interface Misuse {
  readonly reach: Reach;
  readonly user: User;
  readonly change?: Readonly<Record<string, unknown>>;
}

const misuses: Readonly<Record<string, (owned: Owned) => Misuse>> = {
  'at the other service': ({ nextDoor, user }) => ({ reach: nextDoor, user }),
  'by the other user': ({ home, user }) => ({ reach: home, user: otherThan(user) }),
  'with other arguments': ({ home, user }) => ({
    reach: home,
    user,
    change: { arguments: { trip: 'another trip' } },
  }),
  'for the other tool': ({ home, user, call }) => ({
    reach: home,
    user,
    change: { name: call.params.name === 'sign_off' ? 'plan_trip' : 'sign_off' },
  }),
  changed: ({ home, user, call }) => ({
    reach: home,
    user,
    change: { requestState: flipped(stateOf(call)) },
  }),
};

/** The kinds of misuse. */
export const MISUSES = Object.keys(misuses);

/** Misuses the state of a call in one way, and counts whether the server refused it. */
export async function misuse(kind: string, owned: Owned, counts: Counts): Promise<void> {
  const { reach, user, change = {} } = misuses[kind]?.(owned) ?? { reach: owned.home, user: 'bob' };
  await mustBeRefused(kind, { reach, user, call: retryOf(owned, change) }, counts);
}

/** Sends a request with a misused state, and counts whether the server refused it. */
export async function mustBeRefused(
  kind: string,
  { reach, user, call }: { reach: Reach; user: User; call: Call },
  counts: Counts,
): Promise<void> {
  const response = await reach(postOf(1, call, { authorization: `Bearer ${user}` }));
  const text = await response.text();
  const { result, error } = replyOf(text);
  if (result === undefined && isDeepStrictEqual(error, FROZEN)) add(counts.refused, kind);
  else counts.accepted.push(`${kind}: ${response.status} ${text}`);
}

/** Returns the next round of the owner, with a change. */
export function retryOf({ call, answers }: Owned, change: object = {}): Call {
  const { method, params } = call;
  const requestState = stateOf(call);
  return { method, params: { ...params, inputResponses: answers, requestState, ...change } };
}

function stateOf(call: OpenCall): string {
  return call.toJSON().requestState ?? '';
}

function otherThan(user: User): User {
  return user === 'alice' ? 'bob' : 'alice';
}

/** Changes one character in the middle of a state. */
function flipped(state: string): string {
  const middle = Math.floor(state.length / 2);
  return state.slice(0, middle) + (state[middle] === 'A' ? 'B' : 'A') + state.slice(middle + 1);
}
