/** The features of the installed SDK. `npm test -- sdk-range` runs the tests with older versions. */
import { readFileSync } from 'node:fs';

/** The minor version of `@modelcontextprotocol/server` 2 that has a feature first. */
const SINCE = {
  /** The check of OAuth scopes before a call. */
  scopeChallenge: 1,
  /** Names such as `moz-extension://*` for the origins of browser extensions. */
  originWildcard: 3,
  /** The limit of the elements in the arguments of a tool. */
  maxToolInputElements: 3,
  /** Methods that the SDK does not know, such as those of tasks. */
  tasks: 3,
} as const;

const manifest = new URL(
  '../../node_modules/@modelcontextprotocol/server/package.json',
  import.meta.url,
);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

/** Returns true if the installed SDK has a feature. If it has not, test for the error. */
export function sdkHas(feature: keyof typeof SINCE): boolean {
  const [, minor] = version.split('.');
  return Number(minor) >= SINCE[feature];
}
