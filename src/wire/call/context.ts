/**
 * Makes the context that resolvers and bodies see. The multi-round material is taken out of it: it
 * belongs to the library, and a tool called from inside another one must not find the outer one's.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Askable, CallContext } from '../../define/context.js';
import { CAPABILITIES } from '../../question/capability.js';
import type { ClientFacts } from './era.js';

/**
 * The context of one round of a call. Few functions look at the signal or at the id, and either
 * costs more than a small graph, so they are made for the first that does.
 */
export class RoundContext implements CallContext {
  declare readonly mcpReq: ServerContext['mcpReq'];
  readonly protocolVersion: string | undefined;
  readonly clientCapabilities: ClientCapabilities | undefined;
  readonly canAsk: (kind: Askable) => boolean;
  readonly #call: { readonly id: string };
  readonly #request: AbortSignal;
  #own: AbortController | undefined;
  #aborted = false;

  constructor(ctx: ServerContext, facts: ClientFacts, call: { readonly id: string }) {
    Object.assign(this, ctx);
    this.mcpReq = { ...withoutAnswers(ctx).mcpReq, requestState: nothing };
    this.protocolVersion = facts.protocolVersion;
    this.clientCapabilities = facts.clientCapabilities;
    this.canAsk = (kind) => canAsk(kind, facts.clientCapabilities ?? {});
    this.#call = call;
    this.#request = ctx.mcpReq.signal;
  }

  get callId(): string {
    return this.#call.id;
  }

  get signal(): AbortSignal {
    if (this.#own === undefined) {
      this.#own = new AbortController();
      followAbort(this.#request, this.#own);
      if (this.#aborted) this.#own.abort();
    }
    return this.#own.signal;
  }

  /** Tells the functions of a round that their result is no longer wanted. */
  static abort(context: RoundContext): void {
    context.#aborted = true;
    context.#own?.abort();
  }
}

const nothing = (): undefined => undefined;

/**
 * The same context without the answers of a client: for whom they are not meant, or where they are
 * forged.
 */
export function withoutAnswers(ctx: ServerContext): ServerContext {
  // Leaving members out is slow, and most requests have none of them.
  if (!('inputResponses' in ctx.mcpReq) && !('droppedInputResponseKeys' in ctx.mcpReq)) return ctx;
  const { inputResponses: _, droppedInputResponseKeys: __, ...mcpReq } = ctx.mcpReq;
  return { ...ctx, mcpReq };
}

function followAbort(leader: AbortSignal, follower: AbortController): void {
  const abort = (): void => {
    follower.abort(leader.reason);
  };
  if (leader.aborted) abort();
  else leader.addEventListener('abort', abort, { once: true });
}

function canAsk(kind: Askable, declared: ClientCapabilities): boolean {
  if (Object.hasOwn(CAPABILITIES, kind)) return CAPABILITIES[kind].isDeclaredIn(declared);
  throw new TypeError("canAsk() takes 'form', 'url', 'sample' or 'roots'.");
}
