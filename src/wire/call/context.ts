/**
 * Makes the context that resolvers and bodies see. The multi-round material is taken out of it: it
 * belongs to the library, and a tool called from inside another one must not find the outer one's.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Askable, CallContext } from '../../define/context.js';
import { CAPABILITIES } from '../../question/capability.js';
import type { ClientFacts } from './era.js';
import { leave, waitOn } from './stopping.js';
import type { Waiting } from './stopping.js';

/** A call, as far as its context tells it. */
interface NamedCall {
  readonly id: string;
}

const ON_DEMAND = Symbol('mcp-resolve.onDemand');

/**
 * The context of one round of a call. What is made on demand is reached over the prototype: members
 * with a getter of their own would cost each call as much as all the others together.
 */
export class RoundContext implements CallContext {
  readonly mcpReq: ServerContext['mcpReq'];
  readonly protocolVersion: string | undefined;
  readonly clientCapabilities: ClientCapabilities | undefined;
  readonly canAsk: (kind: Askable) => boolean;
  readonly [ON_DEMAND]: OnDemand;

  constructor(ctx: ServerContext, facts: ClientFacts, call: NamedCall) {
    Object.assign(this, isCopied(ctx) ? withoutCopied(ctx) : ctx);
    this.mcpReq = withoutState(withoutAnswers(ctx).mcpReq);
    this.protocolVersion = facts.protocolVersion;
    this.clientCapabilities = facts.clientCapabilities;
    this.canAsk = canAskOf(facts.clientCapabilities);
    this[ON_DEMAND] = new OnDemand(call, ctx.mcpReq.signal);
  }

  get callId(): string {
    return this[ON_DEMAND].callId;
  }

  get signal(): AbortSignal {
    return this[ON_DEMAND].signal;
  }
}

/** Tells the functions of a round that their result is no longer wanted. */
export function abort(context: RoundContext): void {
  context[ON_DEMAND].abort();
}

/** Ends a context: whatever becomes of the request, its signal is not aborted any more. */
export function release(context: RoundContext): void {
  context[ON_DEMAND].release();
}

/** What few functions look at, and what costs more than a small graph: made for the first that does. */
class OnDemand {
  // Hidden from whoever logs a context: both lead to arguments, and to what was answered.
  readonly #call: NamedCall;
  #own: Follower | undefined;
  private isAborted = false;

  constructor(
    call: NamedCall,
    private readonly request: AbortSignal,
  ) {
    this.#call = call;
  }

  get callId(): string {
    return this.#call.id;
  }

  get signal(): AbortSignal {
    if (this.#own === undefined) {
      this.#own = new Follower(this.request);
      if (this.isAborted) this.#own.abort();
    }
    return this.#own.signal;
  }

  abort(): void {
    this.isAborted = true;
    this.#own?.abort();
  }

  release(): void {
    if (this.#own !== undefined) leave(this.#own);
  }
}

const noState = (): undefined => undefined;

/** The same request without the state that travels with it; most have none, and are not copied. */
function withoutState(mcpReq: ServerContext['mcpReq']): ServerContext['mcpReq'] {
  const { requestState } = mcpReq as Partial<typeof mcpReq>;
  const hasNone = requestState !== undefined && mcpReq.requestState() === undefined;
  return hasNone ? mcpReq : { ...mcpReq, requestState: noState };
}

/** Whether it was put together from the context of another call: that one's members stay behind. */
function isCopied(ctx: ServerContext): boolean {
  if (!('signal' in ctx) && !('callId' in ctx)) return false;
  return Object.hasOwn(ctx, 'signal') || Object.hasOwn(ctx, 'callId');
}

function withoutCopied(ctx: ServerContext): ServerContext {
  const { signal: _, callId: __, ...others } = ctx as CallContext;
  return others;
}

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

/** A signal that is aborted with another one, or alone. */
class Follower implements Waiting {
  before: Waiting = this;
  after: Waiting = this;
  ring: Waiting['ring'] = undefined;
  private readonly own = new AbortController();

  constructor(private readonly leader: AbortSignal) {
    waitOn(leader, this);
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  stop(): void {
    this.own.abort(this.leader.reason);
  }

  abort(): void {
    leave(this);
    this.own.abort();
  }
}

function canAskOf(declared: ClientCapabilities = {}): (kind: Askable) => boolean {
  return (kind) => {
    if (Object.hasOwn(CAPABILITIES, kind)) return CAPABILITIES[kind].isDeclaredIn(declared);
    throw new TypeError("canAsk() takes 'form', 'url', 'sample' or 'roots'.");
  };
}
