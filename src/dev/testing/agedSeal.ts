/** A seal whose tokens are older than they look, so that a test need not wait for one to expire. */
import { utf8 } from '../../platform.js';
import type { RequestStateSeal } from '../../server/requestStateSeal.js';

/** The same seal, except that the `nth` token it makes has just expired. */
export function agedSeal(seal: RequestStateSeal, nth: number): RequestStateSeal {
  const policy = seal['~policy'];
  const { codec, ttlSeconds } = policy;
  let made = 0;
  const aged = {
    seal: (claims: Uint8Array) => {
      made += 1;
      return codec.seal(made === nth ? olderBy(ttlSeconds + 1, claims) : claims);
    },
    unseal: (token: string) => codec.unseal(token),
  };
  return { ...seal, '~policy': { ...policy, codec: aged } };
}

/** The times stand in the claims as seconds; `docs/state-format.md` has the others. */
function olderBy(seconds: number, bytes: Uint8Array): Uint8Array {
  const claims = JSON.parse(new TextDecoder().decode(bytes)) as { iat: number; exp: number };
  return utf8(JSON.stringify({ ...claims, iat: claims.iat - seconds, exp: claims.exp - seconds }));
}
