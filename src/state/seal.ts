/**
 * The seal: keeps state from the client's hands. Outgoing state is wrapped in claims about the
 * request and sealed; incoming state is opened and every claim held against the request that brings
 * it. Whatever the cause, it fails closed: {@link InvalidRequestStateError} on the way in,
 * {@link SealError} on the way out.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import { InvalidRequestStateError } from '../errors.js';
import { isThenable, utf8 } from '../platform.js';
import { argumentsDigest } from './canonical.js';
import { readClaims, writeClaims } from './claims.js';
import type { ClaimContext, RequestBinding } from './claims.js';
import { authenticatedPrincipal } from './principal.js';
import type { CheckedSeal, Rejection } from './sealOptions.js';
import { Warnings } from './warnings.js';

/** The request whose state is opened or sealed. */
export interface StatefulRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly ctx: ServerContext;
  /** A request is opened and sealed, and its arguments are digested once. */
  binding?: Promise<RequestBinding>;
}

/** What was in a token, and for whom: the same principal seals what goes out in the same round. */
export interface OpenedState {
  readonly state: string;
  readonly principal: string | undefined;
}

/** State could not be sealed. The cause is in the log; the client learns nothing of it. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** A policy at work. */
export class Seal {
  /** Told of every rejected state, besides the policy's `onReject`; by whom they are for. */
  readonly listeners = new Map<unknown, (rejection: Rejection) => void>();
  private readonly warnings: Warnings;

  constructor(
    readonly policy: CheckedSeal,
    private readonly audience: string | undefined = policy.audience,
  ) {
    this.warnings = Warnings.of(policy.logger);
  }

  /**
   * Opens a token for a request.
   *
   * @throws {@link InvalidRequestStateError} Whatever is wrong; the reason has been logged.
   */
  async open(token: unknown, request: StatefulRequest): Promise<OpenedState> {
    try {
      if (typeof token !== 'string') throw new InvalidRequestStateError('non-string requestState');
      if (token.length > this.policy.maxTokenLength)
        throw new InvalidRequestStateError('malformed');
      const bytes = await this.unseal(token);
      const principal = await this.principalOf(request.ctx).catch(() => {
        throw new InvalidRequestStateError('principal binding error');
      });
      const state = await readClaims(bytes, await this.claimContext(request, principal));
      return { state, principal };
    } catch (error) {
      throw this.reject(error, request.method);
    }
  }

  /**
   * Seals state for the request that is being answered.
   *
   * @throws {@link SealError} If it cannot be done; the cause has been logged.
   */
  async seal(
    state: string,
    request: StatefulRequest,
    opened: OpenedState | undefined,
  ): Promise<string> {
    const { ttlSeconds, maxStateBytes, codec } = this.policy;
    try {
      const principal =
        opened === undefined ? await this.principalOf(request.ctx) : opened.principal;
      const claims = await writeClaims(
        state,
        ttlSeconds,
        await this.claimContext(request, principal),
      );
      if (claims.length > maxStateBytes)
        throw new RangeError(`the state is larger than ${maxStateBytes} bytes`);
      this.warnOfProcessKey(request.ctx);
      const token: unknown = await codec.seal(claims);
      if (typeof token !== 'string') throw new TypeError('the codec gave no text');
      if (token === '' || token.length > this.policy.maxTokenLength)
        throw new RangeError('the codec gave a token that would not be taken back');
      return token;
    } catch (error) {
      this.warnings.warn(`requestState could not be sealed on ${request.method}: ${nameOf(error)}`);
      throw new SealError('Internal error');
    }
  }

  /** Logs a rejection and reports it; gives the error to throw. */
  reject(error: unknown, method: string): InvalidRequestStateError {
    const rejection =
      error instanceof InvalidRequestStateError
        ? error
        : new InvalidRequestStateError('codec error');
    const reason = rejection.message.slice(0, LONGEST_REASON).replace(UNPRINTABLE, '?');
    const cause = rejection === error ? '' : ` (${nameOf(error)})`;
    this.warnings.warn(`requestState rejected on ${method}: ${reason}${cause}`);
    this.report({ reason, method });
    return rejection;
  }

  /** What an author's function throws here must not change the answer. */
  private report(rejection: Rejection): void {
    for (const tell of this.listeners.values()) tell(rejection);
    const failed = (error: unknown): void => {
      this.warnings.warn(`onReject failed: ${nameOf(error)}`);
    };
    try {
      const told: unknown = this.policy.onReject?.(rejection);
      if (isThenable(told)) told.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }

  /** The bytes that a state will take inside its token, near enough. */
  sizeOf(state: string, { method, params }: StatefulRequest): number {
    const target = targetOf(method, params);
    return (
      utf8(JSON.stringify(state)).length +
      utf8(`${target}${this.audience ?? ''}`).length +
      CLAIM_BYTES
    );
  }

  /** Over HTTP there may be several processes, and only this one can open what it seals. */
  private warnOfProcessKey(ctx: ServerContext): void {
    if (!this.policy.byDefault || ctx.http === undefined) return;
    this.warnings.once(
      'requestState is sealed under a key that only this process has, so a call cannot go on in another process or after a restart; for that, pass { seal: requestStateSeal({ keys, audience }) } to install()',
    );
  }

  private async unseal(token: string): Promise<Uint8Array> {
    const bytes: unknown = await this.policy.codec.unseal(token);
    if (!(bytes instanceof Uint8Array)) throw new TypeError('the codec gave no bytes');
    return bytes;
  }

  private async principalOf(ctx: ServerContext): Promise<string | undefined> {
    const { principal } = this.policy;
    const found: unknown =
      principal === undefined ? authenticatedPrincipal(ctx, this.warnings) : await principal(ctx);
    if (found !== undefined && typeof found !== 'string')
      throw new TypeError('the principal is not a text');
    return found;
  }

  private async claimContext(
    request: StatefulRequest,
    principal: string | undefined,
  ): Promise<ClaimContext> {
    request.binding ??= bindingOf(request);
    const binding = await request.binding;
    return { binding, audience: this.audience, principal, now: Date.now() / 1000 };
  }
}

const LONGEST_REASON = 40;

/** A codec's reason must not write lines of its own into the log. */
const UNPRINTABLE = /[^ -~]/g;

/** The claims besides the state, the target and the audience. */
const CLAIM_BYTES = 256;

/**
 * A resource is bound by its uri alone; the others by name and arguments as they came over the
 * wire.
 */
async function bindingOf({ method, params }: StatefulRequest): Promise<RequestBinding> {
  const args = method === 'resources/read' ? {} : params.arguments;
  return { method, target: targetOf(method, params), args: await argumentsDigest(args) };
}

/** What else the parameters carry is the client's to choose: a resource has a uri and no name. */
function targetOf(method: string, { name, uri }: Readonly<Record<string, unknown>>): string {
  const target = method === 'resources/read' ? uri : name;
  return typeof target === 'string' ? target : '';
}

/** What an error is called: its message might hold what must not be logged. */
function nameOf(error: unknown): string {
  return isObject(error) && error instanceof Error ? error.name : typeof error;
}
