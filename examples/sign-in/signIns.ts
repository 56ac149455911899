/**
 * The sign-ins that calls wait for. Each belongs to one call and to the patient who made it, and is
 * finished by nobody else. A server of several processes would keep them in a store that they
 * share.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { ForgetfulMap } from './forgetful.js';

const MOST_WRONG_PASSWORDS = 5;

/** One sign-in: a call waits for it, and a person does it on the page. */
export class SignIn {
  #wrongPasswords = 0;
  readonly #done = new AbortController();

  /** @param patient Who has to sign in. */
  constructor(readonly patient: string) {}

  /** Whether it can still be done. */
  get isOpen(): boolean {
    return !this.#done.signal.aborted && this.#wrongPasswords < MOST_WRONG_PASSWORDS;
  }

  /** Counts a wrong password; says whether there may be another try. */
  survivesWrongPassword(): boolean {
    this.#wrongPasswords += 1;
    return this.isOpen;
  }

  /** Is done, if `user` is the one who has to sign in; says whether that is so. */
  finishAs(user: string): boolean {
    if (user !== this.patient || !this.isOpen) return false;
    this.#done.abort();
    return true;
  }

  /** Waits until it is done, for a time; says whether it is. */
  async isDoneWithin(milliseconds: number, unwanted: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([this.#done.signal, unwanted]);
    await pause(milliseconds, undefined, { signal }).catch(() => undefined);
    unwanted.throwIfAborted();
    return this.#done.signal.aborted;
  }
}

export class SignIns {
  readonly #byCall = new ForgetfulMap<SignIn>();

  /** The sign-in of a call: made in its first round, and the same in every later one. */
  ofCall(callId: string, patient: string): SignIn {
    return this.find(callId) ?? this.#byCall.set(callId, new SignIn(patient));
  }

  find(callId: string): SignIn | undefined {
    return this.#byCall.get(callId);
  }
}
