/**
 * The browsers that visit the page, by cookie: their signed-in users and their open forms. A form
 * is valid once, and only from the browser that received it, so another site cannot send it.
 */
import { randomBytes } from 'node:crypto';

import { ExpiringMap } from './expiringMap.js';

export interface Browser {
  /** The value of its cookie. */
  readonly id: string;
  /** The signed-in user. */
  readonly user?: string;
  /** The call of each open form, by the nonce in the form. */
  readonly forms: Map<string, string>;
}

export class Browsers {
  readonly #byCookie = new ExpiringMap<Browser>();

  find(cookie: string | undefined): Browser | undefined {
    return cookie === undefined ? undefined : this.#byCookie.get(cookie);
  }

  add(user?: string): Browser {
    const id = random();
    return this.#byCookie.set(id, { id, ...(user !== undefined && { user }), forms: new Map() });
  }

  /** Gives a browser a new cookie after a sign-in, because others may know the old one. */
  signIn(browser: Browser, user: string): Browser {
    this.#byCookie.delete(browser.id);
    return this.add(user);
  }
}

/** Adds a form for a call to a browser, and returns the nonce of the form. */
export function giveForm({ forms }: Browser, callId: string): string {
  const nonce = random();
  forms.set(nonce, callId);
  return nonce;
}

/** Removes a form and returns its call. */
export function takeForm({ forms }: Browser, nonce: string): string | undefined {
  const callId = forms.get(nonce);
  forms.delete(nonce);
  return callId;
}

function random(): string {
  return randomBytes(16).toString('base64url');
}
