/**
 * Tests mistakes in plain JavaScript, which no compiler finds. Each throws when the definition is
 * created or installed, and the message says what to do.
 */
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import * as library from 'mcp-resolve';
import { arg, argsOf, confirm, InvalidGraphError, outcome, resolver } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

/** The functions under test, without types. */
const { definePrompt, defineResource, defineTool, install } = library as unknown as Record<
  'definePrompt' | 'defineResource' | 'defineTool' | 'install',
  (...given: unknown[]) => unknown
>;

const body = () => 'done';
const one = resolver({}, () => 1);
const needsCity = resolver({ city: arg('city') }, () => 1);
const inner = resolver({ deep: needsCity }, () => 1);
const Trip = z.object({ city: z.string() });
const at = (uri: string) => new ResourceTemplate(uri, { list: undefined });
const tool = defineTool('tool', {}, body);
const prompt = definePrompt('prompt', {}, body);

const promptWith = (config: unknown) => () => definePrompt('plan', config, body);
const resourceWith = (config: unknown, place: unknown = 'desk://it') => {
  return () => defineResource('trip', place, config, body);
};

/** Returns the error of an invalid graph. */
function graphErrorOf(define: () => unknown): InvalidGraphError {
  try {
    define();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidGraphError);
    return error as InvalidGraphError;
  }
  throw new Error('expected an InvalidGraphError');
}

/** A function that defines a prompt or a resource, with the words of its messages. */
interface Definer {
  readonly what: 'Prompt' | 'Resource';
  /** The option for the schema of the arguments. */
  readonly schema: string;
  /** The same option of the other kind. */
  readonly otherSchema: string;
  readonly usage: string;
  readonly define: (name: unknown, ...rest: unknown[]) => unknown;
}

const definers: [string, Definer][] = [
  [
    'definePrompt',
    {
      what: 'Prompt',
      schema: 'argsSchema',
      otherSchema: 'variables',
      usage: "definePrompt('plan_trip', { … }, body).",
      define: definePrompt,
    },
  ],
  [
    'defineResource',
    {
      what: 'Resource',
      schema: 'variables',
      otherSchema: 'argsSchema',
      usage: "defineResource('trip', 'trips://next', { … }, body).",
      define: (name, ...rest) => defineResource(name, at('trips://{city}'), ...rest),
    },
  ],
];

describe.each(definers)('C1: %s rejects', (fn, definer) => {
  const { what, schema, otherSchema, usage, define } = definer;
  const withConfig = (config: unknown) => () => define('trip', config, body);

  test.each<[string, () => unknown, string]>([
    [
      'a missing name',
      () => define(undefined, {}, body),
      `${fn}(): \`name\` must be a non-empty string. Write ${usage}`,
    ],
    [
      'an empty name',
      () => define('', {}, body),
      `${fn}(): \`name\` must be a non-empty string. Write ${usage}`,
    ],
    [
      'a configuration in the place of the name',
      () => define({}, body),
      `${fn}(): \`name\` must be a non-empty string. Write ${usage}`,
    ],
    [
      'a missing configuration',
      () => define('trip', body),
      `${what} 'trip': \`config\` must be an object. Write ${usage}`,
    ],
    [
      'a Map as configuration',
      withConfig(new Map()),
      `${what} 'trip': \`config\` must be an object. Write ${usage}`,
    ],
    [
      'a missing body',
      () => define('trip', {}),
      `${what} 'trip': \`body\` must be a function. Write ${usage}`,
    ],
    [
      'a tool as body',
      () => define('trip', {}, tool),
      `${what} 'trip': \`body\` must be a function. Write ${usage}`,
    ],
    [
      'the schema option of a tool',
      withConfig({ inputSchema: Trip }),
      `${what} 'trip' has no option 'inputSchema'. Did you mean '${schema}'?`,
    ],
    [
      'the schema option of the other kind',
      withConfig({ [otherSchema]: Trip }),
      `${what} 'trip' has no option '${otherSchema}'. Did you mean '${schema}'?`,
    ],
    [
      'resolvers instead of resolve',
      withConfig({ resolvers: { one } }),
      `${what} 'trip' has no option 'resolvers'. Did you mean 'resolve'?`,
    ],
    [
      'once, an option of tools',
      withConfig({ once: {} }),
      `${what} 'trip' has no option 'once'. It belongs to another kind of definition. Remove it.`,
    ],
    [
      'a raw shape as schema',
      withConfig({ [schema]: { city: z.string() } }),
      `${what} 'trip': \`${schema}\` is not a usable schema. Wrap the raw shape in z.object({ … }).`,
    ],
    [
      'JSON Schema as schema',
      withConfig({ [schema]: { type: 'object', properties: {} } }),
      `${what} 'trip': \`${schema}\` is not a usable schema. Wrap the JSON Schema in fromJsonSchema() from '@modelcontextprotocol/server'.`,
    ],
    [
      'the schema of a string',
      withConfig({ [schema]: z.string() }),
      `${what} 'trip': \`${schema}\` must describe an object, not "string". Wrap it in z.object({ … }).`,
    ],
    [
      'the schema of an array',
      withConfig({ [schema]: z.array(z.string()) }),
      `${what} 'trip': \`${schema}\` must describe an object, not "array". Wrap it in z.object({ … }).`,
    ],
    [
      'an array as resolve',
      withConfig({ resolve: [one] }),
      `${what} 'trip': \`resolve\` must be an object of resolvers by parameter, such as { cents: refundAmount }.`,
    ],
    [
      'a resolver as guards',
      withConfig({ guards: one }),
      `${what} 'trip': \`guards\` must be an array of resolvers, such as [canRefund].`,
    ],
  ])('%s', (_, mistake, message) => {
    expect(mistake).toThrow(new TypeError(message));
  });
});

