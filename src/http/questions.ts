/**
 * Counts the questions a 2025 session has asked and which are not answered, and bounds them.
 *
 * A question is any request from the server to the client: for a form, a sampling, the roots. It is
 * open from the moment it is handed to the transport until its answer arrives or the server takes
 * it back, which it does when the call is cancelled or the time for the answer is over.
 */
import {
  type RequestId,
  SdkError,
  SdkErrorCode,
  type WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { answeredId, cancelledId, isRequest } from './messages.js';

/**
 * The open questions on one connected transport; one beyond `max` is not sent, and its sender is
 * told.
 */
export class OpenQuestions {
  private readonly open = new Set<RequestId>();

  constructor(
    transport: WebStandardStreamableHTTPServerTransport,
    private readonly max: number,
  ) {
    const { onmessage: deliver } = transport;
    transport.onmessage = (message, extra) => {
      this.close(answeredId(message));
      deliver?.(message, extra);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      this.close(cancelledId(message));
      if (!isRequest(message)) return send(message, options);
      this.add(message.id);
      try {
        await send(message, options);
      } catch (error) {
        this.close(message.id);
        throw error;
      }
    };
  }

  get count(): number {
    return this.open.size;
  }

  private add(id: RequestId): void {
    if (this.open.size >= this.max) throw tooMany(this.max);
    this.open.add(id);
  }

  private close(id: RequestId | undefined): void {
    if (id !== undefined) this.open.delete(id);
  }
}

function tooMany(max: number): SdkError {
  return new SdkError(
    SdkErrorCode.SendFailed,
    `Too many open questions: this session waits for ${max} answers already.`,
  );
}
