/**
 * The token of a form. It proves that this desk showed this request, with these terms, to the
 * person who now decides. So another site cannot send the form, and nobody decides on terms that
 * the page did not show. The key is kept in the store of the desk, so every process accepts it.
 */
import { base64url, equalBytes, fromBase64url, randomId, utf8 } from '../../platform.js';
import { canonicalJson } from '../../state/canonical.js';
import { isObject } from '../../values.js';
import type { ApprovalRequest } from '../parkedCall.js';
import type { Records } from '../records.js';

const KEY = 'page/key';

/** The lifetime of the key after the last form that was shown. */
const LIFE_MS = 30 * 86_400_000;

/** Creates the token of a form that shows a request to a person. */
export async function createToken(
  records: Records,
  request: ApprovalRequest,
  who: string,
): Promise<string> {
  return base64url(await sign(await currentKey(records), request, who));
}

/** Returns true if a form with this token showed this request to this person. */
export async function isTokenOf(
  records: Records,
  request: ApprovalRequest,
  { who, token }: { readonly who: string; readonly token: string },
): Promise<boolean> {
  const given = fromBase64url(token);
  const key = readKey(await records.get(KEY));
  if (given === undefined || key === undefined) return false;
  // The signatures of both are compared, so the time says nothing about the token.
  const [one, other] = await Promise.all(
    [given, await sign(key, request, who)].map((bytes) => hmac(key, bytes)),
  );
  return one !== undefined && other !== undefined && equalBytes(one, other);
}

async function sign(key: string, request: ApprovalRequest, who: string): Promise<Uint8Array> {
  const { id, tool, message, facts, by, requester, quorum } = request;
  const shown = { who, id, tool, message, facts, by, requester, quorum };
  return hmac(key, utf8(canonicalJson(shown)));
}

async function hmac(key: string, bytes: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey('raw', copyOf(utf8(key)), algorithm, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, copyOf(bytes)));
}

/** Returns the key, prolonged. The first form creates it. */
async function currentKey(records: Records): Promise<string> {
  return records.change(KEY, (present) => {
    const key = readKey(present) ?? `${randomId()}${randomId()}`;
    const value = JSON.stringify({ key, revision: randomId() });
    return { value, until: records.now() + LIFE_MS, result: key };
  });
}

function readKey(record: string | undefined): string | undefined {
  const read: unknown = JSON.parse(record ?? 'null');
  return isObject(read) && typeof read.key === 'string' ? read.key : undefined;
}

/** WebCrypto takes no view of a buffer that may be shared. */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
