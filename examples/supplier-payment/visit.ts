/** A minimal browser: it keeps the cookie of its person, opens pages and sends forms. */
import type { Person } from './people.js';

/** The parts of a page that the story checks. */
export interface Page {
  status: number;
  title: string;
  /** The values of the facts, as the page shows them. */
  facts: string[];
  /** The note about a decision. */
  note: string;
  /** The token of the form, if the page has one. */
  token: string | undefined;
  text: string;
}

export class Browser {
  #cookie = '';

  /** Signs a person in at the site of a page. */
  static async of({ who, password }: Person, page: string): Promise<Browser> {
    const browser = new Browser();
    const url = new URL('/sign-in', page).href;
    await browser.#load(url, {
      method: 'POST',
      body: new URLSearchParams({ name: who, password }),
    });
    return browser;
  }

  open(url: string): Promise<Page> {
    return this.#load(url, {});
  }

  /** Opens the page of a request, and presses a button there. */
  async decide(url: string, verdict: 'approve' | 'deny', comment = ''): Promise<Page> {
    const { token } = await this.open(url);
    if (token === undefined) throw new Error(`the page ${url} has no form`);
    return this.#load(url, {
      method: 'POST',
      body: new URLSearchParams({ token, verdict, comment }),
    });
  }

  async #load(url: string, init: RequestInit): Promise<Page> {
    const headers = { cookie: this.#cookie, origin: new URL(url).origin };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie;
    const text = await response.text();
    return {
      status: response.status,
      title: textIn(/<h1>(.*?)<\/h1>/s, text),
      facts: [...text.matchAll(/<dd><bdi>(.*?)<\/bdi><\/dd>/g)].map(([, fact = '']) => fact),
      note: textIn(/role="status">(.*?)<\/p>/s, text),
      token: /name="token" value="([^"]+)"/.exec(text)?.[1],
      text,
    };
  }
}

function textIn(pattern: RegExp, page: string): string {
  return (pattern.exec(page)?.[1] ?? '').replace(/<[^>]+>/g, '').trim();
}
