/**
 * The table of legacy sessions. It finds the session of a request and limits the number of
 * sessions.
 *
 * In: legacy HTTP requests. An `initialize` without a session id opens a session; every other
 * request must name one. A request for another principal's session gets the same answer as one for
 * a missing session, so a client cannot probe for ids. A session ends by DELETE, when it is
 * abandoned, by `close()`, or to make room. A full table ends the least recently used session that
 * is not busy. One user has at most a quarter of the sessions, and of the handshakes in progress.
 */
import { isInitializeRequest } from '@modelcontextprotocol/server';

import { refusalOfClosed, noRoom, refuse } from './httpRefusal.js';
import type { HttpRefusal } from './httpRefusal.js';
import { LegacySession, sizeOf } from './legacySession.js';
import type { IdleLimits, ParsedRequest, SessionSettings } from './legacySession.js';
import { quarterOf, SharedLimit } from './sharedLimit.js';

export interface SessionTableSettings
  extends Omit<SessionSettings, 'onopen' | 'onclose' | 'totalBytes'>, IdleLimits {
  maxTotalSessionBytes: number;
  maxSessions: number;
  /** The limit for each authenticated principal, if it is less than a quarter of `maxSessions`. */
  maxSessionsPerPrincipal: number;
}

/** Serves legacy requests, each in its session. */
export class SessionTable {
  private readonly sessions = new Map<string, LegacySession>();
  /** Counts the handshakes in progress, also those whose server is being built. */
  private readonly opening: SharedLimit;
  /** The sessions in a handshake, which have no id yet. They count as sessions. */
  private readonly handshakes = new Set<LegacySession>();
  private readonly totalBytes: SharedLimit;
  private isClosing = false;
  private idleTimer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly settings: SessionTableSettings) {
    this.opening = new SharedLimit(settings.maxSessions);
    this.totalBytes = new SharedLimit(settings.maxTotalSessionBytes);
  }

  get size(): number {
    return this.sessions.size;
  }

  async serve(incoming: ParsedRequest): Promise<Response> {
    const id = incoming.request.headers.get('mcp-session-id');
    if (!id) return this.open(incoming);
    const session = this.sessions.get(id);
    if (session === undefined || !(await session.isOwnedBy(incoming))) {
      return refuse(sessionNotFound);
    }
    return session.serve(incoming);
  }

  /** Closes the sessions that are abandoned at `now`, and returns their number. */
  async closeIdle(now: number): Promise<number> {
    const abandoned = [...this.sessions].filter(([, session]) =>
      session.isAbandoned(now, this.settings),
    );
    await Promise.all(abandoned.map(([id, session]) => this.end(id, session)));
    return abandoned.length;
  }

  /** Prevents new sessions, even those whose handshake has begun. */
  stopOpening(): void {
    this.isClosing = true;
  }

  /** Closes every session and refuses later handshakes. */
  async close(): Promise<void> {
    this.stopOpening();
    await Promise.all([...this.sessions].map(([id, session]) => this.end(id, session)));
  }

  private async open(incoming: ParsedRequest): Promise<Response> {
    const { body } = incoming;
    if (![body].flat().some((message) => isInitializeRequest(message))) {
      return refuse(sessionRequired(body));
    }
    // The session keeps what the client says of itself.
    if (sizeOf(incoming) > MAX_INITIALIZE_BYTES) return refuse({ ...longInitialize, body });
    const { maxSessions } = this.settings;
    const share = this.opening.shareOf(incoming.user);
    const full = share.hold(1);
    if (full === 'own') return refuse({ ...tooManyOfUser(quarterOf(maxSessions)), body });
    if (full === 'whole') return refuse({ ...tooMany(maxSessions), body });
    try {
      return await this.build(incoming);
    } finally {
      share.release(1);
    }
  }

  /** Builds the server of a new session and answers its handshake. */
  private async build(incoming: ParsedRequest): Promise<Response> {
    const session = await LegacySession.connect(incoming, this.sessionSettings());
    try {
      return await this.shakeHands(incoming, session);
    } finally {
      if (!session.initialized) await session.close();
    }
  }

  private async shakeHands(incoming: ParsedRequest, session: LegacySession): Promise<Response> {
    const { owner } = session;
    const { body } = incoming;
    if (this.isFull() || this.isFullFor(owner)) await this.closeIdle(Date.now());
    // Do not await between these checks and the entry. Otherwise a burst of handshakes exceeds the
    // limit.
    const refusal = this.isClosing ? refusalOfClosed() : this.makeRoom(owner);
    if (refusal !== undefined) return refuse({ ...refusal, body });
    this.handshakes.add(session);
    try {
      return await session.serve(incoming);
    } finally {
      this.handshakes.delete(session);
    }
  }

  /** Makes room for one more session of a principal, or returns the refusal if all are busy. */
  private makeRoom(principal: string | undefined): HttpRefusal | undefined {
    if (this.isFullFor(principal) && !this.evict(({ owner }) => owner === principal)) {
      return tooManyOfUser(this.limitFor(principal));
    }
    if (this.isFull() && !this.evict(() => true)) return tooMany(this.settings.maxSessions);
    return undefined;
  }

  /** Returns the number of sessions that a principal may have, or all anonymous clients together. */
  private limitFor(principal: string | undefined): number {
    const { maxSessions, maxSessionsPerPrincipal } = this.settings;
    const quarter = quarterOf(maxSessions);
    return principal === undefined ? quarter : Math.min(quarter, maxSessionsPerPrincipal);
  }

  /** Ends the least recently used candidate that is not busy. Returns false if all are busy. */
  private evict(isCandidate: (session: LegacySession) => boolean): boolean {
    const [oldest] = [...this.sessions]
      .filter(([, session]) => !session.busy && isCandidate(session))
      .sort(([, one], [, other]) => one.lastUsedAt - other.lastUsedAt);
    if (oldest === undefined) return false;
    void this.end(...oldest);
    return true;
  }

  private isFull(): boolean {
    return this.sessions.size + this.handshakes.size >= this.settings.maxSessions;
  }

  private isFullFor(principal: string | undefined): boolean {
    const all = [...this.sessions.values(), ...this.handshakes];
    const own = all.filter(({ owner }) => owner === principal);
    return own.length >= this.limitFor(principal);
  }

  /**
   * Returns the settings of a new session. They live as long as the session, so they hold no
   * reference to the request that opened it.
   */
  private sessionSettings(): SessionSettings {
    return {
      ...this.settings,
      totalBytes: this.totalBytes,
      onopen: (id, session) => {
        this.handshakes.delete(session);
        this.sessions.set(id, session);
        this.idleTimer ??= this.startIdleTimer();
      },
      onclose: (id) => {
        this.remove(id);
      },
    };
  }

  /** Ends a session. Its entry is removed at once, even if its server takes time to close. */
  private end(id: string, session: LegacySession): Promise<void> {
    this.remove(id);
    return session.close();
  }

  private remove(id: string): void {
    this.sessions.delete(id);
    if (this.sessions.size > 0) return;
    clearInterval(this.idleTimer);
    this.idleTimer = undefined;
  }

  private startIdleTimer(): ReturnType<typeof setInterval> {
    const { sessionIdleMs, disconnectGraceMs, onerror } = this.settings;
    const timer = setInterval(
      () => {
        this.closeIdle(Date.now()).catch(onerror);
      },
      Math.min(sessionIdleMs, disconnectGraceMs, MAX_IDLE_INTERVAL_MS),
    );
    unref(timer);
    return timer;
  }
}

