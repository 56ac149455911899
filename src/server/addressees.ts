/** Whose requests a boundary covers: found at once by name or uri, and by trying the templates. */
import type { Address } from './address.js';

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
