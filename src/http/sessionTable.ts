/**
 * The table of 2025 sessions: which request belongs to which, who may enter, how many there are.
 *
 * In: legacy HTTP requests. An `initialize` without a session id opens a session; every other
 * request must name one. A session of somebody else is answered exactly like one that does not
 * exist, so ids cannot be probed. Sessions end by DELETE, by being abandoned, by `close()`, or to
 * make room: in a full table the one unused for longest gives way, unless all are busy.
 */
import { principalOf } from '../state/principal.js';
import type { InFlight } from './inFlight.js';
import { hasHandshake } from './messages.js';
import { handlerClosed, type Refusal, refuse, sessionNotFound } from './httpRefusal.js';
import {
  LegacySession,
  type Patience,
  type SessionRequest,
  type SessionSettings,
} from './legacySession.js';

/** What the table is made with. */
export interface SessionTableSettings
  extends Omit<SessionSettings, 'onopen' | 'onclose'>, Patience {
  inFlight: InFlight;
  maxSessions: number;
  /** The limit for each authenticated principal; what nobody in particular opens has only the other. */
  maxSessionsPerPrincipal: number;
}

/** Serves 2025 requests, each in its session. */
export class SessionTable {
  readonly #settings: SessionTableSettings;
  readonly #sessions = new Map<string, LegacySession>();
  /** The places of handshakes whose session does not exist yet, and who takes them. */
  readonly #opening = new Map<symbol, string | undefined>();
  #sealed = false;
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(settings: SessionTableSettings) {
    this.#settings = settings;
  }

  /** The number of open sessions. */
  get size(): number {
    return this.#sessions.size;
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

  /** Closes the sessions that are abandoned at `now`, and says how many. */
  async closeIdle(now: number): Promise<number> {
    const abandoned = [...this.#sessions].filter(([, one]) => one.isAbandoned(now, this.#settings));
    await Promise.all(abandoned.map(([id, session]) => this.#end(id, session)));
    return abandoned.length;
  }

  /** Opens no further session, not even one whose handshake has begun. */
  seal(): void {
    this.#sealed = true;
  }

  /** Closes every session; later handshakes are refused. */
  async close(): Promise<void> {
    this.seal();
    await Promise.all([...this.#sessions].map(([id, session]) => this.#end(id, session)));
  }

  async #open(incoming: SessionRequest): Promise<Response> {
    const { body } = incoming;
    if (!hasHandshake(body)) return refuse(sessionRequired(body));
    const principal = principalOf(incoming.authInfo);
    if (this.#limitReached(principal)) await this.closeIdle(Date.now());
    // Nothing may wait between this question and the place taken, or a burst passes the limit.
    const refusal = this.#makeRoom(principal);
    if (refusal !== undefined) return refuse({ ...refusal, body });
    const place = Symbol();
    this.#opening.set(place, principal);
    try {
      const session = await LegacySession.connect(incoming, this.#sessionSettings(place));
      try {
        return this.#sealed ? refuse(handlerClosed(body)) : await session.serve(incoming);
      } finally {
        if (!session.initialized) await session.close();
      }
    } finally {
      this.#opening.delete(place);
    }
  }

  /** Makes sure there is a place for one more session of a principal, or says why there is none. */
  #makeRoom(principal: string | undefined): Refusal | undefined {
    const { maxSessions, maxSessionsPerPrincipal } = this.#settings;
    if (this.#principalFull(principal) && !this.#evict((one) => one.owner === principal)) {
      return tooManyOfPrincipal(maxSessionsPerPrincipal);
    }
    if (this.#full() && !this.#evict(() => true)) return tooMany(maxSessions);
    return undefined;
  }

  /** Ends the session unused for longest among those which are not busy; false if all are. */
  #evict(candidate: (session: LegacySession) => boolean): boolean {
    const [first, ...others] = [...this.#sessions].filter(
      ([, session]) => !session.busy && candidate(session),
    );
    if (first === undefined) return false;
    const [id, session] = others.reduce(
      (oldest, one) => (one[1].lastUsedAt < oldest[1].lastUsedAt ? one : oldest),
      first,
    );
    void this.#end(id, session);
    return true;
  }

  #limitReached(principal: string | undefined): boolean {
    return this.#full() || this.#principalFull(principal);
  }

  #full(): boolean {
    return this.#sessions.size + this.#opening.size >= this.#settings.maxSessions;
  }

  #principalFull(principal: string | undefined): boolean {
    if (principal === undefined) return false;
    const owners = [...this.#sessions.values()].map(({ owner }) => owner);
    const own = [...owners, ...this.#opening.values()].filter((owner) => owner === principal);
    return own.length >= this.#settings.maxSessionsPerPrincipal;
  }

  /** Its place is free at once, whatever its server still has to do. */
  #end(id: string, session: LegacySession): Promise<void> {
    this.#remove(id);
    return session.close();
  }

  /** They live as long as the session: they know its place, and not the request it began with. */
  #sessionSettings(place: symbol): SessionSettings {
    return {
      onopen: (id, session) => {
        this.#opening.delete(place);
        this.#sessions.set(id, session);
        this.#sweeper ??= this.#startSweeper();
      },
      onclose: (id) => {
        this.#remove(id);
      },
      ...this.#settings,
    };
  }

  #remove(id: string): void {
    this.#sessions.delete(id);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #startSweeper(): ReturnType<typeof setInterval> {
    const { sessionIdleMs, disconnectGraceMs, onerror } = this.#settings;
    const sweep = (): void => {
      this.closeIdle(Date.now()).catch(onerror);
    };
    const timer = setInterval(
      sweep,
      Math.min(sessionIdleMs, disconnectGraceMs, MAX_SWEEP_INTERVAL_MS),
    );
    unref(timer);
    return timer;
  }
}

// A sweep is no reason to keep a process running; only Node's and Bun's timers can say so.
function unref(timer: ReturnType<typeof setInterval> | number): void {
  if (typeof timer === 'object') timer.unref();
}

const MAX_SWEEP_INTERVAL_MS = 60_000;

function sessionRequired(body: unknown): Refusal {
  const message = 'Bad Request: Mcp-Session-Id header is required';
  return { status: 400, code: -32_000, message, body };
}

function tooMany(max: number): Refusal {
  const message = `Too many sessions: this server keeps at most ${max} open. Try again later.`;
  return { status: 503, code: -32_000, message };
}

function tooManyOfPrincipal(max: number): Refusal {
  const message = `Too many sessions: this server keeps at most ${max} open for one user. End one of yours first.`;
  return { status: 429, code: -32_000, message };
}
