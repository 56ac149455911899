/**
 * The sign-ins that calls wait for. Each belongs to one call and to its patient, and only that
 * patient can complete it. A service with several processes needs a shared store here.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { ExpiringMap } from './expiringMap.js';

const MAX_WRONG_PASSWORDS = 5;

/** A sign-in. A call waits for it, and the patient completes it on the page. */
export class SignIn {
  #wrongPasswords = 0;
  readonly #done = new AbortController();

  /** @param patient The patient who must sign in. */
  constructor(readonly patient: string) {}

  /** True if it can still be completed. */
  get isOpen(): boolean {
    return !this.#done.signal.aborted && this.#wrongPasswords < MAX_WRONG_PASSWORDS;
  }

  /** Counts a wrong password. Returns true if the user may try again. */
  survivesWrongPassword(): boolean {
    this.#wrongPasswords += 1;
    return this.isOpen;
  }

  /** Completes the sign-in if `user` is its patient. Returns true if it did. */
  finishAs(user: string): boolean {
    if (user !== this.patient || !this.isOpen) return false;
    this.#done.abort();
    return true;
  }

  /** Waits for the sign-in. Returns true if it was completed in time. */
  async isDoneWithin(milliseconds: number, cancelled: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([this.#done.signal, cancelled]);
    await pause(milliseconds, undefined, { signal }).catch(() => undefined);
    cancelled.throwIfAborted();
    return this.#done.signal.aborted;
  }
}

export class SignIns {
  readonly #byCall = new ExpiringMap<SignIn>();

  /** Returns the sign-in of a call. The first round creates it. */
  ofCall(callId: string, patient: string): SignIn {
    return this.find(callId) ?? this.#byCall.set(callId, new SignIn(patient));
  }

  find(callId: string): SignIn | undefined {
    return this.#byCall.get(callId);
  }
}
