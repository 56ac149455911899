/**
 * The capability gate: all open questions pass it before any is asked, so that a client is never
 * sent half a batch. What it throws are protocol errors, for the client and not for the model.
 */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { OpenQuestion } from '../../resolve/asking.js';
import type { ClientFacts } from './era.js';

/**
 * Lets questions through that the client declared it can answer.
 *
 * @throws {ProtocolError} For the first, in walk order, that it cannot.
 */
export function assertCanAsk(
  open: readonly OpenQuestion[],
  { clientCapabilities }: ClientFacts,
): void {
  for (const { node, asked } of open) {
    if (clientCapabilities === undefined) throw noBackChannel(asked.rendered.method);
    const { name, required, isDeclaredIn } = asked.capability;
    if (isDeclaredIn(clientCapabilities)) continue;
    throw new MissingRequiredClientCapabilityError(
      { requiredCapabilities: required },
      `Client did not declare the ${name} capability required by resolver '${node.key}'`,
    );
  }
}

function noBackChannel(method: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Cannot send '${method}': this transport context has no back-channel for server-initiated requests.`,
  );
}
