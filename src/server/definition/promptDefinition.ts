/** A defined prompt: what authors hold, and what the library keeps in it. */
import type { GetPromptResult, ServerContext } from '@modelcontextprotocol/server';
import type { KIND } from '../../define/brand.js';
import type { Schema } from '../../define/schema.js';
import type { Definition, Installable, Metadata } from './definition.js';

/** A prompt, as the library runs it. */
export interface PromptDefinition extends Definition<GetPromptResult> {
  readonly metadata: Metadata;
  /** The schema of the arguments, in its lasting form. */
  readonly argsSchema: Schema | undefined;
}

/** A defined prompt, ready to be installed. */
export interface Prompt<in Args = never> extends Installable {
  /**
   * Gets the prompt directly. Without a context there is nobody to ask; with the one that a
   * resolver or a body of this library was given, questions go to its client, where its protocol
   * allows it.
   */
  readonly get: (args: Args, ctx?: ServerContext) => Promise<GetPromptResult>;
  readonly [KIND]: 'prompt';
  readonly '~definition': PromptDefinition;
}
