/**
 * The seal protects state that the client carries. It adds claims about the request to outgoing
 * state and seals it. It opens incoming state and checks every claim against the request. It fails
 * closed: {@link InvalidRequestStateError} for incoming state, {@link SealError} for outgoing state.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError } from '../errors.js';
import { isServerless, utf8 } from '../platform.js';
import { isThenable } from '../values.js';
import { argumentsDigest, copyOf } from './canonical.js';
import { readClaims, writeClaims } from './claims.js';
import type { AuthoredState, ClaimContext, ReadState, RequestBinding } from './claims.js';
import { KEYS_VARIABLE } from './keyRing.js';
import { authenticatedPrincipal } from './principal.js';
import type { CheckedSeal, PrincipalContext, Rejection } from './sealOptions.js';
import { markLogged, oneLine, shownError, STANDARD_ERROR, Warnings } from '../log.js';
import type { Logger } from '../log.js';

/** A request whose state is opened or sealed. */
export interface StatefulRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly ctx: ServerContext;
  /** The arguments before the author's code, which can change them. */
  argsBefore?: unknown;
  /** The binding, computed once, because a request may be both opened and sealed. */
  binding?: Promise<RequestBinding>;
}

/**
 * The content of a token. State that goes out in the same round is sealed for the same principal.
 */
export interface OpenedState extends ReadState {
  readonly principal: string | undefined;
}

/** The service that a request is for, and its user. */
export interface Caller {
  readonly audience: string | undefined;
  readonly principal: string | undefined;
}

/** A failure to seal state. The log has the cause, and the client does not see it. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** The part of a seal that depends on its server. */
interface SealSettingsOfServer {
  readonly audience?: string | undefined;
  readonly logger?: Logger;
  /** Throws if the server cannot be used with the keys of the policy. */
  readonly assertUsable?: () => void;
}

/** Seals and opens state according to a policy. */
export class Seal {
  /** Listeners for rejected states, by owner. They are called in addition to `onReject`. */
  readonly listeners = new Map<unknown, (rejection: Rejection) => void>();

  constructor(
    readonly policy: CheckedSeal,
    private readonly settings: SealSettingsOfServer = {},
  ) {}

  private get logger(): Logger {
    return this.policy.logger ?? this.settings.logger ?? STANDARD_ERROR;
  }

  private get warnings(): Warnings {
    return Warnings.of(this.logger);
  }

  private get audience(): string | undefined {
    return this.settings.audience ?? this.policy.audience;
  }

  /**
   * Opens a token for a request.
   *
   * @throws {@link InvalidRequestStateError} For any failure. The reason has been logged.
   */
  async open(token: unknown, request: StatefulRequest): Promise<OpenedState> {
    try {
      if (typeof token !== 'string') throw new InvalidRequestStateError('non-string requestState');
      if (token.length > this.policy.maxTokenLength)
        throw new InvalidRequestStateError('malformed');
      const bytes = await this.unseal(token);
      const principal = await this.principalOf(request.ctx).catch((cause: unknown) => {
        throw Object.assign(new InvalidRequestStateError('principal binding error'), { cause });
      });
      const read = await readClaims(bytes, await this.claimContext(request, principal));
      return { ...read, principal };
    } catch (error) {
      throw this.reject(error, request.method, typeof token === 'string' ? token : '');
    }
  }

  /**
   * Seals state for the current request.
   *
   * @throws {@link SealError} If sealing fails. Its `cause` has been logged.
   */
  async seal(
    state: AuthoredState,
    request: StatefulRequest,
    opened: OpenedState | undefined,
  ): Promise<string> {
    const { ttlSeconds, maxStateBytes, codec } = this.policy;
    let claims: Uint8Array = new Uint8Array();
    try {
      // Before there are claims, so that the log can name the tool.
      this.settings.assertUsable?.();
      const principal =
        opened === undefined ? await this.principalOf(request.ctx) : opened.principal;
      const context = await this.claimContext(request, principal);
      const written = await writeClaims(state, ttlSeconds, context);
      if (written.length > maxStateBytes)
        throw new RangeError(`The state is larger than ${maxStateBytes} bytes.`);
      claims = written;
      const token: unknown = await codec.seal(claims);
      if (typeof token !== 'string') throw new TypeError('`codec.seal` must return a string.');
      if (token === '' || token.length > this.policy.maxTokenLength)
        throw new RangeError(
          '`codec.seal` must return a token that is neither empty nor too long.',
        );
      if (principal === undefined && this.mustHavePrincipal(request.ctx))
        this.warnOfAnonymousCall();
      this.warnOfProcessKey(request.ctx);
      return token;
    } catch (cause) {
      const shown = shownError(cause, new TextDecoder().decode(claims));
      this.warnings.warn(`requestState could not be sealed on ${request.method}: ${shown}`);
      throw new SealError('Internal error', { cause });
    }
  }

  /**
   * Logs and reports a rejection, and returns the error to throw. The log line leaves out what the
   * error of a codec quotes from the token.
   */
  reject(error: unknown, method: string, token = ''): InvalidRequestStateError {
    const rejection =
      error instanceof InvalidRequestStateError
        ? error
        : Object.assign(new InvalidRequestStateError('codec error'), { cause: error });
    // `onReject` may write a log of its own.
    const reason = oneLine(rejection.message.slice(0, LONGEST_REASON));
    const { cause } = rejection;
    const details = cause === undefined ? '' : ` (${shownError(cause, token)})`;
    const remedy =
      this.policy.byDefault && reason === 'unknown key'
        ? `. Each process has a default key of its own. To share keys, ${SHARE_KEYS}`
        : '';
    this.warnings.warn(`requestState rejected on ${method}: ${reason}${details}${remedy}`);
    this.report({ reason, method });
    return rejection;
  }

