/** A minimal browser: it keeps a cookie, opens links and sends forms. */
import type { Patient } from './people.js';

/** The parts of a page that the story checks. */
export interface Page {
  status: number;
  title: string;
  /** The nonce of its form, if it has one. */
  nonce: string | undefined;
}

export class Browser {
  #cookie = '';

  async open(link: string): Promise<Page> {
    return this.#load(link, {});
  }

  /** Sends the form of a page with a patient's name and password. */
  async signIn(link: string, { nonce = '' }: Page, { name, password }: Patient): Promise<Page> {
    const body = new URLSearchParams({ nonce, name, password });
    return this.#load(new URL('/sign-in', link).href, { method: 'POST', body });
  }

  /** Opens a link and signs in. */
  async visit(link: string, patient: Patient): Promise<Page> {
    return this.signIn(link, await this.open(link), patient);
  }

  async #load(url: string, init: RequestInit): Promise<Page> {
    const headers = { cookie: this.#cookie };
    const response = await fetch(url, { ...init, headers, redirect: 'error' });
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie;
    const text = await response.text();
    return {
      status: response.status,
      title: /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? '',
      nonce: /name="nonce" value="([^"]+)"/.exec(text)?.[1],
    };
  }
}
