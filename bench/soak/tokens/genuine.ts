/**
 * The calls of an honest client. They stop at an open round, whose token an attacker then misuses.
 * Later the client completes them, which proves that the genuine tokens still work.
 */
import type { Call, Reply } from '../jsonRpc.js';
import type { Door } from './doors.js';

/** The question of a round, by its key on the wire. */
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

/** Returns the next round of a call: its token and these answers. */
export function nextRound(
  { call, token }: OpenRound,
  inputResponses: unknown,
  requestState: unknown = token,
): Call {
  return { ...call, params: { ...call.params, inputResponses, requestState } };
}

/** Opens rounds of every kind. Three of them belong to the call with three questions. */
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

/** Returns the next round of an honest client. */
export function honest(round: OpenRound): Call {
  return nextRound(round, { [round.asked]: ANSWERS[round.asked] });
}

/**
 * Completes calls with their genuine tokens. Returns their number.
 *
 * @throws Error If a call does not complete.
 */
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
    if (!text.includes(expected)) throw new Error(`the server refused a genuine token: ${text}`);
  }
  return last.length;
}

/** Returns the open round of a reply that asks exactly this question. */
function asking(asked: Asked, call: Call, { result, error }: Reply): OpenRound {
  const keys = Object.keys(result?.inputRequests ?? {});
  const token = result?.requestState;
  if (keys.join() !== asked || typeof token !== 'string') {
    throw new Error(`expected the question ${asked}, got ${JSON.stringify(result ?? error)}`);
  }
  return { call, asked, token };
}
