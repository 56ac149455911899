/** Which requests are for which definition. */

/** The methods whose requests a definition answers. */
export type Method = 'tools/call' | 'prompts/get' | 'resources/read';

/** The requests that are for a definition: by the name, or the uri, that they are about. */
export interface Address {
  readonly method: Method;
  /** The one name or uri; `undefined` for a template, which has many. */
  readonly target: string | undefined;
  readonly matches: (target: string) => boolean;
}

/** An address by name. */
export function addressOf(method: Method, name: string): Address {
  return { method, target: name, matches: (target) => target === name };
}
