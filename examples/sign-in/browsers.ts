/**
 * What the clinic knows of the browsers that come to its page, told apart by a cookie: who is
 * signed in there, and which forms they were given. A form counts once, and only from its own
 * browser, so no other page can send it.
 */
import { randomBytes } from 'node:crypto';

import { ForgetfulMap } from './forgetful.js';

export interface Browser {
  /** The value of its cookie. */
  readonly id: string;
  /** Who is signed in there. */
  readonly user?: string;
  /** The calls that its open forms are for, by the nonce in the form. */
  readonly forms: Map<string, string>;
}

export class Browsers {
  readonly #byCookie = new ForgetfulMap<Browser>();

  find(cookie: string | undefined): Browser | undefined {
    return cookie === undefined ? undefined : this.#byCookie.get(cookie);
  }

  meet(user?: string): Browser {
    const id = random();
    return this.#byCookie.set(id, { id, ...(user !== undefined && { user }), forms: new Map() });
  }

  /** The same browser after signing in, under a new cookie: the old one may be known to others. */
  signIn(browser: Browser, user: string): Browser {
    this.#byCookie.delete(browser.id);
    return this.meet(user);
  }
}

/** Gives a browser a form for a call, told by a nonce. */
export function giveForm({ forms }: Browser, callId: string): string {
  const nonce = random();
  forms.set(nonce, callId);
  return nonce;
}

/** Takes a form back, once: the call that it is for. */
export function takeForm({ forms }: Browser, nonce: string): string | undefined {
  const callId = forms.get(nonce);
  forms.delete(nonce);
  return callId;
}

function random(): string {
  return randomBytes(16).toString('base64url');
}
