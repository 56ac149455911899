/**
 * Compares what the body gets with what it would have got at the time of the request. A value that
 * the request does not show may still decide what is done, such as the account that money goes to.
 */
import { dataDigest, isTooDeep } from '../state/canonical.js';

/** Returns the digests of the values that are JSON. */
export async function digestsOf(
  values: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, string>>> {
  const digests: [string, string][] = [];
  for (const [param, value] of Object.entries(values)) {
    const found = await digestIfJson(value);
    if (found !== undefined) digests.push([param, found]);
  }
  return Object.fromEntries(digests);
}

async function digestIfJson(value: unknown): Promise<string | undefined> {
  try {
    return isTooDeep(value) ? undefined : await dataDigest(value);
  } catch {
    // It is no JSON.
    return undefined;
  }
}

/** Returns the first parameter whose value differs from the one that the digest is of. */
export function findChanged(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string | undefined {
  return Object.keys(before).find(
    (param) => !Object.hasOwn(now, param) || before[param] !== now[param],
  );
}
