/** Matches requests with definitions, by method and by name or uri. */
import { isObject } from '../define/schema.js';

/** The parameters of a request. */
export type Params = Readonly<Record<string, unknown>>;

/** Returns the parameters of a request, as the client sent them. */
export function paramsOf(message: unknown): Params {
  return isObject(message) && isObject(message.params) ? message.params : {};
}

/** The methods whose requests a definition answers. */
export type Method = 'tools/call' | 'prompts/get' | 'resources/read';

/** The requests that a definition answers, by method and by name or uri. */
export interface Address {
  readonly method: Method;
  /** The name or uri. `undefined` for a template, which matches many uris. */
  readonly target: string | undefined;
  readonly matches: (target: string) => boolean;
}

/** Creates an address by name. */
export function addressOf(method: Method, name: string): Address {
  return { method, target: name, matches: (target) => target === name };
}

/** A set of addresses. */
export class Addressees {
  private readonly exact = new Set<string>();
  private readonly matching: Address[] = [];

  constructor(private readonly addresses: readonly Address[]) {
    for (const address of addresses) {
      if (address.method === 'resources/read') this.matching.push(address);
      else this.exact.add(`${address.method} ${address.target ?? ''}`);
    }
  }

  /** Returns the set with more addresses. */
  with(more: readonly Address[]): Addressees {
    return new Addressees([...this.addresses, ...more]);
  }

  /** Returns true if a request is for one of the addresses. */
  has(method: string, target: string): boolean {
    if (this.exact.has(`${method} ${target}`)) return true;
    return this.matching.some((address) => address.method === method && address.matches(target));
  }
}
