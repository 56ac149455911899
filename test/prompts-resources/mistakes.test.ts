/**
 * Mistakes in plain JavaScript, where no compiler objects: each throws when the definition is made
 * or installed, and says what to do.
 */
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import * as library from 'mcp-resolve';
import { arg, argsOf, confirm, InvalidGraphError, outcome, resolver } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

/** The library as JavaScript sees it. */
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

function thrownBy(define: () => unknown): InvalidGraphError {
  try {
    define();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidGraphError);
    return error as InvalidGraphError;
  }
  throw new Error('expected an InvalidGraphError');
}

const PROMPT_FORM = "definePrompt('plan_trip', { … }, body).";
const RESOURCE_FORM = "defineResource('trip', 'trips://next', { … }, body).";

describe('C1: the parts of a prompt', () => {
  test.each<[string, () => unknown, string]>([
    ['no name', () => definePrompt({}, body), `Prompt: its name comes first: ${PROMPT_FORM}`],
    [
      'an empty name',
      () => definePrompt('', {}, body),
      `Prompt: its name comes first: ${PROMPT_FORM}`,
    ],
    [
      'no configuration',
      () => definePrompt('plan', body),
      `Prompt 'plan': its configuration, an object, is missing: ${PROMPT_FORM}`,
    ],
    [
      'a configuration that is a Map',
      () => definePrompt('plan', new Map(), body),
      `Prompt 'plan': its configuration, an object, is missing: ${PROMPT_FORM}`,
    ],
    [
      'no body',
      () => definePrompt('plan', {}),
      `Prompt 'plan' has no body: its function comes last: ${PROMPT_FORM}`,
    ],
    [
      'a tool as its body',
      () => definePrompt('plan', {}, tool),
      `Prompt 'plan' has no body: its function comes last: ${PROMPT_FORM}`,
    ],
    [
      'inputSchema',
      promptWith({ inputSchema: Trip }),
      "Prompt 'plan' has no field 'inputSchema': did you mean 'argsSchema'?",
    ],
    [
      'variables',
      promptWith({ variables: Trip }),
      "Prompt 'plan' has no field 'variables': did you mean 'argsSchema'?",
    ],
    [
      'a misspelt argsSchema',
      promptWith({ argSchema: Trip }),
      "Prompt 'plan' has no field 'argSchema': did you mean 'argsSchema'?",
    ],
    [
      'resolvers',
      promptWith({ resolvers: { one } }),
      "Prompt 'plan' has no field 'resolvers': did you mean 'resolve'?",
    ],
    [
      'once, which would not be kept',
      promptWith({ once: {} }),
      "Prompt 'plan' has no field 'once', which only other kinds of definition have.",
    ],
    [
      'a mimeType',
      promptWith({ mimeType: 'text/plain' }),
      "Prompt 'plan' has no field 'mimeType', which only other kinds of definition have.",
    ],
    [
      'a raw shape',
      promptWith({ argsSchema: { city: z.string() } }),
      "Prompt 'plan': argsSchema is not a schema: wrap the raw shape in z.object({ … }).",
    ],
    [
      'JSON Schema',
      promptWith({ argsSchema: { type: 'object', properties: {} } }),
      "Prompt 'plan': argsSchema is not a schema: wrap the JSON Schema with fromJsonSchema() of '@modelcontextprotocol/server'.",
    ],
    [
      'a schema of a text',
      promptWith({ argsSchema: z.string() }),
      'Prompt \'plan\': argsSchema must describe an object, not "string": wrap it in z.object({ … }).',
    ],
    [
      'resolve as a list',
      promptWith({ resolve: [one] }),
      "Prompt 'plan': resolve is an object of resolvers by parameter: { cents: refundAmount }.",
    ],
    [
      'guards that are one',
      promptWith({ guards: one }),
      "Prompt 'plan': guards is a list of resolvers: [canRefund].",
    ],
  ])('%s', (_, define, message) => {
    const error = thrownBy(define);
    expect(error.message).toBe(message);
    expect(error.code).toBe('ERR_DEFINITION');
  });
});

