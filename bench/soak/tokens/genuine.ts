/**
 * Calls as an honest client makes them, up to where an attacker comes in: an open round with its
 * token, and the answer that would take it on. Also the proof that the true token works: the same
 * calls brought to their end.
 */
import type { Call, Reply } from '../jsonRpc.js';
import type { Door } from './doors.js';

/** Names the question of a round, which is also its wire key. */
export type Asked = 'city' | 'nights' | 'approval' | 'signature';

/** An open round of a call. */
export interface OpenRound {
  readonly call: Call;
  readonly asked: Asked;
  readonly token: string;
}

export const ANSWERS: Readonly<Record<Asked, object>> = {
  city: { action: 'accept', content: { city: 'Rome' } },
  nights: { action: 'accept', content: { nights: 3 } },
  approval: { action: 'accept', content: { confirm: true } },
  signature: { action: 'accept', content: { signature: 'Ada' } },
};

const planTrip = (trip: string): Call => ({
  method: 'tools/call',
  params: { name: 'plan_trip', arguments: { trip } },
});

const signOff = (trip: string): Call => ({
  method: 'tools/call',
  params: { name: 'sign_off', arguments: { trip } },
});

const promptSignOff = (trip: string): Call => ({
  method: 'prompts/get',
  params: { name: 'sign_off', arguments: { trip } },
});

const readSignOff: Call = { method: 'resources/read', params: { uri: 'trips://sign-off' } };

/** The next round of a call: its token, and these answers. */
export function nextRound(
  { call, token }: OpenRound,
  inputResponses: unknown,
  requestState: unknown = token,
): Call {
  return { ...call, params: { ...call.params, inputResponses, requestState } };
}

/** Opens rounds of every kind, three of them of the call with three questions. */
export async function openRounds(
  { send }: Door,
  trip: string,
): Promise<readonly [OpenRound, ...OpenRound[]]> {
  const first = asking('city', planTrip(trip), await send(planTrip(trip)));
  const second = asking('nights', first.call, await send(honest(first)));
  const third = asking('approval', first.call, await send(honest(second)));
  const others = [signOff(trip), promptSignOff(trip), readSignOff].map(async (call) =>
    asking('signature', call, await send(call)),
  );
  return [first, second, third, ...(await Promise.all(others))];
}

/** The next round as an honest client sends it. */
export function honest(round: OpenRound): Call {
  return nextRound(round, { [round.asked]: ANSWERS[round.asked] });
}

/** Brings rounds to their end. Says how many there were; a round that ends otherwise throws. */
export async function complete(
  { send }: Door,
  rounds: readonly OpenRound[],
  trip: string,
): Promise<number> {
  const last = rounds.filter(({ asked }) => asked === 'approval' || asked === 'signature');
  for (const round of last) {
    const reply = await send(honest(round));
    const text = JSON.stringify(reply.result ?? reply.error);
    const expected = round.asked === 'approval' ? `${trip}: 3 nights in Rome` : 'signed by Ada';
    if (!text.includes(expected)) throw new Error(`a true token was refused: ${text}`);
  }
  return last.length;
}

/** A round that asks exactly one question, this one. */
function asking(asked: Asked, call: Call, { result, error }: Reply): OpenRound {
  const keys = Object.keys(result?.inputRequests ?? {});
  const token = result?.requestState;
  if (keys.join() !== asked || typeof token !== 'string') {
    throw new Error(`expected to be asked for ${asked}, got ${JSON.stringify(result ?? error)}`);
  }
  return { call, asked, token };
}
