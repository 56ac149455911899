/**
 * What the suite wants asked over several rounds. The names of resolvers are the keys that it looks
 * for; the state that it wants to see travel, sealed and different in every round, is the
 * library's.
 */
import { definePrompt, defineTool, elicit, listRoots, resolver, sample } from 'mcp-resolve';
import * as z from 'zod';

import { question, textOf } from './content.js';

const Name = z.object({ name: z.string() });
const Ok = z.object({ ok: z.boolean() });

const userName = resolver({}, () => elicit('What is your name?', Name), {
  asks: 'form',
  name: 'user_name',
});
const capital = resolver({}, () => sample(question('What is the capital of France?', 100)), {
  asks: 'sample',
  name: 'capital_question',
});
const clientRoots = resolver({}, () => listRoots(), { asks: 'roots', name: 'client_roots' });
const greeting = resolver({}, () => sample(question('Generate a greeting', 50)), {
  asks: 'sample',
  name: 'greeting',
});
const agreement = resolver({}, () => elicit('Please confirm', Ok), {
  asks: 'form',
  name: 'confirm',
});

const elicitation = defineTool(
  'test_input_required_result_elicitation',
  { description: 'Asks for a name.', resolve: { user: userName } },
  ({ user }) => `Hello, ${user.name}!`,
);

const sampling = defineTool(
  'test_input_required_result_sampling',
  { description: "Asks the client's model.", resolve: { answer: capital } },
  ({ answer }) => textOf(answer),
);

const roots = defineTool(
  'test_input_required_result_list_roots',
  { description: "Asks for the client's roots.", resolve: { found: clientRoots } },
  ({ found }) => `Roots: ${found.roots.map(({ uri }) => uri).join(', ')}`,
);

// The body runs only if the state that came back was the one that went out.
const requestState = defineTool(
  'test_input_required_result_request_state',
  { description: 'Needs the state of its first round.', resolve: { agreement } },
  ({ agreement }) => (agreement.ok ? 'state-ok' : 'state-ok, and not agreed'),
);

const tamperedState = defineTool(
  'test_input_required_result_tampered_state',
  { description: 'Refuses a state that was changed.', resolve: { agreement } },
  ({ agreement }) => (agreement.ok ? 'agreed' : 'not agreed'),
);

const multipleInputs = defineTool(
  'test_input_required_result_multiple_inputs',
  {
    description: 'Asks the person, the model and for the roots in one round.',
    resolve: { user: userName, greeting, found: clientRoots },
  },
  ({ user, greeting, found }) =>
    `${textOf(greeting)} ${user.name} has ${found.roots.length} root(s).`,
);

// The second question comes after the first answer: a need is all it takes.
const step1 = resolver({}, () => elicit('Step 1: What is your name?', Name), {
  asks: 'form',
  name: 'step1',
});
const step2 = resolver(
  { first: step1 },
  () => elicit('Step 2: What is your favorite color?', z.object({ color: z.string() })),
  { asks: 'form', name: 'step2' },
);

const multiRound = defineTool(
  'test_input_required_result_multi_round',
  { description: 'Asks twice, one after the other.', resolve: { first: step1, second: step2 } },
  ({ first, second }) => `${first.name} likes ${second.color}.`,
);

// Asked is only what this client can be asked.
const nameIfAskable = resolver(
  {},
  (_, ctx) =>
    ctx.canAsk('form') ? elicit('What is your name?', Name) : { name: 'whoever you are' },
  { asks: 'form' },
);
const greetingIfAskable = resolver(
  {},
  (_, ctx) => (ctx.canAsk('sample') ? sample(question('Generate a greeting', 50)) : undefined),
  { asks: 'sample' },
);

const capabilities = defineTool(
  'test_input_required_result_capabilities',
  {
    description: 'Asks what the client can be asked.',
    resolve: { user: nameIfAskable, greeting: greetingIfAskable },
  },
  ({ user, greeting }) => `${greeting === undefined ? 'Hello,' : textOf(greeting)} ${user.name}`,
);

const missingCapability = defineTool(
  'test_missing_capability',
  { description: "Cannot do without the client's model.", resolve: { answer: capital } },
  ({ answer }) => textOf(answer),
);

const streamingElicitation = defineTool(
  'test_streaming_elicitation',
  { description: 'Asks in its result, never on the stream.', resolve: { user: userName } },
  ({ user }) => `Hello, ${user.name}!`,
);

const userContext = resolver(
  {},
  () => elicit('What context should the prompt use?', z.object({ context: z.string() })),
  { asks: 'form', name: 'user_context' },
);

const prompt = definePrompt(
  'test_input_required_result_prompt',
  { description: 'A prompt that asks.', resolve: { user: userContext } },
  ({ user }) => `Use this context: ${user.context}`,
);

export const asking = [
  elicitation,
  sampling,
  roots,
  requestState,
  tamperedState,
  multipleInputs,
  multiRound,
  capabilities,
  missingCapability,
  streamingElicitation,
  prompt,
];
