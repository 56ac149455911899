/**
 * Who is behind the client of a story. What somebody is there to answer is what the client declares
 * that it can be asked; a client with nobody behind it declares nothing.
 */
import type {
  Client,
  ClientCapabilities,
  CreateMessageRequestParams,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from '@modelcontextprotocol/client';

/** A form as a client gets it. */
export type Form = ElicitRequestFormParams;

/** A link as a client gets it. */
export type Link = ElicitRequestURLParams;

type MaybePromise<T> = T | Promise<T>;

/** Those who answer. Rounds of a call are counted from 1. */
export interface Behind {
  /** A person who fills in forms. */
  person?: (form: Form, round: number) => MaybePromise<ElicitResult>;
  /** A person who opens links, or does not. */
  opens?: (link: Link, round: number) => MaybePromise<ElicitResult>;
  /** A model, which answers in text. */
  model?: (request: CreateMessageRequestParams, round: number) => MaybePromise<string>;
  /** The folders that the client works in, as URIs. */
  roots?: (round: number) => string[];
}

/** What a client with these people behind it declares. */
export function capabilitiesOf({ person, opens, model, roots }: Behind): ClientCapabilities {
  const elicitation = { ...(person && { form: {} }), ...(opens && { url: {} }) };
  return {
    ...((person ?? opens) && { elicitation }),
    ...(model && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** Has a client's questions answered; `asked` counts them, and tells the round. */
export function letAnswer(client: Client, behind: Behind, asked: () => number): void {
  const { person, opens, model, roots } = behind;
  if (person ?? opens) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const answer = params.mode === 'url' ? opens?.(params, asked()) : person?.(params, asked());
      return answer ?? { action: 'cancel' };
    });
  }
  if (model) {
    client.setRequestHandler('sampling/createMessage', async ({ params }) => {
      const text = await model(params, asked());
      return { role: 'assistant', model: 'story-model', content: { type: 'text', text } };
    });
  }
  if (roots) {
    client.setRequestHandler('roots/list', () => ({
      roots: roots(asked()).map((uri) => ({ uri })),
    }));
  }
}
