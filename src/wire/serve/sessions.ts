/**
 * The table of 2025 sessions: which request belongs to which, who may enter, how many there are.
 *
 * In: legacy HTTP requests. An `initialize` without a session id opens a session; every other
 * request must name one. A session of somebody else is answered exactly like one that does not
 * exist, so ids cannot be probed. Sessions end by DELETE, by idleness or by `close()`.
 *
 * @module
 */
import { isInitializeRequest } from '@modelcontextprotocol/server';

import { handlerClosed, type Refusal, refuse, sessionNotFound } from './refusal.js';
import {
  LegacySession,
  principalOf,
  type SessionRequest,
  type SessionSettings,
} from './session.js';

/** What the table is made with. */
export interface SessionTableSettings extends Omit<SessionSettings, 'onopen' | 'onclose'> {
  maxSessions: number;
  sessionIdleMs: number;
}

/** Serves 2025 requests, each in its session. */
export class SessionTable {
  readonly #settings: SessionTableSettings;
  readonly #sessions = new Map<string, LegacySession>();
  /** The handshakes whose session does not exist yet: each has its place already. */
  readonly #opening = new Set<SessionRequest>();
  #closed = false;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(settings: SessionTableSettings) {
    this.#settings = settings;
  }

  /** Serves one request. */
  async serve(incoming: SessionRequest): Promise<Response> {
    const id = incoming.request.headers.get('mcp-session-id');
    if (!id) return this.#open(incoming);
    const session = this.#sessions.get(id);
    if (session === undefined || session.owner !== principalOf(incoming.authInfo)) {
      return refuse(sessionNotFound);
    }
    return session.serve(incoming);
  }

  /** Closes the sessions that are idle at `now`, and says how many. */
  async closeIdle(now: number): Promise<number> {
    const { sessionIdleMs } = this.#settings;
    const idle = [...this.#sessions.values()].filter((one) => one.isIdle(now, sessionIdleMs));
    await Promise.all(idle.map((session) => session.close()));
    return idle.length;
  }

  /** Closes every session; later requests are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  async #open(incoming: SessionRequest): Promise<Response> {
    const refusal = refusalOfOpening(incoming);
    if (refusal !== undefined) return refuse(refusal);
    if (this.#isFull()) await this.closeIdle(Date.now());
    // Nothing may wait between this question and the place taken, or a burst passes the limit.
    if (this.#isFull()) return refuse(this.#tooMany(incoming.body));
    this.#opening.add(incoming);
    try {
      const session = await LegacySession.connect(incoming, this.#sessionSettings(incoming));
      const response = this.#closed
        ? refuse(handlerClosed(incoming.body))
        : await session.serve(incoming);
      if (!session.initialized) await session.close();
      return response;
    } finally {
      this.#opening.delete(incoming);
    }
  }

  #isFull(): boolean {
    return this.#sessions.size + this.#opening.size >= this.#settings.maxSessions;
  }

  #tooMany(body: unknown): Refusal {
    const { maxSessions } = this.#settings;
    const message = `Too many sessions: this server keeps at most ${maxSessions} open. Try again later.`;
    return { status: 503, code: -32_000, message, body };
  }

  #sessionSettings(opening: SessionRequest): SessionSettings {
    return {
      ...this.#settings,
      onopen: (id, session) => {
        this.#opening.delete(opening);
        this.#sessions.set(id, session);
        this.#sweeper ??= this.#startSweeper();
      },
      onclose: (id) => {
        this.#sessions.delete(id);
        if (this.#sessions.size > 0) return;
        clearInterval(this.#sweeper);
        this.#sweeper = undefined;
      },
    };
  }

  #startSweeper(): ReturnType<typeof setInterval> {
    const { sessionIdleMs, onerror } = this.#settings;
    const sweep = (): void => {
      this.closeIdle(Date.now()).catch(onerror);
    };
    const timer = setInterval(sweep, Math.min(sessionIdleMs, MAX_SWEEP_INTERVAL_MS));
    unref(timer);
    return timer;
  }
}

// A sweep is no reason to keep a process running; only Node's and Bun's timers can say so.
function unref(timer: ReturnType<typeof setInterval> | number): void {
  if (typeof timer === 'object') timer.unref();
}

const MAX_SWEEP_INTERVAL_MS = 60_000;

/** Why a request without a session id cannot open a session, if it cannot. */
function refusalOfOpening({ request, body }: SessionRequest): Refusal | undefined {
  if (!['GET', 'POST', 'DELETE'].includes(request.method)) {
    const headers = { Allow: 'GET, POST, DELETE' };
    return { status: 405, code: -32_000, message: 'Method not allowed.', headers };
  }
  // The transport accepts a batch of one, and refuses a larger one with an initialize in it itself.
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.some((message) => isInitializeRequest(message))) return undefined;
  const message = 'Bad Request: Mcp-Session-Id header is required';
  return { status: 400, code: -32_000, message, body };
}
