/**
 * Objects of very many members. To give one its names, one after the other, is most of what a fan
 * of 100,000 resolvers costs. V8 copies a literal of constants in one piece, names and all, so that
 * they only have to be overwritten: such an object takes a third of the time.
 */
import type { Values } from './compile.js';
import { fromText } from './fromText.js';

/** Whether an object of so many members is copied faster than it grows. */
export function isWide(members: number): boolean {
  return members >= FEWEST && members <= MOST;
}

const FEWEST = 2000;
/** To compile a literal of as many takes a fifth of a second, in which nothing else can run. */
const MOST = 100_000;

/** To compile the literal takes about as long as so many objects do that grow. */
const OFTEN_MADE = 5;

/** The objects that one function is called with: they all have the same names. */
export class WideObjects {
  private made = 0;
  private copy: (() => Values) | undefined = undefined;

  constructor(private readonly names: readonly string[]) {}

  /** An object, to which every member is then written, in the order of the names. */
  make(): Values {
    if (this.copy !== undefined) return this.copy();
    this.made += 1;
    if (this.made === OFTEN_MADE) this.copy = this.compile();
    return {};
  }

  private compile(): (() => Values) | undefined {
    const members = this.names.map((name) => `${JSON.stringify(name)}:null`);
    const compiled = fromText(`return{${members.join()}}`) as (() => Values) | undefined;
    // V8 makes what it copies from in the second call: this is the first.
    compiled?.();
    return compiled;
  }
}
