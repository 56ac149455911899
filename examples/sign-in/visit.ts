/** A browser without a window, for the story: it keeps a cookie, opens links and sends their forms. */
import type { Patient } from './people.js';

/** A page, as far as the story looks at it. */
export interface Page {
  status: number;
  title: string;
  /** What the hidden field of its form holds, where it has one. */
  nonce: string | undefined;
}

export class Browser {
  #cookie = '';

  async open(link: string): Promise<Page> {
    return this.#load(link, {});
  }

  /** Types a patient's name and password into the form of a page, and sends it. */
  async signIn(link: string, { nonce = '' }: Page, { name, password }: Patient): Promise<Page> {
    const body = new URLSearchParams({ nonce, name, password });
    return this.#load(new URL('/sign-in', link).href, { method: 'POST', body });
  }

  /** Opens a link and signs in there. */
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