// The timer must not keep a process running. Only Node and Bun have `unref`.
function unref(timer: ReturnType<typeof setInterval> | number): void {
  if (typeof timer === 'object') timer.unref();
}

const MAX_IDLE_INTERVAL_MS = 60_000;

/** The maximum size of an `initialize`. Those of known clients have less than 2 KiB. */
const MAX_INITIALIZE_BYTES = 65_536;

const longInitialize: HttpRefusal = {
  status: 413,
  code: -32_000,
  message: `Payload Too Large: An initialize request must not exceed ${MAX_INITIALIZE_BYTES} bytes`,
};

/** The refusal of an unknown session and, word for word, of a session of another principal. */
const sessionNotFound: HttpRefusal = {
  status: 404,
  code: -32_001,
  message: 'Session not found',
};

function sessionRequired(body: unknown): HttpRefusal {
  const message = 'Bad Request: Mcp-Session-Id header is required';
  return { status: 400, code: -32_000, message, body };
}

function tooMany(max: number): HttpRefusal {
  const message = `Too many sessions: this server allows at most ${max}. Try again later.`;
  return noRoom('whole', { message });
}

function tooManyOfUser(max: number): HttpRefusal {
  const message = `Too many sessions: this server allows at most ${max} per user. End one of your sessions first.`;
  return noRoom('own', { message });
}