  /** Calls the listeners. An error thrown by `onReject` must not change the response. */
  private report(rejection: Rejection): void {
    for (const tell of this.listeners.values()) tell(rejection);
    const failed = (error: unknown): void => {
      this.warnings.warn(`\`onReject\` failed: ${shownError(error)}`);
    };
    try {
      const told: unknown = this.policy.onReject?.(rejection);
      if (isThenable(told)) told.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Returns the approximate number of bytes that a state takes inside its token. */
  sizeOf(state: string, { method, params }: StatefulRequest): number {
    const parts = [state, targetOf(method, params), this.audience];
    return utf8(JSON.stringify(parts)).length + CLAIM_BYTES;
  }

  /** Warns over HTTP, where other processes may exist but only this one can open its tokens. */
  private warnOfProcessKey(ctx: ServerContext): void {
    if (!this.policy.byDefault || ctx.http === undefined) return;
    this.warnings.once(
      `requestState is sealed with a key that only this process has, so a call cannot continue in another process or after a restart. To allow that, ${SHARE_KEYS}${isServerless() ? CREATE_KEY : ''}`,
    );
  }

  /** Warns if a legacy call asks over HTTP and its request has no principal. */
  async warnIfAnonymous(ctx: PrincipalContext): Promise<void> {
    if (!this.mustHavePrincipal(ctx)) return;
    const principal = await this.principalOf(ctx).catch(() => '');
    if (principal === undefined) this.warnOfAnonymousCall();
  }

  /**
   * Returns true for HTTP requests of a service with shared keys, which usually has several users.
   */
  private mustHavePrincipal({ http }: PrincipalContext): boolean {
    return this.policy.shared && http !== undefined;
  }

  private warnOfAnonymousCall(): void {
    this.warnings.once(
      'A call that asks arrived over HTTP without a principal, so any client that holds its token or its session can finish it. Pass `authenticate` to serveHttp() or createDualEraHandler(), set `req.auth` in the middleware of a framework, pass `http.authInfo` to a handler of toolHandler(), or `principal` to requestStateSeal().',
    );
  }

  private async unseal(token: string): Promise<Uint8Array> {
    const bytes: unknown = await this.policy.codec.unseal(token);
    if (!(bytes instanceof Uint8Array))
      throw new TypeError('`codec.unseal` must return a Uint8Array.');
    return bytes;
  }

  /**
   * Returns the principal of a request to a legacy session, which holds no state.
   *
   * @throws {@link SealError} If `principal` fails. Its `cause` has been logged.
   */
  async sessionPrincipal(ctx: PrincipalContext): Promise<string | undefined> {
    try {
      return await this.principalOf(ctx);
    } catch (cause) {
      this.warnings.warn(`\`principal\` failed for a legacy session: ${shownError(cause)}`);
      throw markLogged(new SealError('Internal error', { cause }));
    }
  }

  /** Returns the audience of a request and its principal, for state that stays on the server. */
  async callerOf(ctx: PrincipalContext): Promise<Caller> {
    return { audience: this.audience, principal: await this.principalOf(ctx) };
  }

  private async principalOf(ctx: PrincipalContext): Promise<string | undefined> {
    const { principal } = this.policy;
    const found: unknown =
      principal === undefined ? authenticatedPrincipal(ctx, this.logger) : await principal(ctx);
    if (found !== undefined && typeof found !== 'string')
      throw new TypeError('`principal` must return a string or undefined.');
    return found;
  }

  /** Binds state to the arguments of a request, as they were before the author's code. */
  bind(request: StatefulRequest): Promise<RequestBinding> {
    if (request.binding === undefined) {
      request.binding = bindingOf(request);
      // An error is of interest only if the request sends or receives state.
      request.binding.catch(() => undefined);
    }
    return request.binding;
  }

  private async claimContext(
    request: StatefulRequest,
    principal: string | undefined,
  ): Promise<ClaimContext> {
    const binding = await this.bind(request);
    return { binding, audience: this.audience, principal, now: Date.now() / 1000 };
  }
}

const SHARE_KEYS = `set the environment variable ${KEYS_VARIABLE}, or pass { seal: requestStateSeal({ keys, audience }) } to install() or toolHandler(). A tool with \`once\` then needs a store that all processes share.`;

const CREATE_KEY =
  ' This host may serve the next round of a call from another process. Create a key with: npx mcp-resolve key';

const LONGEST_REASON = 40;

/** The approximate size of the claims without the state, the target and the audience. */
const CLAIM_BYTES = 256;

/**
 * Keeps the arguments of a request for its binding, and for a task. Call it before the author's
 * code. A digest would do for the binding, but most calls do not ask and need none.
 */
export function keepArguments(request: StatefulRequest): void {
  request.argsBefore ??= copyOf(request.params.arguments);
}

/**
 * Returns the binding of a request. A resource is bound by its URI alone. Tools and prompts are
 * bound by name and by the arguments as sent by the client.
 */
async function bindingOf({
  method,
  params,
  argsBefore = params.arguments,
}: StatefulRequest): Promise<RequestBinding> {
  const args = method === 'resources/read' ? {} : argsBefore;
  return { method, target: targetOf(method, params), args: await argumentsDigest(args) };
}

/** Returns the URI of a resource, or the name of a tool or prompt. Other parameters are ignored. */
function targetOf(method: string, { name, uri }: Readonly<Record<string, unknown>>): string {
  const target = method === 'resources/read' ? uri : name;
  return typeof target === 'string' ? target : '';
}