describe('C1: the parts of a resource', () => {
  test.each<[string, () => unknown, string]>([
    [
      'no name',
      () => defineResource(undefined, 'desk://it', {}, body),
      `Resource: its name comes first: ${RESOURCE_FORM}`,
    ],
    [
      'no configuration',
      () => defineResource('trip', 'desk://it', body),
      `Resource 'trip': its configuration, an object, is missing: ${RESOURCE_FORM}`,
    ],
    [
      'no uri',
      () => defineResource('trip', {}, body),
      `Resource 'trip': its configuration, an object, is missing: ${RESOURCE_FORM}`,
    ],
    [
      'no body',
      () => defineResource('trip', 'desk://it', {}),
      `Resource 'trip' has no body: its function comes last: ${RESOURCE_FORM}`,
    ],
    [
      'a uri that is undefined',
      () => defineResource('trip', undefined, {}, body),
      "Resource 'trip': its uri, or a ResourceTemplate, is the second argument.",
    ],
    [
      'a URL object',
      resourceWith({}, new URL('desk://it')),
      "Resource 'trip': its uri, or a ResourceTemplate, is the second argument.",
    ],
    [
      'the text of a template',
      resourceWith({}, 'trips://{id}'),
      "Resource 'trip': 'trips://{id}' is a template: new ResourceTemplate('trips://{id}', { list }).",
    ],
    [
      'a query template as a text',
      resourceWith({}, 'trips://all{?page}'),
      "Resource 'trip': 'trips://all{?page}' is a template: new ResourceTemplate('trips://all{?page}', { list }).",
    ],
    [
      'a relative uri',
      resourceWith({}, 'trips/next'),
      "Resource 'trip': 'trips/next' is not an absolute uri.",
    ],
    [
      'name and uri in the wrong order',
      () => defineResource('trips://next', 'trip', {}, body),
      "Resource 'trips://next': 'trip' is not an absolute uri.",
    ],
    [
      'inputSchema',
      resourceWith({ inputSchema: Trip }),
      "Resource 'trip' has no field 'inputSchema': did you mean 'variables'?",
    ],
    [
      'argsSchema',
      resourceWith({ argsSchema: Trip }),
      "Resource 'trip' has no field 'argsSchema': did you mean 'variables'?",
    ],
    [
      'a misspelt mimeType',
      resourceWith({ mimetype: 'text/plain' }),
      "Resource 'trip' has no field 'mimetype': did you mean 'mimeType'?",
    ],
    [
      'once, which would not be kept',
      resourceWith({ once: {} }),
      "Resource 'trip' has no field 'once', which only other kinds of definition have.",
    ],
    [
      'a raw shape',
      resourceWith({ variables: { id: z.string() } }, at('trips://{id}')),
      "Resource 'trip': variables is not a schema: wrap the raw shape in z.object({ … }).",
    ],
    [
      'a schema of a list',
      resourceWith({ variables: z.array(z.string()) }, at('trips://{id}')),
      'Resource \'trip\': variables must describe an object, not "array": wrap it in z.object({ … }).',
    ],
    [
      'a required variable that the template does not have',
      resourceWith({ variables: Trip }, at('trips://{id}')),
      "Resource 'trip': variables requires 'city', which its uri does not have.",
    ],
    [
      'a required variable at a fixed uri',
      resourceWith({ variables: Trip }),
      "Resource 'trip': variables requires 'city', which its uri does not have.",
    ],
    [
      'a required variable that is coerced',
      resourceWith({ variables: z.object({ page: z.coerce.number() }) }, at('trips://{id}')),
      "Resource 'trip': variables requires 'page', which its uri does not have.",
    ],
  ])('%s', (_, define, message) => {
    const error = thrownBy(define);
    expect(error.message).toBe(message);
    expect(error.code).toBe('ERR_DEFINITION');
  });

  test('variables that are optional, defaulted or exploded are fine', () => {
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

describe('C5, C10: the graph of a prompt or a resource', () => {
  const missing = (resolverName: string, name: string, has: string, source: string) =>
    `Resolver '${resolverName}' parameter 'city' cannot be resolved: '${name}' has no argument 'city' (it has ${has}). Add 'city' to ${source}, or name the argument that is meant: arg('name').`;
  const clash = (param: string, what: string, source: string) =>
    `'${param}' of ${what} is both an argument of ${source} and a resolved parameter: rename one of them.`;
  const needs = (what: string, found: string) =>
    `${what} parameter 'one' cannot be resolved: expected a resolver or outcome(resolver), but ${found}.`;

  test.each<[string, () => unknown, string, string]>([
    [
      'a prompt without the argument',
      promptWith({ resolve: { price: needsCity } }),
      missing('price', 'plan', 'none', 'argsSchema'),
      'plan -> price -> city',
    ],
    [
      'a prompt with another argument, and a nested need',
      promptWith({ argsSchema: z.object({ town: z.string() }), resolve: { price: inner } }),
      missing('deep', 'plan', "'town'", 'argsSchema'),
      'plan -> price -> deep -> city',
    ],
    [
      'a guard of a prompt without the argument',
      promptWith({ guards: [needsCity] }),
      missing('guard', 'plan', 'none', 'argsSchema'),
      'plan -> guard -> city',
    ],
    [
      'an outcome in a resource at a fixed uri',
      resourceWith({ resolve: { price: outcome(needsCity) } }),
      missing('price', 'trip', 'none', 'variables'),
      'trip -> price -> city',
    ],
    [
      'a template without the variable',
      resourceWith({ resolve: { price: needsCity } }, at('trips://{id}/{page}')),
      missing('price', 'trip', "'id', 'page'", 'variables'),
      'trip -> price -> city',
    ],
    [
      'a variable of the template that the schema leaves out',
      resourceWith(
        { variables: z.object({}), resolve: { price: needsCity } },
        at('trips://{city}'),
      ),
      missing('price', 'trip', 'none', 'variables'),
      'trip -> price -> city',
    ],
    [
      'a resolved name that is an argument',
      promptWith({ argsSchema: Trip, resolve: { city: one } }),
      clash('city', "prompt 'plan'", 'argsSchema'),
      'plan -> city',
    ],
    [
      'a resolved name that is a variable of the schema',
      resourceWith({ variables: Trip, resolve: { city: one } }, at('trips://{city}')),
      clash('city', "resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a resolved name that is a variable of the template',
      resourceWith({ resolve: { city: one } }, at('trips://{id}/{city}')),
      clash('city', "resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a resolved name that is an exploded variable',
      resourceWith({ resolve: { city: one } }, at('trips://{city*}')),
      clash('city', "resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a resolved name that is in the template though not in the schema',
      resourceWith(
        { variables: z.object({ id: z.string() }), resolve: { city: one } },
        at('trips://{id}/{city}'),
      ),
      clash('city', "resource 'trip'", 'variables'),
      'trip -> city',
    ],
    [
      'a tool where a resolver belongs',
      promptWith({ resolve: { one: tool } }),
      needs("Prompt 'plan'", 'it is a tool: name the resolvers it uses instead'),
      'plan -> one',
    ],
    [
      'a function where a resolver belongs',
      resourceWith({ resolve: { one: body } }),
      needs("Resource 'trip'", 'it is a function: wrap it as resolver({ … }, fn)'),
      'trip -> one',
    ],
    [
      'a question where a resolver belongs',
      promptWith({ resolve: { one: confirm('Sure?') } }),
      needs("Prompt 'plan'", 'it is a question: return it from a resolver'),
      'plan -> one',
    ],
    [
      'nothing where a resolver belongs',
      resourceWith({ resolve: { one: undefined } }),
      needs(
        "Resource 'trip'",
        'it is undefined (is its name misspelt, is it defined further down, or imported in a circle?)',
      ),
      'trip -> one',
    ],
    [
      'an outcome as a guard',
      resourceWith({ guards: [outcome(one)] }),
      'A guard is a bare resolver: outcome() would let a refusal pass.',
      'trip -> guard',
    ],
    [
      'a parameter __proto__',
      promptWith({ resolve: { ['__proto__']: one } }),
      "'__proto__' cannot be the name of a parameter or a resolver: rename it.",
      'plan -> __proto__',
    ],
  ])('%s', (_, define, message, path) => {
    expect(thrownBy(define).message).toBe(`${message} (at ${path})`);
  });

  test.each([
    ['a prompt', prompt],
    ['an argument', argsOf(Trip).city],
  ])('%s where a resolver belongs is refused by its place', (_, given) => {
    const error = thrownBy(promptWith({ argsSchema: Trip, resolve: { one: given } }));
    expect(error.code).toBe('ERR_GRAPH_NEED');
    expect(error.path).toEqual(['plan', 'one']);
    expect(error.message).toContain('expected a resolver or outcome(resolver)');
  });

  test('C2: a cycle is found before anything is installed', () => {
    const needs: Record<string, unknown> = {};
    const first = resolver(needs as {}, () => 1);
    needs.second = resolver({ first }, () => 1);
    for (const define of [
      promptWith({ resolve: { first } }),
      resourceWith({ resolve: { first } }),
    ]) {
      expect(thrownBy(define).code).toBe('ERR_GRAPH_CYCLE');
    }
  });
});

describe('C1: installing', () => {
  const server = () => new McpServer({ name: 'mistaken', version: '1.0.0' });

  test.each<[string, () => unknown, string]>([
    [
      'a definition that is not in a list',
      () => install(server(), prompt),
      'install(): the second argument is a list of definitions: install(server, [refundOrder]).',
    ],
    [
      'a resolver among definitions',
      () => install(server(), [prompt, one]),
      'install(): entry 1 of the list is not a definition; make one with defineTool(name, config, body).',
    ],
    [
      'a body among definitions',
      () => install(server(), [body]),
      'install(): entry 0 of the list is not a definition; make one with defineTool(name, config, body).',
    ],
    [
      'a list in which one is missing',
      () => install(server(), Object.assign([], { 1: prompt })),
      'install(): entry 0 of the list is not a definition; make one with defineTool(name, config, body).',
    ],
    [
      'no server',
      () => (prompt as library.Prompt).register({} as never),
      'install(): the first argument is an McpServer or a Server.',
    ],
  ])('%s', (_, define, message) => {
    expect(thrownBy(define).message).toBe(message);
  });

  test('a mistake in the list leaves the server as it was', () => {
    for (const target of [server(), new Server({ name: 'mistaken', version: '1.0.0' })]) {
      expect(() => install(target, [prompt, one])).toThrow(InvalidGraphError);
      expect(() => install(target, [prompt])).not.toThrow();
    }
  });
});
