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

/** A growing set of definitions, by the requests that are for them. */
export class Addressees {
  private readonly exact = new Set<string>();
  private readonly matching: Address[] = [];

  constructor(addresses: readonly Address[]) {
    this.add(addresses);
  }

  /** Adds definitions. */
  add(addresses: readonly Address[]): void {
    for (const address of addresses) {
      if (address.method === 'resources/read') this.matching.push(address);
      else this.exact.add(`${address.method} ${address.target ?? ''}`);
    }
  }

  /** Whether a request is for one of them. */
  has(method: string, target: string): boolean {
    if (this.exact.has(`${method} ${target}`)) return true;
    return this.matching.some((address) => address.method === method && address.matches(target));
  }
}
