/**
 * Answers the questions of a server. The client of a story declares a capability for each handler
 * that it has, and no other capability.
 */
import type {
  Client,
  ClientCapabilities,
  CreateMessageRequestParams,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from '@modelcontextprotocol/client';

/** A form, as a client receives it. */
export type Form = ElicitRequestFormParams;

/** A link, as a client receives it. */
export type Link = ElicitRequestURLParams;

type MaybePromise<T> = T | Promise<T>;

/** The handlers of a client. The last argument is the round of the call, from 1. */
export interface Handlers {
  /** The user fills in a form. */
  onForm?: (form: Form, round: number) => MaybePromise<ElicitResult>;
  /** The user opens a link. */
  onLink?: (link: Link, round: number) => MaybePromise<ElicitResult>;
  /** The client's model answers with text. */
  onSample?: (request: CreateMessageRequestParams, round: number) => MaybePromise<string>;
  /** The URIs of the folders that the client shares. */
  onRoots?: (round: number) => string[];
}

/** Returns the capabilities of a client with these handlers. */
export function capabilitiesOf({
  onForm,
  onLink,
  onSample,
  onRoots,
}: Handlers): ClientCapabilities {
  const elicitation = { ...(onForm && { form: {} }), ...(onLink && { url: {} }) };
  return {
    ...((onForm ?? onLink) && { elicitation }),
    ...(onSample && { sampling: {} }),
    ...(onRoots && { roots: {} }),
  };
}

/** Sets the handlers of a client. `count` counts a question and returns its round. */
export function setHandlers(client: Client, handlers: Handlers, count: () => number): void {
  const { onForm, onLink, onSample, onRoots } = handlers;
  if (onForm ?? onLink) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const answer = params.mode === 'url' ? onLink?.(params, count()) : onForm?.(params, count());
      return answer ?? { action: 'cancel' };
    });
  }
  if (onSample) {
    client.setRequestHandler('sampling/createMessage', async ({ params }) => {
      const text = await onSample(params, count());
      return { role: 'assistant', model: 'story-model', content: { type: 'text', text } };
    });
  }
  if (onRoots) {
    client.setRequestHandler('roots/list', () => ({
      roots: onRoots(count()).map((uri) => ({ uri })),
    }));
  }
}
