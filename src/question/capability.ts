/** The capabilities that a client must declare for each kind of question. */
import type { ClientCapabilities } from '@modelcontextprotocol/server';

/** A capability of a client. */
export interface Capability {
  /** The name for messages. */
  readonly name: string;
  /** The capabilities in the error that the client receives. */
  readonly required: ClientCapabilities;
  readonly isDeclaredIn: (declared: ClientCapabilities) => boolean;
}

/** The capabilities by kind of question. Sampling with tools has its own. */
export const CAPABILITIES = {
  form: {
    name: 'form elicitation',
    required: { elicitation: { form: {} } },
    // A bare `elicitation: {}` means forms; `url` alone does not.
    isDeclaredIn: ({ elicitation }) =>
      elicitation !== undefined &&
      (elicitation.form !== undefined || elicitation.url === undefined),
  },
  url: {
    name: 'url elicitation',
    required: { elicitation: { url: {} } },
    isDeclaredIn: ({ elicitation }) => elicitation?.url !== undefined,
  },
  sample: {
    name: 'sampling',
    required: { sampling: {} },
    isDeclaredIn: ({ sampling }) => sampling !== undefined,
  },
  sampleWithTools: {
    name: 'sampling.tools',
    required: { sampling: { tools: {} } },
    isDeclaredIn: ({ sampling }) => sampling?.tools !== undefined,
  },
  roots: {
    name: 'roots',
    required: { roots: {} },
    isDeclaredIn: ({ roots }) => roots !== undefined,
  },
} satisfies Record<string, Capability>;
