/** What the suite wants asked in the middle of a call, and the forms whose fields it looks at. */
import { argsOf, defineTool, elicit, type Outcome, outcome, resolver, sample } from 'mcp-resolve';
import * as z from 'zod';

import { question, textOf } from './content.js';

const Prompted = z.object({ prompt: z.string() });
const Told = z.object({ message: z.string() });

const answer = resolver(
  { prompt: argsOf(Prompted).prompt },
  ({ prompt }) => sample(question(prompt, 100)),
  { asks: 'sample' },
);

const sampling = defineTool(
  'test_sampling',
  { description: "Asks the client's model.", inputSchema: Prompted, resolve: { answer } },
  ({ answer }) => `LLM response: ${textOf(answer)}`,
);

const Person = z.object({
  username: z.string().describe("User's response"),
  email: z.string().describe("User's email address"),
});
const person = resolver(
  { message: argsOf(Told).message },
  ({ message }) => elicit(message, Person),
  { asks: 'form' },
);

const elicitation = defineTool(
  'test_elicitation',
  {
    description: 'Asks the person.',
    inputSchema: Told,
    resolve: { person: outcome(person) },
  },
  ({ person }) => `User response: ${outcomeText(person)}`,
);

const Defaults = z.object({
  name: z.string().default('John Doe'),
  age: z.int().default(30),
  score: z.number().default(95.5),
  status: z.enum(['active', 'inactive', 'pending']).default('active'),
  verified: z.boolean().default(true),
});
const defaults = resolver({}, () => elicit('Please check these values', Defaults), {
  asks: 'form',
});

const formWithDefaults = defineTool(
  'test_elicitation_sep1034_defaults',
  {
    description: 'Asks with a form that is filled in already.',
    resolve: { form: outcome(defaults) },
  },
  ({ form }) => `Elicitation completed: ${outcomeText(form)}`,
);

const titled = (value: string, title: string) => z.literal(value).meta({ title });

const Choices = z.object({
  untitledSingle: z.enum(['option1', 'option2', 'option3']),
  titledSingle: z.union([
    titled('value1', 'First Option'),
    titled('value2', 'Second Option'),
    titled('value3', 'Third Option'),
  ]),
  legacyEnum: z
    .enum(['opt1', 'opt2', 'opt3'])
    .meta({ enumNames: ['Option One', 'Option Two', 'Option Three'] }),
  untitledMulti: z.array(z.enum(['option1', 'option2', 'option3'])),
  titledMulti: z.array(
    z.union([
      titled('value1', 'First Choice'),
      titled('value2', 'Second Choice'),
      titled('value3', 'Third Choice'),
    ]),
  ),
});
const choices = resolver({}, () => elicit('Please choose', Choices), { asks: 'form' });

const formWithChoices = defineTool(
  'test_elicitation_sep1330_enums',
  { description: 'Asks with every kind of choice.', resolve: { form: outcome(choices) } },
  ({ form }) => `Elicitation completed: ${outcomeText(form)}`,
);

function outcomeText(of: Outcome<unknown>): string {
  const content = of.action === 'accept' ? `, content=${JSON.stringify(of.data)}` : '';
  return `action=${of.action}${content}`;
}

export const forms = [sampling, elicitation, formWithDefaults, formWithChoices];