describe('C1: definePrompt rejects', () => {
  test.each<[string, () => unknown, string]>([
    [
      'a misspelt argsSchema',
      promptWith({ argSchema: Trip }),
      "Prompt 'plan' has no option 'argSchema'. Did you mean 'argsSchema'?",
    ],
    [
      'mimeType, an option of resources',
      promptWith({ mimeType: 'text/plain' }),
      "Prompt 'plan' has no option 'mimeType'. It belongs to another kind of definition. Remove it.",
    ],
  ])('%s', (_, mistake, message) => {
    expect(mistake).toThrow(new TypeError(message));
  });
});

describe('C1: defineResource rejects', () => {
  test.each<[string, () => unknown, string]>([
    [
      'a missing uri',
      () => defineResource('trip', {}, body),
      "Resource 'trip': `config` must be an object. Write defineResource('trip', 'trips://next', { … }, body).",
    ],
    [
      'undefined as uri',
      () => defineResource('trip', undefined, {}, body),
      "Resource 'trip': `uriOrTemplate` must be a string or a ResourceTemplate.",
    ],
    [
      'a URL object as uri',
      resourceWith({}, new URL('desk://it')),
      "Resource 'trip': `uriOrTemplate` must be a string or a ResourceTemplate.",
    ],
    [
      'a template in a string',
      resourceWith({}, 'trips://{id}'),
      "Resource 'trip': 'trips://{id}' is a template. Write new ResourceTemplate('trips://{id}', { list: undefined }).",
    ],
    [
      'a query template in a string',
      resourceWith({}, 'trips://all{?page}'),
      "Resource 'trip': 'trips://all{?page}' is a template. Write new ResourceTemplate('trips://all{?page}', { list: undefined }).",
    ],
    [
      'a relative uri',
      resourceWith({}, 'trips/next'),
      "Resource 'trip': the uri must be absolute, got 'trips/next'.",
    ],
    [
      'name and uri in the wrong order',
      () => defineResource('trips://next', 'trip', {}, body),
      "Resource 'trips://next': the uri must be absolute, got 'trip'. The name comes first. Write defineResource(name, uri, config, body).",
    ],
    [
      'a misspelt mimeType',
      resourceWith({ mimetype: 'text/plain' }),
      "Resource 'trip' has no option 'mimetype'. Did you mean 'mimeType'?",
    ],
    [
      'a required variable that is not in the template',
      resourceWith({ variables: Trip }, at('trips://{id}')),
      "Resource 'trip': `variables` requires 'city', which the uri does not contain. Add it to the template, or make it optional.",
    ],
    [
      'a required variable at a fixed uri',
      resourceWith({ variables: Trip }),
      "Resource 'trip': `variables` requires 'city', which the uri does not contain. Add it to the template, or make it optional.",
    ],
    [
      'a required and coerced variable that is not in the template',
      resourceWith({ variables: z.object({ page: z.coerce.number() }) }, at('trips://{id}')),
      "Resource 'trip': `variables` requires 'page', which the uri does not contain. Add it to the template, or make it optional.",
    ],
  ])('%s', (_, mistake, message) => {
    expect(mistake).toThrow(new TypeError(message));
  });

  test('no variables that are optional, have a default or are exploded', () => {
    const Many = z.object({
      id: z.string(),
      tags: z.union([z.string(), z.array(z.string())]),
      page: z.coerce.number().default(1),
      lang: z.string().optional(),
    });
    expect(resourceWith({ variables: Many }, at('trips://{id}/{tags*}'))).not.toThrow();
    expect(resourceWith({ variables: z.object({ lang: z.string().optional() }) })).not.toThrow();
  });
});

