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

/** A live count of the open questions on one transport. */
export interface OpenQuestions {
  readonly count: number;
}

/** Watches a connected transport; a question beyond `max` is not sent, and its sender is told. */
export function watchQuestions(
  transport: WebStandardStreamableHTTPServerTransport,
  max: number,
): OpenQuestions {
  const open = new Set<RequestId>();

  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const answered = answeredId(message);
    if (answered !== undefined) open.delete(answered);
    deliver?.(message, extra);
  };

  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const takenBack = cancelledId(message);
    if (takenBack !== undefined) open.delete(takenBack);
    if (!isRequest(message)) return send(message, options);
    if (open.size >= max) throw tooMany(max);
    open.add(message.id);
    try {
      await send(message, options);
    } catch (error) {
      open.delete(message.id);
      throw error;
    }
  };

  return {
    get count() {
      return open.size;
    },
  };
}

function tooMany(max: number): SdkError {
  return new SdkError(
    SdkErrorCode.SendFailed,
    `Too many open questions: this session waits for ${max} answers already.`,
  );
}
