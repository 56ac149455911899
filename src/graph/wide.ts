/**
 * Objects of very many members. To give one its names, one after the other, is most of what a fan
 * of 100,000 resolvers costs. V8 copies a literal of constants in one piece, names and all, so that
 * they only have to be overwritten: that takes a third of the time.
 */
import { fromText } from './fromText.js';

type Values = Record<string, unknown>;

/** An object of fewer members grows faster than it is copied. */
export const WIDE = 2000;

/** To compile the literal takes about as long as so many objects do that grow. */
const OFTEN = 5;

/** The objects that one function is called with: they all have the same names. */
export class WideObjects {
  private made = 0;
  private copy: (() => Values) | undefined = undefined;

  constructor(private readonly names: readonly string[]) {}

  /** An object for the members, which are to be written in the order of their names. */
  make(): Values {
    if (this.copy !== undefined) return this.copy();
    this.made += 1;
    if (this.made === OFTEN) this.copy = this.compile();
    return {};
  }

  private compile(): (() => Values) | undefined {
    const members = this.names.map((name) => `${JSON.stringify(name)}:null`);
    const compiled = fromText(`return{${members.join()}}`) as (() => Values) | undefined;
    // V8 keeps what it copies from the second time on.
    compiled?.();
    return compiled;
  }
}