describe('C5, C10: a prompt or a resource rejects', () => {
  const missing = (resolverName: string, name: string, has: string, source: string) =>
    `Resolver '${resolverName}' parameter 'city' cannot be resolved: '${name}' has no argument 'city'. Known arguments: ${has}. Add 'city' to \`${source}\`, or name another argument with arg('name').`;
  const clash = (param: string, what: string, source: string) =>
    `${what}: '${param}' is both an argument in \`${source}\` and a resolved parameter. Rename one of them.`;
  const needs = (what: string, found: string) =>
    `${what} parameter 'one' cannot be resolved: expected a resolver or outcome(resolver), got ${found}`;

  test.each<[string, () => unknown, string, string]>([
    [
      'a resolver whose argument the prompt does not have',
      promptWith({ resolve: { price: needsCity } }),
      missing('price', 'plan', 'none', 'argsSchema'),
      'plan -> price -> city',
    ],
    [
      'a nested resolver whose argument the prompt does not have',
      promptWith({ argsSchema: z.object({ town: z.string() }), resolve: { price: inner } }),
      missing('deep', 'plan', "'town'", 'argsSchema'),
      'plan -> price -> deep -> city',
    ],
    [
      'a guard whose argument the prompt does not have',
      promptWith({ guards: [needsCity] }),
      missing('guard', 'plan', 'none', 'argsSchema'),
      'plan -> guard -> city',
    ],
    [
      'an outcome whose argument a fixed uri does not have',
      resourceWith({ resolve: { price: outcome(needsCity) } }),
      missing('price', 'trip', 'none', 'variables'),
      'trip -> price -> city',
    ],
    [
      'a resolver whose argument the template does not have',
      resourceWith({ resolve: { price: needsCity } }, at('trips://{id}/{page}')),
      missing('price', 'trip', "'id', 'page'", 'variables'),
      'trip -> price -> city',
    ],
    [
      'a resolver whose argument is missing in the schema of the template',
      resourceWith(
        { variables: z.object({}), resolve: { price: needsCity } },
        at('trips://{city}'),
      ),
      missing('price', 'trip', 'none', 'variables'),
      'trip -> price -> city',
    ],
    [
      'a resolved parameter with the name of an argument',
      promptWith({ argsSchema: Trip, resolve: { city: one } }),
      clash('city', "Prompt 'plan'", 'argsSchema'),
      'plan -> city',
    ],
    [
      'a resolved parameter with the name of a variable in the schema',
      resourceWith({ variables: Trip, resolve: { city: one } }, at('trips://{city}')),
      clash('city', "Resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a resolved parameter with the name of a variable in the template',
      resourceWith({ resolve: { city: one } }, at('trips://{id}/{city}')),
      clash('city', "Resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a resolved parameter with the name of an exploded variable',
      resourceWith({ resolve: { city: one } }, at('trips://{city*}')),
      clash('city', "Resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a resolved parameter with the name of a variable that only the template has',
      resourceWith(
        { variables: z.object({ id: z.string() }), resolve: { city: one } },
        at('trips://{id}/{city}'),
      ),
      clash('city', "Resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a tool in the place of a resolver',
      promptWith({ resolve: { one: tool } }),
      needs("Prompt 'plan'", 'a tool. Use one of its resolvers instead.'),
      'plan -> one',
    ],
    [
      'a function in the place of a resolver',
      resourceWith({ resolve: { one: body } }),
      needs("Resource 'trip'", 'a function. Wrap it as resolver({ … }, fn).'),
      'trip -> one',
    ],
    [
      'a question in the place of a resolver',
      promptWith({ resolve: { one: confirm('Sure?') } }),
      needs("Prompt 'plan'", 'a question. Return it from a resolver.'),
      'plan -> one',
    ],
    [
      'undefined in the place of a resolver',
      resourceWith({ resolve: { one: undefined } }),
      needs(
        "Resource 'trip'",
        'undefined. Check for a misspelt name, a definition further down in the file, or a circular import.',
      ),
      'trip -> one',
    ],
    [
      'an outcome as a guard',
      resourceWith({ guards: [outcome(one)] }),
      "Resource 'trip': a guard cannot be an outcome(), because a refusal would not end the call. Pass the resolver itself.",
      'trip -> guard',
    ],
    [
      'a parameter named __proto__',
      promptWith({ resolve: { ['__proto__']: one } }),
      "'__proto__' cannot be the name of a parameter or a resolver. Rename it.",
      'plan -> __proto__',
    ],
  ])('%s', (_, define, message, path) => {
    expect(graphErrorOf(define).message).toBe(`${message} (at ${path})`);
  });

  test.each([
    ['a prompt', prompt],
    ['an argument', argsOf(Trip).city],
  ])('%s in the place of a resolver, with its path', (_, given) => {
    const error = graphErrorOf(promptWith({ argsSchema: Trip, resolve: { one: given } }));
    expect(error.code).toBe('ERR_GRAPH_NEED');
    expect(error.path).toEqual(['plan', 'one']);
    expect(error.message).toContain('expected a resolver or outcome(resolver)');
  });

  test('C2: a cycle before it is installed', () => {
    const needs: Record<string, unknown> = {};
    const first = resolver(needs as {}, () => 1);
    needs.second = resolver({ first }, () => 1);
    for (const define of [
      promptWith({ resolve: { first } }),
      resourceWith({ resolve: { first } }),
    ]) {
      expect(graphErrorOf(define).code).toBe('ERR_GRAPH_CYCLE');
    }
  });
});

describe('C1: install rejects', () => {
  const server = () => new McpServer({ name: 'mistaken', version: '1.0.0' });

  test.each<[string, () => unknown, string]>([
    [
      'a definition that is not in an array',
      () => install(server(), prompt),
      'install(): `definitions` must be an array. Write install(server, [refundOrder]).',
    ],
    [
      'a resolver among definitions',
      () => install(server(), [prompt, one]),
      'install(): `definitions[1]` is not a definition. Create one with defineTool(name, config, body).',
    ],
    [
      'a body among definitions',
      () => install(server(), [body]),
      'install(): `definitions[0]` is not a definition. Create one with defineTool(name, config, body).',
    ],
    [
      'an array with a hole',
      () => install(server(), Object.assign([], { 1: prompt })),
      'install(): `definitions[0]` is not a definition. Create one with defineTool(name, config, body).',
    ],
    [
      'an object that is not a server',
      () => install({}, [prompt as library.Prompt]),
      'install(): `server` must be an McpServer or a Server.',
    ],
  ])('%s', (_, mistake, message) => {
    expect(mistake).toThrow(new TypeError(message));
  });

  test('an invalid array before it changes the server', () => {
    for (const target of [server(), new Server({ name: 'mistaken', version: '1.0.0' })]) {
      expect(() => install(target, [prompt, one])).toThrow(TypeError);
      expect(() => install(target, [prompt])).not.toThrow();
    }
  });
});

describe('a template', () => {
  const defined = (uriTemplate: string) => () =>
    library.defineResource(
      'trip',
      new ResourceTemplate(uriTemplate, { list: undefined }),
      {},
      () => '',
    );

  test.each([
    ['https://Trips.example/{id}', 'https://trips.example/x'],
    ['https://bücher.example/{id}', 'https://xn--bcher-kva.example/x'],
    ['https://trips.example:443/{id}', 'https://trips.example/x'],
    ['file:///my trips/{id}', 'file:///my%20trips/x'],
    ['https://trips.example/a/../{id}', 'https://trips.example/x'],
  ])('that can never match is refused: %s', (uriTemplate, example) => {
    expect(defined(uriTemplate)).toThrow(
      `Resource 'trip': the template '${uriTemplate}' never matches, because uris are normalized. Write it so that it matches '${example}'.`,
    );
  });

  test.each([
    'trips://{id}',
    'trips://x/{city}{?page,size}',
    'trips://{+path}',
    'https://{host}.example/{a}/{b*}',
    '{+uri}',
    'https://trips.example/{id}{#part}',
  ])('that can match is accepted: %s', (uriTemplate) => {
    expect(defined(uriTemplate)).not.toThrow();
  });
});
