/**
 * The two patients of the clinic: the token of each patient's client, the password for the page,
 * and the lab results. A real clinic uses an identity provider instead.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type AuthInfo, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';

export interface Patient {
  name: string;
  token: string;
  password: string;
  results: Record<string, string>;
}

export const alice: Patient = {
  name: 'alice',
  token: 'token-of-alice',
  password: 'tea at seven',
  results: { blood: 'all values of alice are fine', allergy: 'alice reacts to birch' },
};

export const bob: Patient = {
  name: 'bob',
  token: 'token-of-bob',
  password: 'walk the dog',
  results: { blood: 'bob lacks iron', allergy: 'bob reacts to nothing' },
};

const patients = [alice, bob];

/** Returns the patient of a token, for the bearer check in front of the MCP endpoint. */
export async function verifyAccessToken(token: string): Promise<AuthInfo> {
  const owner = patients.find((patient) => same(patient.token, token));
  if (owner === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'Unknown token');
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  return { token, clientId: 'assistant', scopes: [], expiresAt, extra: { sub: owner.name } };
}

/** Returns true if the name and the password belong to a patient. */
export function isPatient(name: string, password: string): boolean {
  return patients.some((patient) => patient.name === name && same(patient.password, password));
}

export function resultsOf(name: string): Record<string, string> {
  return patients.find((patient) => patient.name === name)?.results ?? {};
}

function same(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
