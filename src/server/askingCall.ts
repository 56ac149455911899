/**
 * Lets only one call ask in each request. The answers and the state of a request belong to one
 * call, so a second definition that a handler calls in the same request must neither ask nor go on
 * with the call of the first.
 *
 * The signal identifies the request, because hosts copy contexts but pass on the signal.
 */
import type { ServerContext } from '@modelcontextprotocol/server';

/** The call that asks in a request. */
interface AskingCall {
  readonly call: object;
  /** The state that it returned. For a 2025 client, the SDK brings it back in the same request. */
  sent?: string;
}

const ASKING_CALL = Symbol.for('mcp-resolve.askingCall');

type RequestSignal = AbortSignal & { [ASKING_CALL]?: AskingCall };

/** Returns the call that asks in the request of a context, or `undefined` if there is none. */
export function askingCallIn({ mcpReq }: ServerContext): AskingCall | undefined {
  return (mcpReq.signal as RequestSignal)[ASKING_CALL];
}

/** Makes a call the one that asks in its request. */
export function setAskingCall({ mcpReq }: ServerContext, call: object): AskingCall {
  const value: AskingCall = { call };
  Object.defineProperty(mcpReq.signal, ASKING_CALL, { value, configurable: true });
  return value;
}
