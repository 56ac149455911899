/** What can be installed, and how the kinds are told apart. */
import { kindOf } from '../../define/brand.js';
import { InvalidGraphError } from '../../errors.js';
import type { Prompt, PromptDefinition } from './promptDefinition.js';
import type { Resource, ResourceDefinition } from './resourceDefinition.js';
import type { Tool, ToolDefinition } from './toolDefinition.js';

/** What can be installed. */
export type AnyDefinition = Tool | Prompt | Resource;

/** The same, by kind. */
export type Installed =
  | { readonly kind: 'tool'; readonly definition: ToolDefinition }
  | { readonly kind: 'prompt'; readonly definition: PromptDefinition }
  | { readonly kind: 'resource'; readonly definition: ResourceDefinition };

/** @throws {@link InvalidGraphError} If it is not a list of definitions. */
export function readDefinitions(definitions: readonly AnyDefinition[]): readonly Installed[] {
  if (!Array.isArray(definitions)) {
    throw invalid('the second argument is a list of definitions: install(server, [refundOrder]).');
  }
  const all: Installed[] = [];
  // Counted, because map() would pass over what is missing from a list.
  for (let index = 0; index < definitions.length; index += 1) {
    const installed = read(definitions[index] as AnyDefinition | undefined);
    if (installed === undefined) {
      throw invalid(
        `entry ${index} of the list is not a definition; make one with defineTool(name, config, body).`,
      );
    }
    all.push(installed);
  }
  return all;
}

function read(given: AnyDefinition | undefined): Installed | undefined {
  switch (kindOf(given)) {
    case 'tool':
      return { kind: 'tool', definition: (given as Tool)['~definition'] };
    case 'prompt':
      return { kind: 'prompt', definition: (given as Prompt)['~definition'] };
    case 'resource':
      return { kind: 'resource', definition: (given as Resource)['~definition'] };
    default:
      return undefined;
  }
}

function invalid(problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `install(): ${problem}`);
}
